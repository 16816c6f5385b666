"""`python -m conformance.bench`."""

import sys

from conformance.bench.cli import main

if __name__ == "__main__":
    sys.exit(main())

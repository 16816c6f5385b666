"""`python -m conformance`."""

import sys

from conformance.cli import main

if __name__ == "__main__":
    sys.exit(main())

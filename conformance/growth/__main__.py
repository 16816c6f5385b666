"""`python -m conformance.growth`."""

import sys

from conformance.growth.command import main

if __name__ == "__main__":
    sys.exit(main())

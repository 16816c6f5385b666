"""`python -m conformance`."""

import sys

from conformance.commands.main import main

if __name__ == "__main__":
    sys.exit(main())

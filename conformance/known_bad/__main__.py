"""`python -m conformance.known_bad`."""

import sys

from conformance.known_bad.command import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

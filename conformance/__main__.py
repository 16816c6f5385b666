"""`python -m conformance`."""

import gc
import sys

from conformance.commands.main import main

ALLOCATIONS = 50_000
"""The number of new objects after which Python looks for unused cycles: cases and results are many, and stay."""

if __name__ == "__main__":
    gc.set_threshold(ALLOCATIONS)
    sys.exit(main())

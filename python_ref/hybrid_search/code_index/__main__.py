"""Runs `python -m hybrid_search.code_index`."""

import sys

from hybrid_search.code_index.program import main

sys.exit(main())

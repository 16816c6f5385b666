"""Runs `python -m hybrid_search.cli`, which is the same as `hybrid-search`."""

import sys

from hybrid_search.cli.main import program

sys.exit(program())

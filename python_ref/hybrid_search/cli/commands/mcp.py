"""The command `hybrid-search mcp`."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from hybrid_search.cli import rerank_flags
from hybrid_search.cli.command_line import CommandLine
from hybrid_search.cli.console import Console
from hybrid_search.cli.index_file import IndexFile
from hybrid_search.search.ranking_cache import RankingCache


def run(line: CommandLine, console: Console) -> int:
    """Serve over standard input and output until the client closes them."""
    from hybrid_search.integrations import mcp  # needs the package mcp

    rerank = rerank_flags.options_of(line.flags)
    with IndexFile(line.flags["index"]) as file:
        index = file.index(max_results=line.flags["max-results"], ranking_cache=RankingCache(), **rerank)
        with _own_streams():
            mcp.server(index).run("stdio")
    return 0


@contextmanager
def _own_streams() -> Iterator[None]:
    """Give the SDK copies of the streams, since version 1 closes them at the end."""
    kept = sys.stdin, sys.stdout
    sys.stdin, sys.stdout = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w")
    try:
        yield
    finally:
        sys.stdin, sys.stdout = kept

"""The command `hybrid-search postgres`."""

import os

from hybrid_search.cli.command_line import CommandLine
from hybrid_search.cli.console import Console
from hybrid_search.cli.report import report
from hybrid_search.cli.usage import UsageError
from hybrid_search.doc_store_adapter.postgres.postgres_doc_store import PostgresDocStore

ADDRESS = "HYBRID_SEARCH_POSTGRES_URL"
"""Environment variable with the connection string."""
INDEX = "index"


def run(line: CommandLine, console: Console) -> int:
    """Create a collection, or an index in it."""
    url = line.flags.get("url", os.environ.get(ADDRESS))
    if not url:
        raise UsageError(f"--url is missing, and {ADDRESS} is not set")
    makes_index = line.arguments[0] == INDEX
    if makes_index != ("field" in line.flags):
        raise UsageError("--field is missing: which vectors?" if makes_index else "--field is for index alone")
    with PostgresDocStore(url, line.flags["collection"], migrate=not makes_index) as store:
        if makes_index:
            store.build_index(line.flags["field"])
        report({"collection": store.collection, **store.health()}, line.flags.get("format"), console)
    return 0

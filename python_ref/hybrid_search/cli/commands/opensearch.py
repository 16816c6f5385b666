"""The command `hybrid-search opensearch`."""

import os

from hybrid_search.cli.command_line import CommandLine
from hybrid_search.cli.console import Console
from hybrid_search.cli.report import report
from hybrid_search.cli.store_address import StoreAddress
from hybrid_search.cli.usage import UsageError

ADDRESS = "HYBRID_SEARCH_OPENSEARCH_URL"
"""Environment variable with the addresses of the nodes, separated by commas; the first one is used."""


def run(line: CommandLine, console: Console) -> int:
    """Remove the indexes that an interrupted reindex has left."""
    url = line.flags.get("url", os.environ.get(ADDRESS))
    if not url:
        raise UsageError(f"--url is missing, and {ADDRESS} is not set")
    address = StoreAddress(f"{url.split(',')[0]}#{line.flags['index']}")
    if not address.is_cluster():
        raise UsageError("--url begins with http:// or https://")
    is_dry = "dry-run" in line.flags
    found = address.source(line.flags).clean(dry_run=is_dry)
    counts = {"index": line.flags["index"], "found": found, "removed": 0 if is_dry else len(found)}
    report(counts, line.flags.get("format"), console)
    return 0

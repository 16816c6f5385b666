"""The command `hybrid-search stats`."""

from typing import Any

from hybrid_search.cli import filter_flags
from hybrid_search.cli.command_line import CommandLine
from hybrid_search.cli.console import Console
from hybrid_search.cli.index_file import IndexFile
from hybrid_search.cli.report import report

FULL = ("tokens", "fields", "without_vectors")
"""Parts of a store's `stats` that are the same in both languages."""
MOST_VALUES = 10_000
"""Maximum number of values that a facet shows."""


def run(line: CommandLine, console: Console) -> int:
    """Show the number of documents and their embedding."""
    filters = filter_flags.filters_of(line.flags)
    with IndexFile(line.flags["index"]) as file:
        choice = file.choice()
        health = file.store.health()
        counts: dict[str, Any] = {"documents": health["documents"]}
        if filters is not None:
            counts["filtered"] = file.index().count(filters=filters)
        counts |= {
            "generation": health["generation"],
            "status": health["status"],
            "embedding": None if choice is None else choice.to_dict(),
            "vectors": file.store.vector_fields(),
        }
        if "full" in line.flags:
            stats = file.store.stats()
            counts.update((part, stats[part]) for part in FULL)
        if "facets" in line.flags:
            page = file.index().search(
                match_all=True, limit=1, filters=filters, facets=line.flags["facets"], facet_limit=MOST_VALUES
            )
            counts["facets"] = page.to_dict()["facets"]
    report(counts, line.flags.get("format"), console)
    return 0

"""`hybrid-search stats`."""

from typing import Any

from hybrid_search.cli._command_line import CommandLine
from hybrid_search.cli._console import Console
from hybrid_search.cli._index_file import IndexFile
from hybrid_search.cli._report import report

FULL = ("tokens", "fields", "without_vectors")
"""Parts of a store's `stats` that are the same in both languages."""


def run(line: CommandLine, console: Console) -> int:
    """Tell how many documents there are, and how they are embedded."""
    with IndexFile(line.flags["index"]) as file:
        choice = file.choice()
        health = file.store.health()
        counts: dict[str, Any] = {
            "documents": health["documents"],
            "generation": health["generation"],
            "status": health["status"],
            "embedding": None if choice is None else choice.to_dict(),
            "vectors": file.store.vector_fields(),
        }
        if "full" in line.flags:
            told = file.store.stats()
            counts.update((part, told[part]) for part in FULL)
        if "facets" in line.flags:
            page = file.index().query("", match_all=True, limit=1, facets=line.flags["facets"], facet_limit=10_000)
            counts["facets"] = page.to_dict()["facets"]
    report(counts, line.flags.get("format"), console)
    return 0

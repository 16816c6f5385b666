"""Prints counts as a table or as JSON (CUR-5)."""

from collections.abc import Mapping
from typing import Any

from hybrid_search.base import json_writer
from hybrid_search.cli.console import Console

TABLE, JSON = "table", "json"


def form(wanted: str | None, console: Console) -> str:
    """Return the requested form; by default a table on a terminal, otherwise JSON."""
    if wanted is not None:
        return wanted
    return TABLE if console.is_terminal else JSON


def report(counts: Mapping[str, Any], wanted: str | None, console: Console) -> None:
    """Print names with their values."""
    if form(wanted, console) == JSON:
        console.write_json(dict(counts))
        return
    width = max(map(len, counts))
    for name, value in counts.items():
        shown = value if isinstance(value, str) else json_writer.write(value)
        console.write(f"{name:<{width}}  {shown}\n")

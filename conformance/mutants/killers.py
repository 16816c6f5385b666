"""Remembers which case noticed a mutant last, so that it is asked first: a cache outside git."""

import json
from collections.abc import Iterable
from pathlib import Path

from conformance.mutants.check import Fate
from conformance.paths import ROOT

CACHE = ROOT / ".cache" / "killers.json"
MOST = 20_000
"""Mutants in the cache; those that ran last remain."""


def load(path: Path = CACHE) -> dict[str, str]:
    """Return the ids of cases by the names of mutants; empty if there is no cache, or a damaged one."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def remember(fates: Iterable[Fate], path: Path = CACHE) -> None:
    """Add to the cache what noticed these mutants."""
    known = load(path)
    for fate in fates:
        known.pop(fate.mutant.name, None)
        if fate.killed_by is not None:
            known[fate.mutant.name] = fate.killed_by
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(dict(list(known.items())[-MOST:]), indent=0), encoding="utf-8")

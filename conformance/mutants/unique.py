"""Which cases notice a mutant alone, and which slow ones notice nothing that a quicker one does not (CNF-19).

The cases of a mutant's own modules are asked from the quickest to the slowest, until two have noticed it. A slow case
that never comes first is dead weight as far as the mutants tell: it must have another reason.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from conformance.cases.fixtures import Case
from conformance.paths import REPORTS, ROOT
from conformance.reports import log

CACHE = ROOT / ".cache" / "unique_kills.json"
SLOW_SECONDS = 0.5
"""Cases that took longer in any implementation are named where they notice nothing alone."""

Kills = dict[str, list[str | None]]
"""Mutant → the quickest case that notices it, and the next one; None where there is no other."""


def seconds(folder: Path = REPORTS) -> dict[str, float]:
    """Case → how long it took in the last run, in the slowest implementation; empty where there was no run."""
    try:
        results = log.parse(log.read(folder / "log.jsonl")).results
    except (OSError, ValueError, KeyError, TypeError):
        return {}
    took: dict[str, float] = {}
    for result in results:
        took[result.case] = max(took.get(result.case, 0.0), result.seconds)
    return took


def load(path: Path = CACHE) -> Kills:
    """Return what was found out before; empty if there is no cache, or a damaged one."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def remember(found: Mapping[str, list[str | None]], path: Path = CACHE) -> Kills:
    """Add to the cache, and return all of it."""
    known = load(path) | dict(found)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(known, indent=0, sort_keys=True), encoding="utf-8")
    return known


def lines(kills: Kills, cases: Sequence[Case], took: Mapping[str, float]) -> list[str]:
    """What the kills say: the cases that notice a mutant alone, and the slow ones that are never the quickest to.

    Args:
        kills: all that is known.
        cases: all cases.
        took: how long each took.
    """
    alone = sorted({first for first, second in kills.values() if first is not None and second is None})
    quickest = {first for first, _ in kills.values()}
    slow = sorted((case.id for case in cases if took.get(case.id, 0.0) > SLOW_SECONDS), key=lambda one: -took[one])
    idle = [identifier for identifier in slow if identifier not in quickest]
    told = [f"{len(alone)} cases notice a mutant alone, of {len(kills)} mutants that a case notices"]
    told += [f"alone: {identifier}" for identifier in alone]
    told.append(f"{len(idle)} of {len(slow)} slow cases notice nothing that a quicker one does not")
    return told + [f"idle: {identifier} ({took[identifier]:.1f} s)" for identifier in idle]

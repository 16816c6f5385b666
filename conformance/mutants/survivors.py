"""What must become of mutants: all written by hand are noticed but the listed ones, and nearly all drawn (CNF-19)."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from conformance import yaml_files
from conformance.errors import BrokenError
from conformance.mutants.check import Fate
from conformance.paths import CONFORMANCE

FILE = CONFORMANCE / "mutants" / "survivors.yml"
SHORTEST_REASON = 20
WITHOUT_SURVIVOR = ("fusion", "ordering", "paging")
"""Areas in which every mutant must be noticed."""
LEAST_NOTICED = 0.75
"""The share of the drawn mutants that must be noticed.

Of 150 that nobody had judged, 125 were. Most of the others change the size of a table, or a bound at its limit, and no
answer. The share rises as these get reasons in `equivalents.yml`.
"""


def load(path: Path = FILE) -> dict[str, str]:
    """Return the reasons of the survivors among the mutants that were written by hand, by their names.

    Raises:
        BrokenError: the file is not usable, a reason is missing, or the area must not have a survivor.
    """
    reasons = yaml_files.load(path) or {}
    for name, reason in reasons.items():
        if not isinstance(reason, str) or len(reason) < SHORTEST_REASON:
            raise BrokenError(f"{path.name}: {name} must have a reason in words")
        if name.partition(".")[0] in WITHOUT_SURVIVOR:
            raise BrokenError(f"{path.name}: {name} must be noticed by a case")
    return reasons


def surprises(reasons: Mapping[str, str], fates: Sequence[Fate]) -> list[str]:
    """Return what is not as it must be, a line each.

    Args:
        reasons: those of `load`.
        fates: what became of mutants.
    """
    lines = [f"{fate.mutant.name}: {line}" for fate in fates if (line := surprise(reasons, fate)) is not None]
    drawn = [fate for fate in fates if fate.mutant.is_drawn and not fate.broken]
    noticed = sum(fate.killed_by is not None for fate in drawn)
    if noticed < LEAST_NOTICED * len(drawn):
        lines.append(f"only {noticed} of {len(drawn)} drawn mutants are noticed, not {LEAST_NOTICED:.0%}")
    return lines


def surprise(reasons: Mapping[str, str], fate: Fate) -> str | None:
    """Return why what became of a mutant is not as it must be; None if it is."""
    mutant = fate.mutant
    if fate.broken:
        return fate.how
    if fate.killed_by is not None:
        listed = mutant.name in reasons
        return f"is noticed by {fate.killed_by} ({fate.how}): take it out of {FILE.name}" if listed else None
    if mutant.is_drawn and mutant.area not in WITHOUT_SURVIVOR:
        return None
    return None if mutant.name in reasons else f"survives: no case notices that {mutant.does}"

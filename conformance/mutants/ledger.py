"""The committed ledger: which case kills each mutant, or why it may live (CNF-19)."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

from conformance import yaml_files
from conformance.errors import BrokenError
from conformance.mutants.check import Fate
from conformance.paths import CONFORMANCE

LEDGER = CONFORMANCE / "mutants" / "ledger.yml"
HEAD = """\
# What became of every mutant: the case that kills it, or the reason why none can or need do so. Written by
# `bin/conformance mutants --update`; only reasons are written by hand.
"""


@dataclass(frozen=True)
class Entry:
    """What the ledger says of a mutant: a case's id, or the reason why it survives ("" as long as nobody gave one)."""

    killed_by: str | None = None
    survives: str | None = None


def load(path: Path = LEDGER) -> dict[str, Entry]:
    """The ledger by the names of the mutants.

    Raises:
        BrokenError: it is not usable.
    """
    content = yaml_files.load(path) if path.exists() else {}
    entries = {}
    for name, entry in (content or {}).items():
        if not isinstance(entry, dict) or len(entry) != 1 or not set(entry) <= {"killed_by", "survives"}:
            raise BrokenError(f"{path.name}: {name} must have either killed_by or survives")
        entries[name] = Entry(**{key: str(value or "") for key, value in entry.items()})
    return entries


def write(entries: dict[str, Entry], path: Path = LEDGER) -> None:
    """Write the ledger, by name."""
    content = {
        name: {"killed_by": entry.killed_by} if entry.killed_by is not None else {"survives": entry.survives or ""}
        for name, entry in sorted(entries.items())
    }
    body = yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=118)
    path.write_text(HEAD + body, encoding="utf-8")


def updated(entries: dict[str, Entry], fates: Sequence[Fate], names: set[str]) -> dict[str, Entry]:
    """The ledger with these fates; reasons stay, mutants that are no more go."""
    result = {name: entry for name, entry in entries.items() if name in names}
    for fate in fates:
        if fate.broken:
            continue
        before = result.get(fate.mutant.name, Entry())
        result[fate.mutant.name] = (
            Entry(survives=before.survives or "") if fate.killed_by is None else Entry(killed_by=fate.killed_by)
        )
    return result


def surprises(entries: dict[str, Entry], fates: Sequence[Fate]) -> list[str]:
    """Where what became of the mutants is not what the ledger says, one line each."""
    return [f"{fate.mutant.name}: {line}" for fate in fates if (line := surprise(entries, fate)) is not None]


def surprise(entries: dict[str, Entry], fate: Fate) -> str | None:
    """Where what became of a mutant is not what the ledger says; none: it is."""
    if fate.broken:
        return fate.how
    entry = entries.get(fate.mutant.name)
    killed = fate.killed_by is not None
    if entry is None:
        return f"is not in the ledger; {'killed by ' + str(fate.killed_by) if killed else 'it survives'}"
    if entry.killed_by is not None and not killed:
        return f"was killed by {entry.killed_by}, and survives now: no case notices that {fate.mutant.does}"
    if entry.survives is not None and killed:
        return f"is listed as a survivor, and is killed by {fate.killed_by} ({fate.how}): update the ledger"
    if entry.survives == "":
        return f"survives, and the ledger has no reason: no case notices that {fate.mutant.does}"
    return None

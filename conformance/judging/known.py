"""Known differences, which may not go stale (CNF-12)."""

import re
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from conformance import yaml_files
from conformance.errors import BrokenError
from conformance.paths import CONFORMANCE

LIST = CONFORMANCE / "known_differences.yml"
KEYS = ("case", "implementation", "kind", "clause", "reason", "owner", "opened")
KINDS = ("fail", "error", "crash", "timeout", "protocol", "unsupported")


@dataclass(frozen=True)
class Known:
    """One entry: this case of this implementation is known to end so."""

    case: str
    implementation: str
    kind: str
    clause: str
    reason: str
    owner: str
    opened: str


def load(path: Path = LIST) -> list[Known]:
    """The entries of the list.

    Raises:
        BrokenError: an entry lacks something.
    """
    content = yaml_files.load(path) or []
    if not isinstance(content, list):
        raise BrokenError(f"{path.name}: must be a list")
    return [_entry(path, index, entry) for index, entry in enumerate(content)]


def _entry(path: Path, index: int, entry: Any) -> Known:
    where = f"{path.name}: entry {index + 1}"
    if not isinstance(entry, dict) or set(entry) != set(KEYS):
        raise BrokenError(f"{where} must have exactly {', '.join(KEYS)}")
    texts = {key: str(entry[key]).strip() for key in KEYS}
    empty = [key for key, text in texts.items() if not text]
    if empty:
        raise BrokenError(f"{where}: {', '.join(empty)} must not be empty")
    if texts["kind"] not in KINDS:
        raise BrokenError(f"{where}: kind must be one of {', '.join(KINDS)}")
    if not re.fullmatch(r"\d{4}-\d{2}-\d{2}", texts["opened"], re.ASCII):
        raise BrokenError(f"{where}: opened must be a date like 2026-01-31")
    return Known(**texts)


def find(entries: list[Known], case: str, implementation: str) -> Known | None:
    """The entry for a case of an implementation; the first that matches."""
    for entry in entries:
        if entry.implementation == implementation and fnmatchcase(case, entry.case):
            return entry
    return None


def without_case(entries: list[Known], cases: list[str], implementations: list[str]) -> list[str]:
    """What is stale about the list: entries for no case, or for no implementation, that there is."""
    problems = []
    for entry in entries:
        if entry.implementation not in implementations:
            problems.append(f"known difference {entry.case}: there is no implementation {entry.implementation}")
        elif not any(fnmatchcase(case, entry.case) for case in cases):
            problems.append(f"known difference {entry.case}: matches no case")
    return problems

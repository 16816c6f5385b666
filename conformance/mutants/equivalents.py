"""Changes that were drawn and change no answer, each with its reason: they are proposed no more (CNF-19)."""

from typing import Any

from conformance import yaml_files
from conformance.errors import BrokenError
from conformance.paths import CONFORMANCE

FILE = CONFORMANCE / "mutants" / "equivalents.yml"
KEYS = {"reason", "changes"}
CHANGE_KEYS = {"path", "replace", "by"}
SHORTEST_REASON = 20

Change = tuple[str, str, str]
"""Path of the file from the root of the repository, text, and what it would be replaced by."""


def load() -> set[Change]:
    """All of them.

    Raises:
        BrokenError: the file is not usable, or a reason is none.
    """
    found = set()
    for entry in yaml_files.load(FILE):
        if set(entry) != KEYS or len(entry["reason"]) < SHORTEST_REASON:
            raise BrokenError(f"{FILE.name}: each entry must have {' and '.join(sorted(KEYS))}, and a reason in words")
        found |= {_change(change) for change in entry["changes"]}
    return found


def _change(change: Any) -> Change:
    if set(change) != CHANGE_KEYS:
        raise BrokenError(f"{FILE.name}: each change must have {', '.join(sorted(CHANGE_KEYS))}")
    return change["path"], change["replace"], change["by"]

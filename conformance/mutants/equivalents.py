"""Changes that were drawn and change no answer, each with its reason: they are drawn no more (CNF-19)."""

import hashlib
from functools import cache
from typing import Any

from conformance import yaml_files
from conformance.errors import BrokenError
from conformance.paths import CONFORMANCE, ROOT

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


@cache
def results() -> set[tuple[str, str]]:
    """Return the path of each changed file, with the digest of what the change makes of it."""
    found = set()
    for path, replace, by in load():
        parts = _text(path).split(replace)
        for place in range(1, len(parts)):
            changed = f"{replace.join(parts[:place])}{by}{replace.join(parts[place:])}"
            found.add((path, digest(changed)))
    return found


def stale() -> list[str]:
    """Return the changes that no longer apply, a line each."""
    return [
        f"{FILE.name}: {path} no longer has {replace!r}"
        for path, replace, _ in sorted(load())
        if replace not in _text(path)
    ]


def _text(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8") if (ROOT / path).is_file() else ""


def digest(source: str) -> str:
    """Return the SHA-256 of a source."""
    return hashlib.sha256(source.encode("utf-8")).hexdigest()


def _change(change: Any) -> Change:
    if set(change) != CHANGE_KEYS:
        raise BrokenError(f"{FILE.name}: each change must have {', '.join(sorted(CHANGE_KEYS))}")
    return change["path"], change["replace"], change["by"]

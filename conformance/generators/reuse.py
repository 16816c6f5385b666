"""Decides which lines of the committed fixtures need not be made again, since nothing that they depend on has changed.

A cache outside git maps the key of a case, the SHA-256 of the case and of what its operation depends on, to the SHA-256
of the line that was made under this key. A committed line is used again only if it is that line.
"""

import hashlib
import json
import os
from pathlib import Path

from conformance.cases import fixtures
from conformance.generators import dependencies, expected
from conformance.generators.case_files import Case, CaseFile
from conformance.paths import FIXTURES, ROOT
from hybrid_search.base.kernels import FAST

CACHE = ROOT / ".cache" / "fixtures.json"
MOST = 50_000
"""Keys in the cache; those used last remain, so that branches do not push each other out."""
DIGITS = 32


class Committed:
    """The committed lines of cases that say what the case files say; their answers are not looked at.

    Args:
        folder: `fixtures/`, or another folder.
    """

    def __init__(self, folder: Path = FIXTURES) -> None:
        self._folder = folder

    def lines(self, case_file: CaseFile) -> dict[str, bytes]:
        """Return the committed lines that are of these cases, by the ids of their cases."""
        path = self._folder / case_file.fixture
        committed = fixtures.by_id(path.read_bytes()) if path.is_file() else {}
        found = ((case.id, committed.get(case.id, b""), expected.beginning(case)) for case in case_file.cases)
        return {name: line for name, line, beginning in found if line.startswith(beginning)}

    def remember(self, case: Case, line: bytes) -> None:
        """Do nothing: a line that had to be made is one that differs."""


class Reuse:
    """The committed lines, and the keys under which lines were made.

    Args:
        folder: `fixtures/`, or another folder.
        cache: the file with the keys; need not exist.
        everything: use no line again, and only remember what is made.
    """

    def __init__(self, folder: Path = FIXTURES, cache: Path = CACHE, everything: bool = False) -> None:
        self._folder = folder
        self._cache = cache
        self._everything = everything
        self._made = _load(cache)
        self._used: dict[str, str] = {}

    def lines(self, case_file: CaseFile) -> dict[str, bytes]:
        """Return the committed lines that are still what the reference would say, by the ids of their cases."""
        path = self._folder / case_file.fixture
        committed = fixtures.by_id(path.read_bytes()) if path.is_file() else {}
        found: dict[str, bytes] = {}
        for case in case_file.cases:
            key, line = _key(case), committed.get(case.id)
            if line is not None and not self._everything and self._made.get(key) == _digest(line):
                found[case.id] = line
                self._used[key] = self._made[key]
        return found

    def remember(self, case: Case, line: bytes) -> None:
        """Remember that this line was made for a case."""
        self._used[_key(case)] = _digest(line)

    def save(self) -> None:
        """Write the cache, without the keys that were not used for long."""
        older = {key: digest for key, digest in self._made.items() if key not in self._used}
        kept = dict([*older.items(), *self._used.items()][-MOST:])
        self._cache.parent.mkdir(parents=True, exist_ok=True)
        temporary = self._cache.with_suffix(f".{os.getpid()}")
        temporary.write_text(json.dumps(kept, indent=0), encoding="utf-8")
        temporary.replace(self._cache)


def _key(case: Case) -> str:
    text = repr(case)
    whole = f"{text} {dependencies.digest(case.operation.partition('.')[0], repr(FAST) in text)}"
    return hashlib.sha256(whole.encode("utf-8", "surrogateescape")).hexdigest()[:DIGITS]


def _digest(line: bytes) -> str:
    return hashlib.sha256(line).hexdigest()[:DIGITS]


def _load(cache: Path) -> dict[str, str]:
    """What the file has; nothing if it is missing or damaged, since lines can always be made again."""
    try:
        content = json.loads(cache.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}

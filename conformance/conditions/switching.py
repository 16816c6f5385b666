"""Imports the reference from sources in which any part of a compound condition can be dropped."""

import builtins
import importlib.abc
import importlib.machinery
import sys
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from conformance.conditions import parts
from conformance.conditions.parts import Part
from conformance.paths import ROOT

LIBRARY = ROOT / "python_ref" / "hybrid_search"
NOTHING = -1


def all_parts() -> list[Part]:
    """Return the parts of all files, in the order of their numbers."""
    return [part for path in files() for part in parts.find((LIBRARY / path).read_text(encoding="utf-8"), path)]


def files() -> list[str]:
    """Return the files of the library."""
    return sorted(path.relative_to(LIBRARY).as_posix() for path in LIBRARY.rglob("*.py"))


class Finder(importlib.abc.MetaPathFinder):
    """Finds the modules of the library, to be compiled from other sources.

    Args:
        record: whether the parts are recorded.
    """

    def __init__(self, record: bool) -> None:
        self._record = record
        self._firsts: dict[str, int] = {}
        first = 0
        for path in files():
            self._firsts[path] = first
            first += len(parts.find((LIBRARY / path).read_text(encoding="utf-8"), path))

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Find a module as usual, and give it another loader."""
        if fullname.partition(".")[0] != LIBRARY.name:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and isinstance(spec.loader, SourceFileLoader):
            name = Path(spec.loader.path).resolve().relative_to(LIBRARY).as_posix()
            spec.loader = Loader(fullname, spec.loader.path, name, self._firsts[name], self._record)
        return spec


class Loader(SourceFileLoader):
    """Compiles one module from the other source.

    Args:
        fullname: of the module.
        path: of its file.
        name: the same, under the library.
        first: the number of its first part.
        record: whether the parts are recorded.
    """

    def __init__(self, fullname: str, path: str, name: str, first: int, record: bool) -> None:
        super().__init__(fullname, path)
        self._name, self._first, self._record = name, first, record

    def get_code(self, fullname: str) -> CodeType:
        """Return what the changed source compiles to; nothing is cached."""
        source = Path(self.path).read_text(encoding="utf-8")
        return compile(parts.switched(source, self._name, self._first, self._record), self.path, "exec")


def install(record: bool = False) -> None:
    """Import the library from other sources from now on; it must not be imported yet.

    Args:
        record: whether the parts are recorded.
    """
    assert LIBRARY.name not in sys.modules
    drop(NOTHING)
    setattr(builtins, parts.RECORD, recorder)
    sys.meta_path.insert(0, Finder(record))


def drop(number: int) -> None:
    """Drop a part, and no other."""
    setattr(builtins, parts.ACTIVE, number)


decided: set[int] = set()
"""The numbers of the parts that have decided a condition since this was emptied."""
_within = [False]


def recorder(first: int, count: int, truth: bool | None, *functions: Callable[[], Any]) -> Any:
    """Return the value of a condition, and note which of its parts decide it.

    Args:
        first: the number of its first part.
        count: the number of its parts.
        truth: whether only the truth of the value counts; None: the parts cannot be told apart.
        functions: the condition, and what it is without each part.
    """
    if truth is None:
        decided.update(range(first, first + count))
        return None
    value = functions[0]()
    if _within[0]:
        return value
    _within[0] = True
    try:
        for number, other in enumerate(functions[1:], first):
            if number not in decided and _differs(value, other, truth):
                decided.add(number)
    finally:
        _within[0] = False
    return value


def _differs(value: Any, other: Callable[[], Any], truth: bool) -> bool:
    try:
        found = other()
        if truth:
            return bool(found) != bool(value)
        return found is not value and not (type(found) is type(value) and bool(found == value))
    except Exception:
        return True

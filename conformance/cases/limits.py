"""Limits in the reference's source, and the sides of each that a case reaches: one below it, at it, one above it.

A limit is an integer of at least 2 that a module names in capitals, with a word of limits in its name. While a case
runs, a `Limit` takes the place of the integer: an integer that records what it is compared with, what is divided by it,
and whether it cuts a slice.
"""

import ast
import importlib
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import hybrid_search
from conformance.implementations.python import execute

LIBRARY = Path(hybrid_search.__file__).parent
NAME = re.compile(
    r".*(?:MOST|LARGEST|LONGEST|FEWEST|SHORTEST|SMALLEST|LEAST|DEEPEST|AT_ONCE|BATCH|BLOCK|PIECE|WINDOW|DEPTH|SAMPLE|"
    r"LISTED|MANY|FEW|LAST|SHOWN|SHINGLE|CACHE|KNOWN|LIMIT|IN_CHUNK|MAX|AHEAD|ALWAYS|COMMON|LOOK).*"
)
BELOW, AT, ABOVE, CUT = "below", "at", "above", "cut"
SIDES = {-1: BELOW, 0: AT, 1: ABOVE}


def in_source(folder: Path = LIBRARY) -> dict[str, int]:
    """Return the limits of the library: `folder/module.NAME` → the integer."""
    return {
        f"{path.relative_to(folder).with_suffix('').as_posix()}.{name}": value
        for path in sorted(folder.rglob("*.py"))
        for name, value in _integers(path)
        if NAME.fullmatch(name)
    }


def _integers(path: Path) -> Iterator[tuple[str, int]]:
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
        if not isinstance(node, (ast.Assign, ast.AnnAssign)) or not isinstance(target, ast.Name) or node.value is None:
            continue
        inner = (ast.Constant, ast.BinOp, ast.operator, ast.UnaryOp, ast.unaryop)
        if target.id.isupper() and all(isinstance(one, inner) for one in ast.walk(node.value)):
            value = eval(compile(ast.Expression(node.value), str(path), "eval"))
            if type(value) is int and value >= 2:
                yield target.id, value


class Limit(int):
    """An integer that records on which of its sides other numbers are."""

    sides: set[str]

    def _record(self, other: Any) -> None:
        if isinstance(other, int):
            side = SIDES.get(int(other) - int(self))
            if side is not None:
                self.sides.add(side)

    def __lt__(self, other: Any) -> Any:
        self._record(other)
        return int.__lt__(self, other)

    def __le__(self, other: Any) -> Any:
        self._record(other)
        return int.__le__(self, other)

    def __gt__(self, other: Any) -> Any:
        self._record(other)
        return int.__gt__(self, other)

    def __ge__(self, other: Any) -> Any:
        self._record(other)
        return int.__ge__(self, other)

    def __eq__(self, other: Any) -> Any:
        self._record(other)
        return int.__eq__(self, other)

    def __ne__(self, other: Any) -> Any:
        self._record(other)
        return int.__ne__(self, other)

    def __rfloordiv__(self, other: Any) -> Any:
        self._record(other)
        return int.__rfloordiv__(self, other)

    def __rmod__(self, other: Any) -> Any:
        self._record(other)
        return int.__rmod__(self, other)

    def __index__(self) -> int:
        self.sides.add(CUT)
        return int(self)

    __hash__ = int.__hash__


@contextmanager
def watched(names: Iterator[str] | list[str]) -> Iterator[dict[str, Limit]]:
    """Put limits in the place of integers, in the modules that name them and in those that import them."""
    placed: list[tuple[Any, str, Any]] = []
    limits: dict[str, Limit] = {}
    for full in names:
        module, _, name = full.rpartition(".")
        own = importlib.import_module(f"hybrid_search.{module.replace('/', '.')}")
        value = getattr(own, name)
        limit = limits[full] = Limit(value)
        limit.sides = set()
        for other in [one for key, one in sys.modules.items() if key.startswith("hybrid_search.")]:
            if other is own or (vars(other).get(name) is value and _imports(other, own, name)):
                placed.append((other, name, value))
                setattr(other, name, limit)
    try:
        yield limits
    finally:
        for module_, name, value in placed:
            setattr(module_, name, value)


def _imports(module: Any, own: Any, name: str) -> bool:
    source = Path(module.__file__ or "").read_text(encoding="utf-8")
    return bool(re.search(rf"from {re.escape(own.__name__)} import [^\n]*\b{name}\b", source))


def run(operation: str, params: Any, given: Any) -> None:
    """Run a case, whatever it answers."""
    execute.execute(operation, params, given)

"""Limits in the reference's source, and the sides of each that a case reaches: one below it, at it, one above it.

A limit is an integer of at least 2 that a module names in capitals, with a word of limits in its name. While a case
runs, a `Limit` takes the place of the integer: an integer that records what it is compared with, and what is divided by
it. A limit that only cuts a slice shows in an answer once it is one higher or one lower.
"""

import ast
import importlib
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import hybrid_search
from conformance.cases.fixtures import Case
from conformance.implementations.python import execute

LIBRARY = Path(hybrid_search.__file__).parent
NAME = re.compile(
    r".*(?:MOST|LARGEST|LONGEST|FEWEST|SHORTEST|SMALLEST|LEAST|DEEPEST|AT_ONCE|BATCH|BLOCK|PIECE|WINDOW|DEPTH|SAMPLE|"
    r"LISTED|MANY|FEW|LAST|SHOWN|SHINGLE|CACHE|KNOWN|LIMIT|IN_CHUNK|MAX|AHEAD|ALWAYS|COMMON|LOOK).*"
)
SMALL = 8
"""The largest number that code may compare with, or cut at, without a name."""
CONTRACT = "contract"
"""The folder of documents that judge stores; their numbers are data."""
BOUNDS = ("min", "max", "range")
IN_RUBY = re.compile(
    r"(?<![=<>])(?:[<>]=?|[=!]=) -?([0-9_]+)\b(?!\.[0-9])|(?<=[\w)\]])\[(?:-?[0-9_]+, *|[0-9]*\.\.\.?-?)([0-9_]+)\]"
    r"|\.(?:first|last|take|each_slice|between\?|clamp|min|max)\((?:[\w.]+, *)?([0-9_]+)\)"
    r"|\[([0-9_]+), [\w.@]+\]\.(?:min|max)|\[[\w.@]+, ([0-9_]+)\]\.(?:min|max)"
)
"""A number of Ruby that is compared, or at which something is cut."""
BELOW, AT, ABOVE = "below", "at", "above"
SIDES = {-1: BELOW, 0: AT, 1: ABOVE}


def in_source(folder: Path = LIBRARY) -> dict[str, int]:
    """Return the limits of the library: `folder/module.NAME` → the integer."""
    return {
        f"{path.relative_to(folder).with_suffix('').as_posix()}.{name}": value
        for path in sorted(folder.rglob("*.py"))
        for name, value in _integers(path)
        if NAME.fullmatch(name)
    }


def unnamed(folder: Path = LIBRARY) -> set[str]:
    """Return the numbers without a name that code compares with or cuts at: `folder/module.py: expression`."""
    return {
        f"{path.relative_to(folder).as_posix()}: {ast.unparse(node)}"
        for path in sorted(folder.rglob("*.py"))
        if path.parent.name != CONTRACT
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if any(_is_large(number) for number in _compared(node))
    }


def unnamed_in_ruby(folder: Path) -> set[str]:
    """Return the same of the port: `folder/module.rb: the comparison`."""
    return {
        f"{path.relative_to(folder).as_posix()}: {found[0]}"
        for path in sorted(folder.rglob("*.rb"))
        if path.parent.name != CONTRACT
        for line in path.read_text(encoding="utf-8").splitlines()
        if not line.lstrip().startswith("#")
        for found in IN_RUBY.finditer(line)
        if int(next(group for group in found.groups() if group)) > SMALL
    }


def _compared(node: ast.AST) -> list[ast.expr]:
    """Return the operands of a comparison, of a slice, or of `min`, `max` or `range`."""
    if isinstance(node, ast.Compare):
        return [node.left, *node.comparators]
    if isinstance(node, ast.Slice):
        return [one for one in (node.lower, node.upper, node.step) if one is not None]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in BOUNDS:
        return node.args
    return []


def _is_large(node: ast.expr) -> bool:
    """Return whether an operand is a number above `SMALL`, or is computed with one."""
    inner = ast.walk(node) if isinstance(node, (ast.BinOp, ast.UnaryOp)) else (node,)
    return any(isinstance(one, ast.Constant) and type(one.value) is int and one.value > SMALL for one in inner)


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

    __hash__ = int.__hash__


@contextmanager
def watched(names: Iterable[str]) -> Iterator[dict[str, Limit]]:
    """Put limits in the place of integers, in the modules that name them and in those that import them."""
    limits: dict[str, Limit] = {}
    for name in names:
        limits[name] = Limit(value_of(name))
        limits[name].sides = set()
    with placed(limits):
        yield limits


@contextmanager
def placed(values: Mapping[str, int]) -> Iterator[None]:
    """Put other integers in the place of limits for as long as the block lasts."""
    before: list[tuple[Any, str, int]] = []
    owners = [_module(full) for full in values]
    try:
        for own in owners:
            _forget(own)
        for full, value in values.items():
            own, name = _module(full), full.rpartition(".")[2]
            original = getattr(own, name)
            for module in [one for key, one in sys.modules.items() if key.startswith("hybrid_search.")]:
                if module is own or (vars(module).get(name) is original and _imports(module, own, name)):
                    before.append((module, name, original))
                    setattr(module, name, value)
        yield
    finally:
        for module, name, original in before:
            setattr(module, name, original)
        for own in owners:
            _forget(own)


def value_of(full: str) -> int:
    """Return the integer of a limit."""
    value: int = getattr(_module(full), full.rpartition(".")[2])
    return value


def answer(case: Case) -> Any:
    """Return what the reference answers to a case, or its error."""
    outcome = execute.execute(case.operation, case.params, case.input)
    return outcome.get("value", outcome.get("error"))


def counts(value: Any) -> set[int]:
    """Return the integers in an encoded value, the lengths of its lists and texts, and the words of its texts."""
    found: set[int] = set()
    if isinstance(value, bool) or value is None:
        return found
    if isinstance(value, int):
        found.add(value)
    elif isinstance(value, str):
        found |= {len(value), len(value.split())}
    elif isinstance(value, list):
        found.add(len(value))
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        found |= counts(item)
    return found


def _module(full: str) -> Any:
    return importlib.import_module(f"hybrid_search.{full.rpartition('.')[0].replace('/', '.')}")


def _forget(module: Any) -> None:
    """Empty the caches of a module's functions, such as a pattern that was made with a limit."""
    for function in vars(module).values():
        if getattr(function, "__module__", None) == module.__name__ and hasattr(function, "cache_clear"):
            function.cache_clear()


def _imports(module: Any, own: Any, name: str) -> bool:
    source = Path(module.__file__ or "").read_text(encoding="utf-8")
    return bool(re.search(rf"from {re.escape(own.__name__)} import [^\n]*\b{name}\b", source))

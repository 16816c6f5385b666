"""What the inputs of an operation look like, learned from its cases: so that drawn ones keep to its contract.

A *path* is a tuple of keys, with `*` for any place in a list. At each path the values are known that some case has
there. No object is left with fewer keys than some case has at its path, a kind of value that was never there is never
put there, nor are bytes that are no UTF-8; a text that only ever was a plain name (of a file, a class, a normalizer) is
only replaced by another of these names; and lists in lists that are all of one small length, as pairs of an id and a
score, keep it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from conformance.cases.fixtures import Case
from conformance.fuzz import scripts
from conformance.wire.values import is_float

Path = tuple[str, ...]
"""Keys from the root; `*` for a place in a list."""

Place = tuple[Any, ...]
"""Keys and indices from the root of one value."""

NAME = re.compile(r"[A-Za-z0-9_.:/-]{0,40}")
KINDS = {bool: "boolean", int: "integer", str: "text", list: "list", type(None): "null"}
WRITTEN = {("utf8",): "text", ("integer",): "integer", ("entries",): "entries"}
"""What an object of one of these keys stands for."""
MOST_SAMPLES = 60
LONGEST_ROW = 4
"""Items of a list that may stand for a pair or a triple."""


@dataclass
class Spot:
    """What is known of one path.

    Attributes:
        samples: some values seen there.
        keys: the sets of keys that objects there have.
        only_names: whether every text there is a plain name.
        bytes_too: whether some text there is no valid UTF-8.
    """

    samples: list[Any] = field(default_factory=list)
    keys: set[frozenset[str]] = field(default_factory=set)
    only_names: bool = True
    bytes_too: bool = False


class Shapes:
    """The paths of one operation's cases.

    Args:
        cases: all of one operation.
        excluded: patterns of paths that are not changed.

    Attributes:
        cases: all of them.
        steps: those of all scripts among them.
    """

    def __init__(self, cases: list[Case], excluded: list[str] | None = None) -> None:
        self.cases = cases
        self._excluded = excluded or []
        self._spots: dict[Path, Spot] = {}
        whole = [case.input for case in cases if scripts.is_script(case.input)]
        self.steps = [step for given in whole for step in scripts.packed(given)[scripts.STEPS]]
        self._rows = self._find_rows()
        for case in cases:
            self._learn(root(case), (), ())

    def spot(self, place: Place) -> Spot:
        """What is known of the path of a place."""
        return self._spots.get(self._path(place)) or Spot()

    def is_row(self, place: Place) -> bool:
        """Whether the lists there always have the same few items, as an id and a score, and stand in lists."""
        return path_of(place) in self._rows

    def changeable(self, place: Place) -> bool:
        """Whether the value of a place may be changed."""
        shown = "/".join(map(str, place))
        return not any(fnmatchcase(shown, pattern) for pattern in self._excluded)

    def _path(self, place: Place) -> Path:
        """The path of a place; in rows each item has one of its own."""
        path = list(path_of(place))
        for end, key in enumerate(place):
            if isinstance(key, int) and path_of(place[:end]) in self._rows:
                path[end] = str(key)
        return tuple(path)

    def _find_rows(self) -> set[Path]:
        lengths: dict[Path, set[int]] = {}
        for case in self.cases:
            _measure(root(case), (), lengths)
        return {path for path, found in lengths.items() if len(found) == 1 and 1 < max(found) <= LONGEST_ROW}

    def _learn(self, value: Any, general: Path, path: Path) -> None:
        """Take note of a value and of all inside it: `path` is `general` with the places in rows."""
        spot = self._spots.setdefault(path, Spot())
        if len(spot.samples) < MOST_SAMPLES and value not in spot.samples:
            spot.samples.append(value)
        found = kind(value)
        if found == "object":
            spot.keys.add(frozenset(value))
            for key in sorted(value):
                self._learn(value[key], (*general, key), (*path, key))
        elif found == "list":
            general_item, item_path = (*general, "*"), (*path, "*")
            in_row = general in self._rows
            for index, item in enumerate(value):
                self._learn(item, general_item, (*path, str(index)) if in_row else item_path)
        elif found == "text":
            spot.only_names = spot.only_names and isinstance(value, str) and bool(NAME.fullmatch(value))
            spot.bytes_too = spot.bytes_too or not isinstance(value, str)


def root(case: Case) -> dict[str, Any]:
    """The params and the input of a case, as one encoded value; scripts as they are drawn."""
    return {"params": case.params, "input": scripts.packed(case.input)}


def _measure(value: Any, path: Path, lengths: dict[Path, set[int]]) -> None:
    """Add the lengths of all lists in lists inside a value, by their paths."""
    found = kind(value)
    if found == "list":
        if path[-1:] == ("*",):
            lengths.setdefault(path, set()).add(len(value))
        inner = (*path, "*")
        for item in value:
            _measure(item, inner, lengths)
    elif found == "object":
        for key in value:
            _measure(value[key], (*path, key), lengths)


def kind(value: Any) -> str:
    """What kind of value an encoded one is."""
    if isinstance(value, dict):
        return "float" if is_float(value) else WRITTEN.get(tuple(value), "object")
    return KINDS[type(value)]


def walk(value: Any, place: Place = ()) -> Iterator[tuple[Place, Any]]:
    """Every value inside an encoded one, with its place; the whole comes first."""
    yield place, value
    found = kind(value)
    if found == "list":
        for index, item in enumerate(value):
            yield from walk(item, (*place, index))
    elif found == "object":
        for key in sorted(value):
            yield from walk(value[key], (*place, key))


def path_of(place: Place) -> Path:
    """The path of a place."""
    return tuple("*" if isinstance(key, int) else key for key in place)

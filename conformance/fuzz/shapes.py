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
            for place, value in walk(root(case)):
                self._learn(self._path(place), value)

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
            for place, value in walk(root(case)):
                if kind(value) == "list" and isinstance(place[-1], int):
                    lengths.setdefault(path_of(place), set()).add(len(value))
        return {path for path, found in lengths.items() if len(found) == 1 and 1 < max(found) <= LONGEST_ROW}

    def _learn(self, path: Path, value: Any) -> None:
        spot = self._spots.setdefault(path, Spot())
        if len(spot.samples) < MOST_SAMPLES and value not in spot.samples:
            spot.samples.append(value)
        if kind(value) == "object":
            spot.keys.add(frozenset(value))
        elif kind(value) == "text":
            spot.only_names = spot.only_names and isinstance(value, str) and bool(NAME.fullmatch(value))
            spot.bytes_too = spot.bytes_too or not isinstance(value, str)


def root(case: Case) -> dict[str, Any]:
    """The params and the input of a case, as one encoded value; scripts as they are drawn."""
    return {"params": case.params, "input": scripts.packed(case.input)}


def kind(value: Any) -> str:
    """What kind of value an encoded one is."""
    if is_float(value):
        return "float"
    if isinstance(value, dict):
        keys = value.keys()
        return {("utf8",): "text", ("integer",): "integer", ("entries",): "entries"}.get(tuple(keys), "object")
    if isinstance(value, bool):
        return "boolean"
    return {int: "integer", str: "text", list: "list", type(None): "null"}[type(value)]


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

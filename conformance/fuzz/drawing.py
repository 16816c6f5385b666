"""Draws a case: one that people wrote, changed in a few places; the fewer and the simpler the changes, the smaller.

Some are made as large as a limit, or get a threshold that a score exactly hits; of scripts, half are arranged anew,
and of those of searches some are drawn whole, see `walks`.
"""

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from conformance.cases.fixtures import Case
from conformance.fuzz import limits, scripts, values, walks
from conformance.fuzz.limits import at
from conformance.fuzz.shapes import Place, Shapes, kind, root, walk
from conformance.implementations.python import codec

MOST_CHANGES = 5
KINDS = ("changed", "sequence", "size", "threshold", "walk")
CHANGED, SEQUENCE, SIZE, THRESHOLD, WALK = KINDS
OFTEN = (CHANGED,) * 6 + (SIZE, THRESHOLD)
OFTEN_OF_SCRIPTS = (CHANGED,) * 3 + (SEQUENCE,) * 4 + (SIZE, THRESHOLD)
OFTEN_OF_WALKS = (*OFTEN_OF_SCRIPTS, *(WALK,) * 4)
Draw = Callable[[st.SearchStrategy[Any]], Any]


@dataclass(frozen=True)
class Drawn:
    """A drawn case: its operation, the case it was made from, encoded params and input, how often it was changed.

    The last is one of `KINDS`, how it was changed.
    """

    operation: str
    base: Case
    params: Any
    input: Any
    changes: int
    kind: str


def cases(shapes: dict[str, Shapes], weights: dict[str, int]) -> st.SearchStrategy[Drawn]:
    """Drawn cases of these operations.

    Args:
        shapes: operation → what its inputs look like.
        weights: operation → how often it is drawn in comparison with others.
    """
    names = [name for name in sorted(shapes) for _ in range(weights.get(name, 1))]

    @st.composite
    def drawn(draw: Draw) -> Drawn:
        name = draw(st.sampled_from(names))
        own = shapes[name]
        base = draw(st.sampled_from(own.cases))
        tree = copy.deepcopy(root(base))
        often = OFTEN_OF_WALKS if name == walks.OPERATION else OFTEN_OF_SCRIPTS
        way = draw(st.sampled_from(often if scripts.is_script(base.input) else OFTEN))
        if way == WALK:
            params, given = walks.drawn(lambda choices: draw(st.sampled_from(choices)))
            return Drawn(name, base, codec.encode(params), codec.encode(given), 1, way)
        count = 1
        if way == SEQUENCE:
            count = _sequence(draw, tree, own)
        elif not (
            (way == SIZE and limits.grow(draw, tree, own)) or (way == THRESHOLD and limits.hit(draw, tree, own, base))
        ):
            way, count = CHANGED, draw(st.integers(0, MOST_CHANGES))
            for _ in range(count):
                _change(draw, tree, own)
        return Drawn(name, base, tree["params"], scripts.unpacked(tree["input"]), count, way)

    return drawn()


def _sequence(draw: Draw, tree: dict[str, Any], shapes: Shapes) -> int:
    def vary(step: int) -> None:
        _change(draw, tree, shapes, ("input", scripts.STEPS, step))

    return scripts.sequence(draw, tree["input"][scripts.STEPS], shapes.steps, vary)


def _change(draw: Draw, tree: dict[str, Any], shapes: Shapes, above: Place = ()) -> None:
    """Change the tree in one place below params or input, or not at all where nothing can be changed.

    Args:
        draw: draws.
        tree: params and input.
        shapes: what they look like.
        above: what the place is below; empty: anything.
    """
    below = (place for place, _ in walk(tree) if len(place) > 1 or (place == ("input",) and not _is_record(tree)))
    places = [place for place in below if place[: len(above)] == above and shapes.changeable(place)]
    if not places:
        return
    place = draw(st.sampled_from(places))
    parent = at(tree, place[:-1])
    way = draw(st.sampled_from((_another_sample, _another_value, _another_value, _around)))
    way(draw, parent, place, shapes)


def _is_record(tree: dict[str, Any]) -> bool:
    return kind(tree["input"]) == "object"


def _another_sample(draw: Draw, parent: Any, place: Place, shapes: Shapes) -> None:
    """What another case has in this place."""
    samples = shapes.spot(place).samples
    if samples:
        parent[place[-1]] = copy.deepcopy(draw(st.sampled_from(samples)))


def _another_value(draw: Draw, parent: Any, place: Place, shapes: Shapes) -> None:
    """Another value of the same kind."""
    key, spot = place[-1], shapes.spot(place)
    found = kind(parent[key])
    if found == "text" and not spot.only_names:
        parent[key] = _another_text(draw, parent[key], spot.bytes_too)
    elif found == "float":
        parent[key] = draw(st.one_of(values.floats(), st.sampled_from((1, -1, 2, -2)).map(_nudge(parent[key]))))
    elif found == "integer" and isinstance(parent[key], int):
        number = parent[key]
        nearby = st.sampled_from((1, -1)).map(lambda step: codec.encode(number + step))
        parent[key] = draw(st.one_of(nearby, values.integers()) if number < values.INTEGERS[-1] else nearby)
    elif found == "boolean":
        parent[key] = not parent[key]
    elif found in ("list", "object") and not shapes.is_row(place):
        _another_arrangement(draw, parent[key], spot.keys)


def _nudge(value: Any) -> Callable[[int], Any]:
    return lambda steps: values.nudged(value, steps)


def _another_text(draw: Draw, text: Any, bytes_too: bool) -> Any:
    """A new text, or the old one with a piece put in, taken out or doubled."""
    if not isinstance(text, str) or not text:
        return draw(values.texts(bytes_too))
    way = draw(st.sampled_from(("insert", "cut", "double", "new")))
    first = draw(st.integers(0, len(text)))
    if way == "insert":
        piece = draw(values.texts(bytes_too))
        return text[:first] + piece + text[first:] if isinstance(piece, str) else piece
    last = min(first + draw(st.integers(0, 12)), len(text))
    if way == "cut":
        return text[:first] + text[last:]
    return text[:last] + text[first:] if way == "double" else draw(values.texts(bytes_too))


def _another_arrangement(draw: Draw, value: Any, keys: set[frozenset[str]]) -> None:
    """A list or an object with one entry taken away, doubled or moved."""
    if isinstance(value, dict):
        spare = [key for key in sorted(value) if any(some <= value.keys() - {key} for some in keys)]
        if spare:
            del value[draw(st.sampled_from(spare))]
        return
    if not value:
        return
    one, other = (draw(st.integers(0, len(value) - 1)) for _ in range(2))
    way = draw(st.sampled_from(("remove", "double", "swap", "reverse")))
    if way == "remove":
        del value[one]
    elif way == "double":
        value.insert(other, copy.deepcopy(value[one]))
    elif way == "swap":
        value[one], value[other] = value[other], value[one]
    else:
        value.reverse()


def _around(draw: Draw, parent: Any, place: Place, shapes: Shapes) -> None:
    """The value of a neighbour: ties, repeated ids."""
    if isinstance(parent, list):
        if not shapes.is_row(place[:-1]):
            parent[place[-1]] = copy.deepcopy(draw(st.sampled_from(parent)))
    else:
        _another_sample(draw, parent, place, shapes)

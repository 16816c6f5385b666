"""Sizes around the limits of fast ways, keys that are alike at both ends, and thresholds that a score exactly hits."""

import copy
import re
from collections.abc import Callable, Iterator
from typing import Any

from hypothesis import strategies as st

from conformance.cases.fixtures import Case
from conformance.fuzz import scripts, values
from conformance.fuzz.shapes import Place, Shapes, kind, walk
from conformance.wire.values import is_float

SIZES = (63, 64, 65, 127, 128, 129, 255, 256, 257)
LARGE = (1023, 1024, 1025)
"""Drawn more seldom."""
LARGEST_ITEM = 600
"""Values in an item of which a list may be made large."""
NAMES = ("id", "doc_id", "chunk_id")
"""Keys whose values tell the objects of a list apart."""
THRESHOLD = re.compile(r".*threshold|similarity|min_.*|minimum_.*")
"""Options that a score is compared with."""

Draw = Callable[[st.SearchStrategy[Any]], Any]


def grow(draw: Draw, tree: dict[str, Any], shapes: Shapes) -> bool:
    """Make one list as long as a limit, or one longer or shorter; whether there was one that can be."""
    places = [place for place, value in walk(tree) if _grows(place, value, shapes)]
    if not places:
        return False
    grown: list[Any] = at(tree, draw(st.sampled_from(places)))
    size = draw(st.one_of(st.sampled_from(SIZES), st.sampled_from(SIZES + LARGE)))
    told_apart = _told_apart(grown)
    key = draw(st.sampled_from(("{}", "abcdefgh-{}-ijklmnop")))
    first = draw(st.integers(0, len(grown) - 1))
    samples = copy.deepcopy(grown)
    for number in range(len(grown), size):
        item = copy.deepcopy(samples[(first + number) % len(samples)])
        grown.append(_named(item, key.format(number)) if told_apart else item)
    del grown[size:]
    return True


def _grows(place: Place, value: Any, shapes: Shapes) -> bool:
    if kind(value) != "list" or not value or place[-1] == scripts.STEPS or shapes.is_row(place):
        return False
    if is_float(value[0]) and len(place) > 2:
        return False
    return shapes.changeable(place) and all(sum(1 for _ in walk(item)) <= LARGEST_ITEM for item in value)


def _told_apart(items: list[Any]) -> bool:
    """Whether no two items have one name, as documents and rows of a ranking."""
    names = [_name(item) for item in items]
    return None not in names and len(set(names)) == len(names)


def _name(item: Any) -> str | None:
    if kind(item) == "object":
        item = next((item[name] for name in NAMES if name in item), None)
    elif kind(item) == "list" and item:
        item = item[0]
    return item if isinstance(item, str) else None


def _named(item: Any, name: str) -> Any:
    if isinstance(item, str):
        return name
    item[next(key for key in NAMES if key in item) if isinstance(item, dict) else 0] = name
    return item


def hit(draw: Draw, tree: dict[str, Any], shapes: Shapes, base: Case) -> bool:
    """Put a score of the expected answer in the place of a threshold, or one next to it; whether there was a place."""
    places = [
        (place, scores)
        for place in sorted(_thresholds(tree, shapes), key=str)
        if (scores := _scores(base, place)) and shapes.changeable(place)
    ]
    if not places:
        return False
    place, scores = draw(st.sampled_from(places))
    score = values.nudged(draw(st.sampled_from(scores)), draw(st.sampled_from((0, 0, 1, -1))))
    step = place[:3]
    if step[:2] == ("input", scripts.STEPS):
        steps = tree["input"][scripts.STEPS]
        steps.insert(step[2] + 1, copy.deepcopy(steps[step[2]]))
        place = (*step[:2], step[2] + 1, *place[3:])
    above = at(tree, place[:-2])
    if isinstance(above, dict):
        above.setdefault(place[-2], {})
    at(tree, place[:-1])[place[-1]] = score
    return True


def _thresholds(tree: Any, shapes: Shapes) -> Iterator[Place]:
    """Where thresholds are, or may be, as they are in other cases, be it in an object that is not there yet."""
    for place, value in walk(tree):
        if kind(value) != "object" or _is_step(place):
            continue
        for key in set(value).union(*shapes.spot(place).keys):
            inner = (*place, key)
            if THRESHOLD.fullmatch(key) and not _is_other(value.get(key)):
                yield inner
            elif key not in value:
                names = set[str]().union(*shapes.spot(inner).keys)
                yield from ((*inner, name) for name in names if THRESHOLD.fullmatch(name))


def _is_step(place: Place) -> bool:
    return len(place) == 3 and place[:2] == ("input", scripts.STEPS)


def _is_other(value: Any) -> bool:
    return kind(value) not in ("float", "integer", "null")


def _scores(base: Case, place: Place) -> list[Any]:
    """The floats of what is expected; of what is expected of a step, where the place is in one."""
    answer = base.expect.get("value")
    if place[:2] == ("input", scripts.STEPS):
        steps = base.input[scripts.STEPS]
        answer = answer[place[2]] if isinstance(answer, list) and len(answer) == len(steps) else None
    found = {value["bits"]: value for _, value in walk(answer) if is_float(value)}
    return [found[bits] for bits in sorted(found)]


def at(tree: Any, place: Place) -> Any:
    """The value of a place."""
    for key in place:
        tree = tree[key]
    return tree

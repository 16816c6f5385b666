"""Each part of each compound condition of the reference is noticed by a case, excused, or known as open (CNF-19)."""

import builtins
from typing import Any

import pytest

from conformance.conditions import lists, parts, switching
from conformance.conditions.lists import Excuse, Lists

MOST_OPEN = 178
"""The maximum number of parts without a case and without an excuse. It may only fall."""

SOURCE = """
def both(a, b):
    return bool(a and b)

def either(a, b):
    return a or b

def between(a, b):
    return 0 < a < b

def clamped(a, b):
    return min(a, b)

def some(a, b):
    return any(one for one in (a, b))

def one_of(a, b):
    return a in (1, 2)

def of_type(a, b):
    return isinstance(a, (int, str))

def filtered(a, b):
    return [one for one in (a, b) if one if one > 1]
"""


def run(function: str, place: int, *arguments: Any) -> Any:
    """Return the result of a function of the source without one of its parts."""
    own = [number for number, part in enumerate(parts.find(SOURCE, "x.py")) if part.inside == function]
    namespace: dict[str, Any] = {}
    setattr(builtins, parts.ACTIVE, switching.NOTHING if place < 0 else own[place])
    exec(compile(parts.switched(SOURCE, "x.py", 0, record=False), "x.py", "exec"), namespace)
    return namespace[function](*arguments)


@pytest.mark.parametrize(
    ("function", "arguments", "whole", "without"),
    [
        ("both", (1, 0), False, (False, True)),
        ("both", (0, 1), False, (True, False)),
        ("either", (0, 3), 3, (3, 0)),
        ("between", (5, 3), False, (False, True)),
        ("between", (-1, 3), False, (True, False)),
        ("clamped", (1, 2), 1, (2, 1)),
        ("some", (0, 1), True, (False,)),
        ("one_of", (2, 0), True, (True, False)),
        ("of_type", ("x", 0), True, (True, False)),
        ("filtered", (0, 1), [], ([], [1])),
    ],
)
def test_a_function_returns_the_expected_values_without_each_part(
    function: str, arguments: tuple[Any, ...], whole: Any, without: tuple[Any, ...]
) -> None:
    assert run(function, -1, *arguments) == whole
    assert tuple(run(function, place, *arguments) for place in range(len(without))) == without


def test_the_parts_that_decide_are_recorded() -> None:
    namespace: dict[str, Any] = {}
    setattr(builtins, parts.RECORD, switching.recorder)
    exec(compile(parts.switched(SOURCE, "x.py", 0, record=True), "x.py", "exec"), namespace)
    switching.decided.clear()
    assert namespace["both"](1, 0) is False
    found = parts.find(SOURCE, "x.py")
    assert [found[number].part for number in switching.decided] == ["b"]


def test_a_part_keeps_its_name_when_lines_move() -> None:
    names = [part.name for part in parts.find(SOURCE, "x.py")]
    assert names == [part.name for part in parts.find(f"\n\n{SOURCE}", "x.py")]
    assert len(set(names)) == len(names) == 15


def test_every_part_is_listed() -> None:
    known = lists.load()
    assert known.problems(switching.all_parts()) == []
    assert len(known.open) <= MOST_OPEN


def test_a_part_that_is_not_listed_is_refused() -> None:
    found = parts.find(SOURCE, "x.py")
    first, second, third, *rest = found
    known = Lists({first.name: "a.b.c.001"}, [Excuse("as it is only an example", (), ("x.py:either",), ())], [])
    lines = known.problems([first, second, third])
    assert len(lines) == 1
    assert "x.py:3: no case shows that `b` decides in `a and b`" in lines[0]
    assert rest
    gone = Lists({rest[0].name: "a.b.c.001"}, [Excuse("as it is only an example", (), ("y.py:f",), ())], [rest[1].name])
    assert [line.partition(":")[0] for line in gone.problems([])] == [lists.NOTICED, lists.OPEN, lists.EXCUSED]

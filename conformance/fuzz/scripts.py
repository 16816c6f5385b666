"""Scripts, the inputs whose `steps` are calls on one object, and how several of an operation become one.

While a case is drawn, a step `[method, argument, …]` is an object `{method: {"1": argument, …}}`: so what is learned of
an argument is learned of that method's, and an argument is taken away only where some case leaves it out.
"""

import copy
from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

STEPS = "steps"
LONGEST = 40
"""Steps of a drawn script."""
MOST_TURNS = 8
WAYS = ("again", "vary", "borrow", "vary", "move", "remove", "everything")

Draw = Callable[[st.SearchStrategy[Any]], Any]
Vary = Callable[[int], None]
"""Changes the step of a number in one place."""


def is_script(given: Any) -> bool:
    """Whether an input is a script."""
    return isinstance(given, dict) and isinstance(given.get(STEPS), list)


def packed(given: Any) -> Any:
    """An input as it is drawn."""
    return {**given, STEPS: [_packed(step) for step in given[STEPS]]} if is_script(given) else given


def unpacked(given: Any) -> Any:
    """An input as it is asked."""
    return {**given, STEPS: [_unpacked(step) for step in given[STEPS]]} if is_script(given) else given


def _packed(step: Any) -> Any:
    if not isinstance(step, list):
        return step
    method = next((place for place, item in enumerate(step) if isinstance(item, str)), None)
    if method is None:
        return step
    return {step[method]: {str(place): item for place, item in enumerate(step) if place != method}}


def _unpacked(step: Any) -> Any:
    if not (isinstance(step, dict) and len(step) == 1):
        return step
    ((method, arguments),) = step.items()
    if not (isinstance(arguments, dict) and all(key.isdecimal() for key in arguments)):
        return step
    parts = {int(key): value for key, value in arguments.items()}
    at = next(place for place in range(len(parts) + 1) if place not in parts)
    first = [*(parts[place] for place in range(at)), method]
    return first + [parts[place] for place in range(at + 1, len(parts) + 1) if place in parts]


def sequence(draw: Draw, steps: list[Any], others: list[Any], vary: Vary) -> int:
    """Turn a script into another on the same object: steps asked again, varied, moved, left out, or from elsewhere.

    Args:
        draw: draws.
        steps: of the script, which is changed.
        others: steps of all scripts of the operation.
        vary: changes one step.

    Returns:
        How many turns were taken.
    """
    turns: int = draw(st.integers(1, MOST_TURNS))
    for _ in range(turns):
        _turn(draw, steps, others, vary)
    del steps[LONGEST:]
    return turns


def _turn(draw: Draw, steps: list[Any], others: list[Any], vary: Vary) -> None:
    way = draw(st.sampled_from(WAYS)) if steps else "borrow"
    one = draw(st.integers(0, max(len(steps) - 1, 0)))
    other = draw(st.integers(0, len(steps)))
    if way == "borrow":
        steps.insert(other, copy.deepcopy(draw(st.sampled_from(others))))
    elif way == "move":
        steps.insert(other, steps.pop(one))
    elif way == "remove":
        del steps[one]
    elif way == "everything":
        steps.extend(copy.deepcopy(steps))
    else:
        later = max(one + 1, other)
        steps.insert(later, copy.deepcopy(steps[one]))
        if way == "vary":
            vary(later)

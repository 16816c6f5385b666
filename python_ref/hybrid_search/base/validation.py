"""Checks arguments where they enter the library (NUM-4, UNI-2, ERR-1).

Every check returns the accepted value in its plain form, or raises an `InvalidInputError` that names the argument,
shows the value, and states the accepted values. The messages are the same in both languages.
"""

import contextlib
import functools
import inspect
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from typing import Any, ParamSpec, TypeVar

import numpy as np

from hybrid_search.base import data_table, numeric
from hybrid_search.errors import DimensionMismatchError, HybridSearchError, InvalidInputError

_Accepted = tuple[Sequence[str], Sequence[str], Sequence[str], Mapping[str, None]]
Given = ParamSpec("Given")
Returned = TypeVar("Returned")
SHOWN_CHARACTERS = 60
SAFE_COMPONENT = 1e150
"""The largest component for which vectors of up to 10^8 components have a squared norm that does not overflow."""
SHOWN_BITS = 200
"""Larger integers are described by their size, so that no interpreter has to write thousands of digits."""
OTHER_TYPE = "a value of the type"
"""The description of a value for which messages have no other word."""
MESSAGE_CHARACTERS = 200
"""The maximum length of another library's error message; the rest is cut."""


def describe(value: Any) -> str:
    """Return a value as messages show it: like JSON, long texts cut, lists and objects by their size."""
    if value is None:
        return "null"
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (int, np.integer)):
        bits = int(value).bit_length()
        return str(int(value)) if bits <= SHOWN_BITS else f"an integer of {bits} bits"
    if isinstance(value, (float, np.floating)):
        return numeric.shortest(float(value))
    if isinstance(value, str):
        return json.dumps(_cut(_replace_invalid(value), SHOWN_CHARACTERS), ensure_ascii=False)
    if isinstance(value, Mapping):
        return f"an object of {len(value)}"
    if isinstance(value, np.ndarray) and value.ndim == 0:
        return describe(value.item())
    if isinstance(value, (list, tuple, np.ndarray)):
        return f"a list of {len(value)}"
    if isinstance(value, type):
        return f"the class {_cut(value.__qualname__, MESSAGE_CHARACTERS)}"
    return f"{OTHER_TYPE} {_cut(_type_name(type(value)), MESSAGE_CHARACTERS)}"


def is_foreign(value: Any) -> bool:
    """Return whether messages can describe a value only by its type."""
    return describe(value).startswith(OTHER_TYPE)


def member(name: str, key: str) -> str:
    """Return the name of a member of an object; a long key is cut."""
    return f"{name}.{key}" if len(key) <= SHOWN_CHARACTERS else f"{name}.{_cut(key, SHOWN_CHARACTERS)}"


def fail(name: str, value: Any, accepted: str, error: type[HybridSearchError] = InvalidInputError) -> HybridSearchError:
    """Return the error for an argument that is not accepted."""
    return error(f"{name} must be {accepted}, not {describe(value)}")


def plain_message(error: BaseException) -> str:
    """Return the readable message of another library's error: its first line, cut, or the name of its class.

    An object that is the error's only argument is described by its type, since its `repr` may contain anything.
    """
    shown = _replace_invalid(_own_words(error))
    line = next((line for line in (one.strip(" \t\r") for one in shown.split("\n")) if line), type(error).__name__)
    return _cut(line, MESSAGE_CHARACTERS)


def foreign_error(error: BaseException) -> str:
    """Return the class and the message of an error that a user's own object raised: "KeyError: 'red'"."""
    name, message = type(error).__name__, plain_message(error)
    return name if message == name else f"{name}: {message}"


def text(name: str, value: Any) -> str:
    """Return a text of valid Unicode (UNI-2): lone surrogates are refused, NUL is allowed."""
    if not isinstance(value, str):
        raise fail(name, value, "a text")
    if not value.isascii():
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            raise InvalidInputError(f"{name} is not valid UTF-8 text") from None
    return value


def texts(name: str, value: Any) -> list[str]:
    """Return a list of texts."""
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise fail(name, value, "a list of texts")
    try:
        "".join(value).encode("utf-8")  # all at once; the texts are checked one by one only to name the wrong one
    except (TypeError, UnicodeEncodeError):
        return [text(f"{name}[{index}]", item) for index, item in enumerate(value)]
    return list(value)


def integer(name: str, value: Any, minimum: int | None = None, maximum: int | None = None) -> int:
    """Return an integer within bounds, both inclusive; booleans and floats are refused."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
        within = False
    else:
        within = not ((minimum is not None and value < minimum) or (maximum is not None and value > maximum))
    if within:
        return int(value)
    raise fail(name, value, "an integer" + _bounds(minimum, maximum))


def number(name: str, value: Any, minimum: float | None = None, maximum: float | None = None) -> float:
    """Return a finite number within bounds, both inclusive, as a float; booleans are refused."""
    result = math.nan
    if numeric.is_number(value):
        with contextlib.suppress(OverflowError):
            result = float(value)
    too_low, too_high = minimum is not None and result < minimum, maximum is not None and result > maximum
    if too_low or too_high or not math.isfinite(result):
        raise fail(name, value, "a finite number" + _bounds(minimum, maximum))
    return result


def boolean(name: str, value: Any) -> bool:
    """Return true or false; values that merely count as one are refused."""
    if not isinstance(value, (bool, np.bool_)):
        raise fail(name, value, "true or false")
    return bool(value)


def choice(name: str, value: Any, choices: Sequence[str]) -> str:
    """Return one of a few texts."""
    if not isinstance(value, str) or value not in choices:
        raise fail(name, value, "one of " + ", ".join(choices))
    return value


def mapping(name: str, value: Any) -> Mapping[str, Any]:
    """Return an object whose keys are texts."""
    if not isinstance(value, Mapping):
        raise fail(name, value, "an object")
    for key in value:
        text(f"a key of {name}", key)
    return value


def vector(
    name: str, value: Any, dimension: int | None = None, error: type[HybridSearchError] = InvalidInputError
) -> list[float]:
    """Return a one-dimensional list of finite numbers, not empty, whose squared norm does not overflow (NUM-4).

    A wrong length is a `DimensionMismatchError` if `dimension` is given. A zero vector is accepted here.
    """
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if not isinstance(value, (list, tuple)):
        raise fail(name, value, "a list of finite numbers", error)
    if not value:
        raise error(f"{name} must not be empty")
    components = _components(name, value, error)
    if not -SAFE_COMPONENT <= min(components) <= max(components) <= SAFE_COMPONENT and not math.isfinite(
        numeric.dot(components, components)
    ):
        raise error(f"{name} is too long: its squared norm overflows")
    if dimension is not None and len(components) != dimension:
        raise DimensionMismatchError(f"{name} must have {dimension} components, not {len(components)}")
    return components


def known(what: str, given: Iterable[Any], accepted: Sequence[str], advice: str = "") -> None:
    """Refuse names that are not in `accepted`, and suggest the nearest accepted one.

    Args:
        what: the kind of name, for the message: "option", "document field" …
        given: the names to check.
        accepted: the known names, in the order in which the message lists them.
        advice: advice for the end of the message.
    """
    for name in given:
        if isinstance(name, str) and name in accepted:
            continue
        shown = _replace_invalid(name) if isinstance(name, str) else describe(name)
        hint = nearest(shown, accepted)
        suggestion = f"; did you mean {describe(hint)}?" if hint else "."
        raise InvalidInputError(f"unknown {what} {describe(shown)}{suggestion} Known: {', '.join(accepted)}{advice}")


def checked(method: Callable[Given, Returned]) -> Callable[Given, Returned]:
    """Return a method that refuses arguments for which it has no parameter."""
    return _checked(method, None)


def known_options(accepted: Sequence[str]) -> Callable[[Callable[Given, Returned]], Callable[Given, Returned]]:
    """Return a decorator for a function that refuses options not in `accepted`, and suggests the nearest one."""

    def decorate(function: Callable[Given, Returned]) -> Callable[Given, Returned]:
        @functools.cache
        def parameters() -> Set[str]:  # found when it is first called, as for `checked`
            return inspect.signature(function).parameters.keys()

        @functools.wraps(function)
        def call(*given: Given.args, **named: Given.kwargs) -> Returned:
            names = parameters()
            if not named.keys() <= names:
                known("option", [name for name in named if name not in names], accepted)
            return function(*given, **named)

        return call

    return decorate


def taking(options: Sequence[str]) -> Callable[[Callable[Given, Returned]], Callable[Given, Returned]]:
    """Return a decorator like `checked`, for a method that takes `options` by name that are not in its signature."""
    return lambda method: _checked(method, options)


def nearest(name: str, candidates: Sequence[str]) -> str | None:
    """Return the candidate that was probably meant (ERR-1).

    That is the candidate with the fewest edits to `name`, and the first of equal ones. It is `None` if every candidate
    needs more edits than a third of its length. If the best one needs more than one edit, or `name` is one letter, a
    name from the table of other libraries' words, `data/habits.json`, has priority.
    """
    best: str | None = None
    best_distance = max(1, len(name) // 3) + 1
    for candidate in candidates:
        if abs(len(name) - len(candidate)) >= best_distance:
            continue
        distance = edit_distance(name, candidate)
        if distance < best_distance:
            best, best_distance = candidate, distance
    if best_distance > 1 or len(name) == 1:
        habits: Sequence[str] = data_table.read("habits.json").get(name, ())
        return next((habit for habit in habits if habit in candidates), best)
    return best


def edit_distance(left: str, right: str) -> int:
    """Return the Levenshtein distance of two texts, by code points."""
    previous = list(range(len(right) + 1))
    for row, a in enumerate(left, start=1):
        current = [row]
        for column, b in enumerate(right, start=1):
            current.append(min(previous[column] + 1, current[-1] + 1, previous[column - 1] + (a != b)))
        previous = current
    return previous[-1]


def _checked(method: Callable[Given, Returned], options: Sequence[str] | None) -> Callable[Given, Returned]:
    @functools.cache
    def accepted_arguments() -> _Accepted:  # found when it is first called, since that takes long for all methods
        return _accepted(method, options)

    @functools.wraps(method)
    def call(*given: Given.args, **named: Given.kwargs) -> Returned:
        places, required, names, accepted = accepted_arguments()
        count = len(given) - 1  # without the object
        if count > len(places):
            what = type(given[0]).__name__ if method.__name__ == "__init__" else method.__name__
            raise _too_many(what, places, count, names)
        if not named.keys() <= accepted.keys():
            known("option", named, list(accepted))
        for place, name in enumerate(places):
            if place < count and name in named:
                raise InvalidInputError(f"{name} is given twice")
            if place >= count and name in required and name not in named:
                raise InvalidInputError(f"{name} is missing")
        return method(*given, **named)

    return call


def _accepted(method: Callable[..., Any], options: Sequence[str] | None) -> _Accepted:
    """Return the positional parameters of a method, the required ones, the others, and all names that it accepts."""
    _, *parameters = inspect.signature(method).parameters.values()
    placed = [one for one in parameters if one.kind is one.POSITIONAL_OR_KEYWORD]
    places = [one.name for one in placed]
    required = [one.name for one in placed if one.default is one.empty]
    names = [one.name for one in parameters if one.kind is one.KEYWORD_ONLY] if options is None else options
    return places, required, names, dict.fromkeys([*(name for name in places if name not in names), *names])


def _too_many(call: str, places: Sequence[str], count: int, names: Sequence[str]) -> InvalidInputError:
    takes = f"only {places[0]}" if places else "nothing"
    also = f"; by name: {', '.join(names)}" if names else ""
    return InvalidInputError(f"{call} takes {takes} without a name, not {count} arguments{also}")


def _components(name: str, value: Sequence[Any], error: type[HybridSearchError]) -> list[float]:
    # A sum of floats is finite only if all of them are.
    if set(map(type, value)) == {float} and math.isfinite(sum(value)):  # recall only
        return list(value)
    try:
        return [number(f"{name}[{index}]", component) for index, component in enumerate(value)]
    except InvalidInputError as problem:
        raise error(str(problem)) from None


def _own_words(error: BaseException) -> str:
    if len(error.args) != 1 or not is_foreign(error.args[0]):
        return str(error)
    given = error.args[0]
    if isinstance(given, BaseException) and given is not error:
        return plain_message(given)
    return describe(given)


def _cut(value: str, characters: int) -> str:
    return value if len(value) <= characters else value[:characters] + "…"


def _type_name(kind: type) -> str:
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def _replace_invalid(value: str) -> str:
    """Return the text with a question mark for every byte, or lone surrogate, that is not UTF-8."""
    return value.encode("utf-8", "replace").decode("utf-8")


def _bounds(minimum: float | None, maximum: float | None) -> str:
    if minimum is not None and maximum is not None:
        return f" from {describe(minimum)} to {describe(maximum)}"
    if minimum is not None:
        return f" of at least {describe(minimum)}"
    if maximum is not None:
        return f" of at most {describe(maximum)}"
    return ""

"""Converts values that callers pass into the one form in which they are stored and compared (IDX-4)."""

import datetime
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import numpy as np

from hybrid_search.base import numeric, validation
from hybrid_search.errors import HybridSearchError, InvalidInputError

DEEPEST_ATTRIBUTES = 16
MOST_DIGITS = 34
"""The maximum number of digits of a decimal: those of a 128-bit decimal of IEEE 754."""
LARGEST_EXPONENT = 309

ONE_VALUE = "a text, a number, true, false, null, a date or a time"


def identifier(name: str, value: Any) -> str:
    """Return an id as a text; an integer becomes its decimal digits.

    Raises:
        InvalidInputError: any other value, or an integer of more than `validation.SHOWN_BITS` bits.
    """
    if isinstance(value, str):
        return str.__str__(validation.text(name, value))
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if whole and int(value).bit_length() <= validation.SHOWN_BITS:
        return str(int(value))
    raise _failure(name, value, "a text or an integer")


def identifiers(name: str, value: Any) -> list[str]:
    """Return a list of ids as texts."""
    if not isinstance(value, (list, tuple)):
        raise validation.fail(name, value, "a list of texts or integers")
    return [identifier(f"{name}[{index}]", item) for index, item in enumerate(value)]


def plain(name: str, value: Any, accepted: str = ONE_VALUE) -> Any:
    """Return a single value as it is stored: a text, a number, true, false or null.

    A date is stored as `2024-05-01` and a time as `2024-05-01T09:30:00.000000Z`, in UTC, so that the order of the texts
    is the order of the times. A time without a time zone counts as UTC. A decimal becomes an integer if it is whole,
    otherwise the nearest double.

    Args:
        name: the name of the value in messages.
        value: the value to convert.
        accepted: the accepted values, for messages.

    Raises:
        InvalidInputError: the value has another type, or is a number that is not finite.
    """
    if value is None or isinstance(value, (bool, np.bool_)):
        return None if value is None else bool(value)
    if isinstance(value, str):
        return str.__str__(validation.text(name, value))
    if isinstance(value, (int, np.integer)):
        return int(value)
    if isinstance(value, Decimal):
        return _decimal(name, value)
    if isinstance(value, datetime.datetime):
        return _time(name, value)
    if isinstance(value, datetime.date):
        return value.isoformat()
    if numeric.is_number(value):
        return validation.number(name, value)
    raise _failure(name, value, accepted)


def attributes(name: str, value: Any, depth: int = 1) -> dict[str, Any]:
    """Return a document's own attributes as they are stored: an object of values, lists of values, and such objects.

    Dots in a key separate the keys of nested objects: `{"file.name": "a"}` is stored as `{"file": {"name": "a"}}`.

    Raises:
        InvalidInputError: a key has an empty step, two keys lead to one place, a value has another type, or objects are
            nested too deep.
    """
    _check_depth(name, depth)
    stored: dict[str, Any] = {}
    for key, item in validation.mapping(name, value).items():
        *outer, last = _steps(name, key)
        _check_depth(name, depth + len(outer))
        within = stored
        for step in outer:
            if within.get(step) is None:
                within[step] = {}
            within = within[step]
            if not isinstance(within, dict):
                raise _conflict(name, key)
        attribute = _attribute(validation.member(name, key), item, depth + len(outer))
        if not _is_placed(within, last, attribute):
            raise _conflict(name, key)
    return stored


def _check_depth(name: str, depth: int) -> None:
    if depth > DEEPEST_ATTRIBUTES:
        raise InvalidInputError(f"{name} must not be nested more than {DEEPEST_ATTRIBUTES} deep")


def _steps(name: str, key: str) -> list[str]:
    steps = str.split(key, ".")
    if not all(steps):
        shown = validation.describe(key)
        raise InvalidInputError(
            f"a key of {name} must hold no empty name, not {shown}: dots lead into objects, as in file.name"
        )
    return steps


def _is_placed(stored: dict[str, Any], key: str, value: Any) -> bool:
    """Store a value at a free key, or merge an object into an object; return whether nothing was in its way."""
    there = stored.get(key)
    if there is None:
        stored[key] = value
        return True
    if isinstance(there, dict) and isinstance(value, dict):
        return all(_is_placed(there, name, item) for name, item in value.items())
    return value is None


def _conflict(name: str, key: str) -> InvalidInputError:
    shown = validation.describe(key)
    return InvalidInputError(f"the key {shown} of {name} has the place of another key: dots lead into objects")


def _attribute(name: str, value: Any, depth: int) -> Any:
    if isinstance(value, Mapping):
        return attributes(name, value, depth + 1)
    if isinstance(value, np.ndarray) and value.ndim == 1:
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [plain(f"{name}[{index}]", item) for index, item in enumerate(value)]
    return plain(name, value)


def _decimal(name: str, value: Decimal) -> int | float:
    if not value.is_finite():
        raise InvalidInputError(f"{name} must be a finite number, not an infinite or undefined decimal")
    sign, listed, place = value.as_tuple()
    given = "".join(map(str, listed)).lstrip("0")
    digits = given.rstrip("0")
    exponent = int(place) + len(given)  # the value is 0.digits times ten to the exponent
    if not digits:
        return 0
    if len(digits) > MOST_DIGITS:
        raise InvalidInputError(f"{name} must be a decimal of at most {MOST_DIGITS} digits, not of {len(digits)}")
    if exponent > LARGEST_EXPONENT:
        raise InvalidInputError(f"{name} must be a decimal below 1e+309 in size")
    minus = "-" if sign else ""
    if exponent >= len(digits):
        return int(minus + digits.ljust(exponent, "0"))
    number = numeric.parse_decimal(f"{minus}0.{digits}e{max(exponent, -LARGEST_EXPONENT * 2)}")
    assert number is not None
    return number


def _time(name: str, value: datetime.datetime) -> str:
    if value != value:  # a "not a time" value of pandas is not equal to itself
        raise InvalidInputError(f"{name} must be a date or a time, not a missing time")
    try:
        utc = value.replace(tzinfo=datetime.UTC) if value.utcoffset() is None else value.astimezone(datetime.UTC)
    except (OverflowError, ValueError):
        raise InvalidInputError(f"{name} must be a time of the years 1 to 9999 in UTC") from None
    return utc.replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"


def _failure(name: str, value: Any, accepted: str) -> HybridSearchError:
    """Return the error for a value of another type, with advice for types that messages have no other word for."""
    failure = validation.fail(name, value, accepted)
    if not validation.is_foreign(value):
        return failure
    return InvalidInputError(f"{failure}; give it as a text or a number")

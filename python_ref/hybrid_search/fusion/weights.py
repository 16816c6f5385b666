"""Parses the weights of a weighted sum, such as "0.05,0.95" (FUS-2)."""

import math
from typing import Any

from hybrid_search.base import numeric, validation
from hybrid_search.errors import InvalidInputError


def parse(value: Any, count: int, name: str = "weights") -> list[float]:
    """Return the weights as floats.

    Args:
        value: a text of ASCII decimal numbers (`0.05`, `.5`, `1e-3`), separated by commas with optional blanks; or a
            list of numbers.
        count: the required number of weights.
        name: the argument's name, for the message.

    Raises:
        InvalidInputError: another count, another type, a negative weight, or only zeros.
    """
    accepted = f"{count} finite numbers, none negative, not all zero"
    numbers: list[float | None]
    if isinstance(value, str):
        accepted += ", in decimals with commas between"
        numbers = [numeric.parse_decimal(piece) for piece in validation.text(name, value).split(",")]
    elif isinstance(value, (list, tuple)):
        numbers = [_finite(number) for number in value]
    else:
        raise validation.fail(name, value, accepted + ", in decimals with commas between or in a list")
    weights = [number for number in numbers if number is not None and math.isfinite(number) and number >= 0.0]
    if len(numbers) != count or len(weights) != count or not any(weights):
        raise validation.fail(name, value, accepted)
    return weights


def _finite(value: Any) -> float | None:
    try:
        return validation.number("a weight", value)
    except InvalidInputError:
        return None

"""All arithmetic that scores depend on (NUM-1 … NUM-5).

Every sum starts at 0.0 and runs from left to right. No sum is re-associated, so that another language that takes the
same steps gets the same bits.
"""

import math
import re
import struct
from collections.abc import Iterable, Sequence
from numbers import Real
from typing import Any

from hybrid_search.errors import DimensionMismatchError, InvalidInputError

LONGEST_DECIMAL = 50
INFINITE_MAGNITUDE = 309
"""The number of digits before the point from which a decimal counts as infinite."""
ZERO_MAGNITUDE = -323
"""The magnitude up to which a decimal counts as zero."""
# glibc's constants: log10(2) in two parts, and 1/ln(10).
LOG10_2_LOW = 3.69423907715893078616e-13
LOG10_2_HIGH = 3.01029995663611771306e-01
INVERSE_LN_TEN = 4.34294481903251816668e-01
DECIMAL = re.compile(r"([+-]?)([0-9]*)(?:\.([0-9]*))?(?:[eE]([+-]?[0-9]+))?")


def sum_left(values: Iterable[float]) -> float:
    """Return the left-to-right sum of `values`, starting at 0.0 (NUM-2)."""
    total = 0.0
    for value in values:
        total = total + value
    return total


def dot(left: Sequence[float], right: Sequence[float]) -> float:
    """Return the left-to-right dot product of two vectors (NUM-2).

    Raises:
        DimensionMismatchError: the vectors are not of equal length.
    """
    if len(left) != len(right):
        raise DimensionMismatchError(f"vectors of {len(left)} and {len(right)} components cannot be compared")
    total = 0.0
    for a, b in zip(left, right, strict=True):
        total = total + a * b
    return total


def log10(value: float) -> float:
    """Return the common logarithm of a positive finite number, in glibc's steps on every platform (NUM-3)."""
    fraction, exponent = math.frexp(value)
    power = exponent - 1
    below_one = 1 if power < 0 else 0
    steps = float(power + below_one)
    rest = math.ldexp(fraction, 1 - below_one)
    return (steps * LOG10_2_LOW + INVERSE_LN_TEN * math.log(rest)) + steps * LOG10_2_HIGH


def norm(vector: Sequence[float]) -> float:
    """Return the Euclidean norm `sqrt(v·v)` (NUM-3)."""
    return math.sqrt(dot(vector, vector))


def cosine(left: Sequence[float], right: Sequence[float]) -> float:
    """Return `dot / (sqrt(a·a) * sqrt(b·b))`, not clamped; 0.0 if either norm is 0 (NUM-3)."""
    return cosine_of(left, norm(left), right, norm(right))


def cosine_of(left: Sequence[float], left_norm: float, right: Sequence[float], right_norm: float) -> float:
    """Return the cosine of two vectors whose norms are known (NUM-3)."""
    if left_norm == 0.0 or right_norm == 0.0:
        return 0.0
    return dot(left, right) / (left_norm * right_norm)


def normalize(vector: Sequence[float]) -> list[float]:
    """Return `v_i / sqrt(v·v)`; a vector of norm 0 is returned unchanged (NUM-3)."""
    length = norm(vector)
    if length == 0.0:
        return list(vector)
    return [value / length for value in vector]


def mean(values: Sequence[float]) -> float:
    """Return the left-to-right sum divided by the count; 0.0 for no values."""
    return sum_left(values) / len(values) if values else 0.0


def softmax(scores: Sequence[float], temperature: float) -> list[float]:
    """Return the softmax at a temperature: x = s/T, e = exp(x - max x), e / left-to-right sum of e (NUM-3).

    Raises:
        InvalidInputError: the temperature is not above 0.
    """
    if not temperature > 0:
        raise InvalidInputError(f"temperature must be above 0, not {shortest(temperature)}")
    if not scores:
        return []
    scaled = [score / temperature for score in scores]
    highest = max(scaled)
    exponentials = [math.exp(value - highest) for value in scaled]
    total = sum_left(exponentials)
    return [value / total for value in exponentials]


def to_bits(value: float) -> str:
    """Return the 16 hex digits of a double, most significant first."""
    return struct.pack(">d", value).hex()


def from_bits(bits: str) -> float:
    """Return the double of 16 hex digits (the inverse of `to_bits`)."""
    value: float = struct.unpack(">d", bytes.fromhex(bits))[0]
    return value


def ulp_distance(left: float, right: float) -> int:
    """Return the distance of two finite doubles, counted in doubles; 0 if they are equal (also -0.0 and 0.0)."""

    def position(value: float) -> int:
        number: int = struct.unpack(">q", struct.pack(">d", value))[0]
        return number if number >= 0 else -(number & 0x7FFF_FFFF_FFFF_FFFF)

    return abs(position(left) - position(right))


def shortest(value: float) -> str:
    """Return the text of a double in a query string, as `repr(float)` writes it (NUM-5)."""
    return repr(float(value))


def fixed4(value: float) -> str:
    """Return the text of a double with four decimals, as `%.4f` writes it (NUM-5)."""
    return f"{value:.4f}"


def fixed1(value: float) -> str:
    """Return the text of a double with one decimal, for seconds in messages, as `%.1f` writes it (NUM-5)."""
    return f"{value:.1f}"


def round_half_even(value: float) -> int:
    """Return the nearest integer, halves to the even one."""
    return round(value)


def parse_decimal(text: str) -> float | None:
    """Return the double of an ASCII decimal number of at most 50 characters (`0.05`, `.5`, `-1e-3`), else `None`.

    Blanks around the number are allowed. From 1e308 on a number counts as infinite, below 1e-323 as zero.
    """
    trimmed = text.strip(" ")
    match = DECIMAL.fullmatch(trimmed) if len(trimmed) <= LONGEST_DECIMAL else None
    if match is None:
        return None
    sign, whole, fraction, exponent = match.groups(default="")
    if not whole and not fraction:
        return None
    factor = -1.0 if sign == "-" else 1.0
    magnitude = _decimal_magnitude(whole.lstrip("0"), fraction, int(exponent or "0"))
    if magnitude is None:
        return factor * 0.0
    if magnitude >= INFINITE_MAGNITUDE:
        return factor * math.inf
    return float(trimmed)


def _decimal_magnitude(whole: str, fraction: str, exponent: int) -> int | None:
    """Return the m of 10^(m-1) <= value < 10^m; `None` for a value that counts as zero."""
    significant = fraction.lstrip("0")
    if not whole and not significant:
        return None
    magnitude = exponent + (len(whole) if whole else len(significant) - len(fraction))
    return None if magnitude <= ZERO_MAGNITUDE else magnitude


def is_number(value: Any) -> bool:
    """Return whether `value` is a real number in Python: an integer, float or fraction, but not a boolean."""
    return isinstance(value, (int, float, Real)) and not isinstance(value, bool)

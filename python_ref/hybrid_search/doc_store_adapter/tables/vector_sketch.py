"""Vectors with one byte per component, and a bound on the resulting error (SQL-5, DOC-3).

A sketch approximates the cosine of a vector v with a query q. Only vectors that can be among the best are then read and
compared exactly. Let s be the steps (whole numbers), t the length of a step, and e at least the length of v - t·s:

- v·q = t·(s·q) + (v - t·s)·q. The cosine therefore differs from the *estimate* t·(s·q) / (|v|·|q|) by at most e / |v|
  (Cauchy–Schwarz). `ratio` is t / |v|, and `error` is e / |v|.
- If p replaces q, the estimate changes by at most |t·s|·|q - p| / (|v|·|q|), and |t·s| / |v| is at most 1 + error.
- `error` and `slack` also cover rounding. `of` computes e with a relative error of at most (dimension + 4)·2^-53, and
  t·s with one of at most 2^-53. A sum of n products in floats with a relative error u is wrong by at most 1.01·n·u
  times the product of the lengths; so is the sum in the exact cosine.

A cosine is therefore always within estimate ± (error + (1 + error)·slack), with the slack of the method that computed
the estimate.
"""

import math
import struct
from collections.abc import Sequence
from typing import NamedTuple

from hybrid_search.base import numeric

MOST_STEPS = 127
SMALLEST, LARGEST = 1e-30, 1e30
"""No value in the sketch of a vector with a length in this range underflows or overflows."""
ABSENT = -1.0
"""The error that marks a document without a vector."""
WIDER, WIDER_BY = 1.000001, 1e-12


class VectorSketch(NamedTuple):
    """A vector in steps.

    Attributes:
        ratio: the length of a step divided by that of the vector.
        error: an upper bound of the length of the difference between steps and vector, divided by the length of the
            vector; infinite if the sketch has no information.
        steps: a signed byte for each component.
    """

    ratio: float
    error: float
    steps: bytes


def of(vector: Sequence[float], norm: float) -> VectorSketch:
    """Return the sketch of a vector.

    Args:
        vector: at least one component.
        norm: its length.
    """
    if not is_sound(norm):
        return VectorSketch(0.0, math.inf, bytes(len(vector)))
    length = max(max(vector), -min(vector)) / MOST_STEPS
    steps = [math.floor(component / length + 0.5) for component in vector]
    missed = numeric.norm([component - length * step for component, step in zip(vector, steps, strict=True)])
    return VectorSketch(length / norm, missed / norm * WIDER + WIDER_BY, struct.pack(f"{len(steps)}b", *steps))


def is_sound(norm: float) -> bool:
    """Return whether a vector of this length can have an informative sketch, or be the query of one."""
    return SMALLEST < norm < LARGEST


def slack(dimension: int, roundoff: float) -> float:
    """Return the error that sums of products add to an estimate.

    Args:
        dimension: the number of components.
        roundoff: the relative error of one float.
    """
    return 4.0 * (dimension + 8) * roundoff

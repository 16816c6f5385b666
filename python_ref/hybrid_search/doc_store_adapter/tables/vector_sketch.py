"""Vectors in a byte a component, with a bound for what that loses (SQL-5, DOC-3).

A sketch says about what the cosine of a vector v with a query q is; only vectors that may be among the best are then
read and compared exactly. With whole steps s of the length t, and e at least the length of v - t·s:

- v·q = t·(s·q) + (v - t·s)·q, so the cosine is t·(s·q) / (|v|·|q|), the *estimate*, but for at most e / |v| (Cauchy and
  Schwarz). `ratio` is t / |v|, `error` e / |v|.
- If q itself is replaced by p, the estimate changes by |t·s|·|q - p| / (|v|·|q|) at the most, and |t·s| / |v| is at
  most 1 + error.
- Floats add what `error` and `slack` have room for: `of` computes e with a relative error of at most
  (dimension + 4)·2^-53, and t·s with one of 2^-53; sums of n products in floats of a relative error u each are wrong
  by at most 1.01·n·u times the product of the lengths, the exact cosine's own sum likewise.

So a cosine is never outside of estimate ± (error + (1 + error)·slack), with the slack of how the estimate was made.
"""

import math
import struct
from collections.abc import Sequence
from typing import NamedTuple

from hybrid_search.base import numeric

MOST_STEPS = 127
SMALLEST, LARGEST = 1e-30, 1e30
"""Between these lengths nothing in a sketch underflows or overflows."""
ABSENT = -1.0
"""The error in the place of a document without a vector."""
WIDER, WIDER_BY = 1.000001, 1e-12


class VectorSketch(NamedTuple):
    """A vector in steps.

    Attributes:
        ratio: the length of a step, as a share of the vector's.
        error: the length of what the steps miss, likewise, never too low; infinite where they say nothing.
        steps: a signed byte for each component.
    """

    ratio: float
    error: float
    steps: bytes


def of(vector: Sequence[float], norm: float) -> VectorSketch:
    """The sketch of a vector.

    Args:
        vector: one component at least.
        norm: its length.
    """
    if not is_sound(norm):
        return VectorSketch(0.0, math.inf, bytes(len(vector)))
    length = max(max(vector), -min(vector)) / MOST_STEPS
    steps = [math.floor(component / length + 0.5) for component in vector]
    missed = numeric.norm([component - length * step for component, step in zip(vector, steps, strict=True)])
    return VectorSketch(length / norm, missed / norm * WIDER + WIDER_BY, struct.pack(f"{len(steps)}b", *steps))


def is_sound(norm: float) -> bool:
    """Whether a vector of this length has a sketch that says something, and a query of it can be compared with one."""
    return SMALLEST < norm < LARGEST


def slack(dimension: int, roundoff: float) -> float:
    """What sums of products, in floats of such a relative error, add to the error of an estimate."""
    return 4.0 * (dimension + 8) * roundoff

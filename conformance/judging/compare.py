"""Compares answers with what is expected (CNF-5): by bits, within N ULP, as texts, or by order."""

import math
import struct
from dataclasses import dataclass
from typing import Any

from conformance.wire import values

Value = Any
SIGN = 0x7FFF_FFFF_FFFF_FFFF
FAR = 1 << 52
"""The distance of two floats of which one is twice the other: from there on a number of ULP says nothing."""
OTHER_SIGN = 1 << 64
"""Stands for the distance of two floats of which one is above 0 and one below; no distance is as large."""


def told(ulp: int) -> str:
    """A distance in words: `3 ULP`, `far apart`, `other sign`."""
    if ulp >= OTHER_SIGN:
        return "other sign"
    return "far apart" if ulp >= FAR else f"{ulp:,} ULP"


@dataclass(frozen=True)
class Verdict:
    """Whether two encoded values are the same under a compare class.

    Attributes:
        same: the verdict.
        ulp: the largest distance of two floats in the same place, in ULP; 0 when none differ.
        relative: the largest difference of two finite floats in the same place, divided by the larger of them.
        path: where the first difference is, as in `results/3/score`; empty when there is none or it is the whole.
    """

    same: bool
    ulp: int = 0
    path: str = ""
    relative: float = 0.0

    @property
    def apart(self) -> str:
        """How far floats in the same place are apart, in words; empty where none are."""
        if not self.ulp:
            return ""
        if self.ulp >= FAR:
            return f", floats {told(self.ulp)}"
        return f", floats up to {told(self.ulp)} or {self.relative:.1e} of their size apart"


def ulp_distance(left: str, right: str) -> int | None:
    """How many doubles lie between two, given by their bits; none if either is not a finite number and they differ.

    Two of other sign that are far apart have the distance `OTHER_SIGN`.
    """
    if left == right:
        return 0
    places = []
    for bits in (left, right):
        number: int = struct.unpack(">q", bytes.fromhex(bits))[0]
        if (number & 0x7FF0_0000_0000_0000) == 0x7FF0_0000_0000_0000:
            return None
        places.append(number if number >= 0 else -(number & SIGN))
    distance = abs(places[0] - places[1])
    return OTHER_SIGN if distance >= FAR and min(places) < 0 < max(places) else distance


def compare(expected: Value, got: Value, how: str = "bits", tolerance: int = 0) -> Verdict:
    """Compare two encoded values.

    Args:
        expected: what the fixture or the other implementation says.
        got: the answer.
        how: `bits`, `ulp:N`, `text` (floats by their decimals alone) or `order` (floats left out).
        tolerance: ULP allowed besides, by the command line.
    """
    if tolerance == 0 and values.canonical(expected) == values.canonical(got):
        return Verdict(True)
    allowed = max(tolerance, int(how.partition(":")[2]) if how.startswith("ulp:") else 0)
    state = _State(how, allowed)
    same = state.same(expected, got, "")
    return Verdict(same, state.ulp, state.path, state.relative)


class _State:
    """The walk over two values."""

    def __init__(self, how: str, allowed: int) -> None:
        self.how = how
        self.allowed = allowed
        self.ulp = 0
        self.relative = 0.0
        self.path = ""

    def same(self, expected: Value, got: Value, path: str) -> bool:
        """Compare everything, so that the ULP distance is the largest of all; remember the first difference."""
        if values.is_float(expected) and values.is_float(got):
            result = self._floats(expected, got)
        elif (
            isinstance(expected, dict)
            and isinstance(got, dict)
            and not values.is_float(expected)
            and not values.is_float(got)
        ):
            if expected.keys() == got.keys():
                parts = [self.same(expected[key], got[key], f"{path}/{key}") for key in sorted(expected)]
                return all(parts)
            result = False
        elif isinstance(expected, list) and isinstance(got, list):
            parts = [
                self.same(one, other, f"{path}/{index}")
                for index, (one, other) in enumerate(zip(expected, got, strict=False))
            ]
            if not all(parts) or len(expected) == len(got):
                return all(parts)
            path = f"{path}/{min(len(expected), len(got))}"
            result = False
        else:
            result = type(expected) is type(got) and expected == got
        if not result and not self.path:
            self.path = path.removeprefix("/") or "the whole"
        return result

    def _floats(self, expected: Value, got: Value) -> bool:
        if self.how == "order":
            return True
        distance = ulp_distance(expected["bits"], got["bits"])
        if distance is not None:
            self.ulp = max(self.ulp, distance)
            self.relative = max(self.relative, _relative(expected["bits"], got["bits"]))
        if self.how == "text":
            return bool(expected["decimal"] == got["decimal"])
        if expected == got:
            return True
        return distance is not None and distance <= self.allowed and self.allowed > 0


def _relative(left: str, right: str) -> float:
    one, other = (struct.unpack(">d", bytes.fromhex(bits))[0] for bits in (left, right))
    largest: float = max(abs(one), abs(other))
    return abs(one / largest - other / largest) if largest > 0.0 and math.isfinite(largest) else 0.0

"""Which vectors the server can tell distances of, and how far those may be wrong (PG-5)."""

import struct
from collections.abc import Sequence

MOST_COMPONENTS = 16_000
SMALLEST_NORM = 1e-9
LARGEST_NORM = 1e9
MORE = 32
"""How many documents are asked for beyond those that are wanted."""


def can_screen(dimension: int, norm: float) -> bool:
    """Whether the server can tell the distances of a vector."""
    return dimension <= MOST_COMPONENTS and SMALLEST_NORM <= norm <= LARGEST_NORM


def margin(dimension: int) -> float:
    """How far a cosine by the server may be from the one that counts."""
    return (2 * dimension + 16) * 2.0**-24


def pack(components: Sequence[float], norm: float) -> bytes | None:
    """A vector as the server takes it, rounded to floats of 32 bits; none where it cannot be screened."""
    if not can_screen(len(components), norm):
        return None
    return struct.pack(f">HH{len(components)}f", len(components), 0, *components)


def text(components: Sequence[float]) -> str:
    """A vector as text that the server rounds to floats of 32 bits."""
    return "[" + ",".join(map(repr, components)) + "]"

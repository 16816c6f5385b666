"""The vectors whose distances the server can compute, and the error of these distances (PG-5)."""

import struct
from collections.abc import Sequence

MOST_COMPONENTS = 16_000
SMALLEST_NORM = 1e-9
LARGEST_NORM = 1e9
MORE = 32
"""The number of documents that are requested in addition to the wanted ones."""


def can_screen(dimension: int, norm: float) -> bool:
    """Return whether the server can compute the distances of a vector."""
    return dimension <= MOST_COMPONENTS and SMALLEST_NORM <= norm <= LARGEST_NORM


def margin(dimension: int) -> float:
    """Return the maximum error of a cosine that the server computes."""
    return (2 * dimension + 16) * 2.0**-24


def pack(components: Sequence[float], norm: float) -> bytes | None:
    """Return a vector as 32-bit floats in the server's binary format, or `None` if it cannot be screened."""
    if not can_screen(len(components), norm):
        return None
    return struct.pack(f">HH{len(components)}f", len(components), 0, *components)


def text(components: Sequence[float]) -> str:
    """Return a vector as text, which the server rounds to 32-bit floats."""
    return "[" + ",".join(map(repr, components)) + "]"

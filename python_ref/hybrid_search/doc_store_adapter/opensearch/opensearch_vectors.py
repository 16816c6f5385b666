"""Vectors as text that preserves every bit, and that an engine sends without parsing it as numbers (OS-10)."""

import struct
from base64 import b64decode, b64encode
from collections.abc import Sequence


def pack(vector: Sequence[float]) -> str:
    """Return a vector in base64, see `binary`."""
    return b64encode(binary(vector)).decode("ascii")


def unpack(text: str, dimension: int) -> list[float]:
    """Return the vector of a text.

    Args:
        text: an output of `pack`.
        dimension: the number of components.

    Raises:
        ValueError: the text is not an output of `pack`.
    """
    return numbers(b64decode(text, validate=True), dimension)


def binary(vector: Sequence[float]) -> bytes:
    """Return a vector as floats of 32 bits if these are exact, otherwise of 64 bits; the lowest byte first."""
    try:
        short = struct.pack(f"<{len(vector)}f", *vector)
        exact = struct.unpack(f"<{len(vector)}f", short) == tuple(vector)
    except OverflowError:
        exact = False
    return short if exact else struct.pack(f"<{len(vector)}d", *vector)


def numbers(packed: bytes, dimension: int) -> list[float]:
    """Return the vector of an output of `binary`.

    Raises:
        ValueError: it has another dimension.
    """
    kind = {4 * dimension: "f", 8 * dimension: "d"}.get(len(packed))
    if kind is None:
        raise ValueError(len(packed))
    return list(struct.unpack(f"<{dimension}{kind}", packed))

"""Vectors as text that preserves every bit, and that an engine sends without parsing it as numbers (OS-10)."""

import struct
from base64 import b64decode, b64encode
from collections.abc import Sequence

from hybrid_search.doc_store_adapter.documents.packed_fields import PackedVector


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
    return PackedVector.of(b64decode(text, validate=True), dimension).numbers()


def binary(vector: Sequence[float]) -> bytes:
    """Return a vector as floats of 32 bits if these are exact, otherwise of 64 bits; the lowest byte first."""
    try:
        short = struct.pack(f"<{len(vector)}f", *vector)
        exact = struct.unpack(f"<{len(vector)}f", short) == tuple(vector)
    except OverflowError:
        exact = False
    return short if exact else struct.pack(f"<{len(vector)}d", *vector)

"""Vectors as the server screens them (PG-5)."""

import struct
from collections.abc import Sequence

from hybrid_search.doc_store_adapter.tables import vector_screen

MORE = 32
"""The number of documents that are requested in addition to the wanted ones."""


def pack(components: Sequence[float], norm: float) -> bytes | None:
    """Return a vector as 32-bit floats in the server's binary format, or `None` if it cannot be screened."""
    if not vector_screen.can_screen(len(components), norm):
        return None
    return struct.pack(f">HH{len(components)}f", len(components), 0, *components)


def text(components: Sequence[float]) -> str:
    """Return a vector as text, which the server rounds to 32-bit floats."""
    return "[" + ",".join(map(repr, components)) + "]"

"""The vectors of the blocks of an index, row by row (CNV-7)."""

import math
import struct
from collections.abc import Sequence

SINGLE, DOUBLE = "f", "d"


class VectorRows:
    """Vectors of one length, stored as bytes: 32 bits for each component if that is exact, otherwise 64.

    Args:
        content: the rows, little-endian.
        dimension: the number of components of a row.
        kind: the type code of a component, "f" or "d".

    Attributes:
    content: the given rows.
    dimension: the given number.
    kind: the given type code.
        size: the number of rows.
    """

    def __init__(self, content: bytes, dimension: int, kind: str) -> None:
        self.content = content
        self.dimension = dimension
        self.kind = kind
        self._row = struct.Struct(f"<{dimension}{kind}")
        self.size = len(content) // self._row.size if dimension else 0

    @classmethod
    def of(cls, vectors: Sequence[Sequence[float]], dimension: int) -> "VectorRows":
        """Return the rows of vectors whose components are finite.

        Args:
            vectors: a list of numbers for each block.
            dimension: the length of each list.
        """
        singles = cls(_singles(vectors), dimension, SINGLE)
        if all(singles.row(index) == list(vector) for index, vector in enumerate(vectors)):
            return singles
        doubles = struct.Struct(f"<{dimension}{DOUBLE}")
        return cls(b"".join(doubles.pack(*vector) for vector in vectors), dimension, DOUBLE)

    @classmethod
    def of_bytes(cls, content: bytes, dimension: int) -> "VectorRows":
        """Return the rows of a file of little-endian float32."""
        return cls(content, dimension, SINGLE)

    def row(self, index: int) -> list[float]:
        """Return the components of one row."""
        return list(self._row.unpack_from(self.content, index * self._row.size))

    def to_bytes(self) -> bytes:
        """Return all rows as little-endian float32."""
        return self.content if self.kind == SINGLE else _singles([self.row(index) for index in range(self.size)])

    def is_finite(self) -> bool:
        """Return whether every component is finite."""
        return all(all(map(math.isfinite, self.row(index))) for index in range(self.size))


def _singles(vectors: Sequence[Sequence[float]]) -> bytes:
    """Return components as little-endian float32; those that are too large become infinite."""
    try:
        return b"".join(struct.pack(f"<{len(vector)}f", *vector) for vector in vectors)
    except OverflowError:
        return b"".join(_single(component) for vector in vectors for component in vector)


def _single(component: float) -> bytes:
    try:
        return struct.pack("<f", component)
    except OverflowError:
        return struct.pack("<f", math.copysign(math.inf, component))

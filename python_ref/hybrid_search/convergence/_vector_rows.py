"""The vectors of the blocks of an index, row by row (CNV-7)."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[np.float32] | npt.NDArray[np.float64]


class VectorRows:
    """Vectors of one length, kept as float32 where that loses nothing, else as float64.

    Args:
        matrix: a row for each block.
    """

    def __init__(self, matrix: Matrix) -> None:
        self.matrix = matrix

    @classmethod
    def of(cls, vectors: Sequence[Sequence[float]], dimension: int) -> "VectorRows":
        """The rows of vectors whose components are finite.

        Args:
            vectors: a list of numbers for each block.
            dimension: how many they are.
        """
        doubles = np.array(vectors, dtype=np.float64).reshape(len(vectors), dimension)
        with np.errstate(all="ignore"):
            singles = doubles.astype(np.float32)
        return cls(singles if np.array_equal(singles.astype(np.float64), doubles) else doubles)

    @classmethod
    def of_bytes(cls, content: bytes, dimension: int) -> "VectorRows":
        """The rows that a file holds as little-endian float32."""
        return cls(np.frombuffer(content, dtype="<f4").reshape(-1, dimension))

    @property
    def size(self) -> int:
        """How many rows there are."""
        return len(self.matrix)

    @property
    def dimension(self) -> int:
        """How many components a row has."""
        return int(self.matrix.shape[1])

    def row(self, index: int) -> list[float]:
        """The components of one row."""
        components: list[float] = self.matrix[index].astype(np.float64).tolist()
        return components

    def to_bytes(self) -> bytes:
        """All rows as little-endian float32."""
        with np.errstate(all="ignore"):
            return self.matrix.astype("<f4").tobytes()

    def is_finite(self) -> bool:
        """Whether every component is."""
        return bool(np.isfinite(self.matrix).all())

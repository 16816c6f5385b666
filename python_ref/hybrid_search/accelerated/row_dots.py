"""Computes the left-to-right sums of products in the rows of matrices, many rows at once (NUM-2, NUM-3)."""

import math
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

FloatMatrix = npt.NDArray[np.floating]
FloatVector = npt.NDArray[np.float64]

ROWS_AT_ONCE = 128


class RowDots:
    """Dot products and norms of the rows of matrices with 32 or 64 bits for each component."""

    @staticmethod
    def dots(matrix: FloatMatrix, vector: FloatVector) -> FloatVector:
        """Return `numeric.dot(row, vector)` of every row."""
        factors = vector[:, np.newaxis]
        (dots,) = _row_sums(matrix, lambda columns: np.multiply(columns, factors, columns))
        return dots

    @staticmethod
    def norm_of(vector: FloatVector) -> float:
        """Return `numeric.norm(vector)` of a vector with at least one component."""
        return math.sqrt(float(np.add.accumulate(vector * vector)[-1]))

    @staticmethod
    def norms(matrix: FloatMatrix) -> FloatVector:
        """Return `numeric.norm(row)` of every row."""
        (squares,) = _row_sums(matrix, lambda columns: np.multiply(columns, columns, columns))
        return np.sqrt(squares)

    @classmethod
    def norms_of(cls, vectors: Sequence[Sequence[float]]) -> list[float]:
        """Return `numeric.norm(vector)` of every vector."""
        return cls.norms(np.array(vectors, dtype=np.float64)).tolist() if vectors else []

    @staticmethod
    def dots_and_norms(matrix: FloatMatrix, vector: FloatVector) -> tuple[FloatVector, FloatVector]:
        """Return `numeric.dot(row, vector)` and `numeric.norm(row)` of every row."""
        dots, squares = _row_sums(
            matrix, lambda columns: columns * vector[:, np.newaxis], lambda columns: columns * columns
        )
        return dots, np.sqrt(squares)


def _row_sums(matrix: FloatMatrix, *products: Callable[[FloatMatrix], FloatMatrix]) -> list[FloatVector]:
    """Return the left-to-right sums of products in every row.

    Only the last one may change its columns.

    Across the columns numpy adds row after row. With one column it would add pairs, so running sums are taken there,
    which have no other order. They are added to 0.0, as every sum begins with it.
    """
    sums = [np.zeros(len(matrix), dtype=np.float64) for _ in products]
    if matrix.shape[1]:
        for first in range(0, len(matrix), ROWS_AT_ONCE):
            columns = np.array(matrix[first : first + ROWS_AT_ONCE].T, dtype=np.float64, order="C")
            for total, product in zip(sums, products, strict=True):
                given = product(columns)
                summed = np.add.reduce(given, axis=0) if given.shape[1] > 1 else np.add.accumulate(given, axis=0)[-1]
                total[first : first + ROWS_AT_ONCE] += summed
    return sums

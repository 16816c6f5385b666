"""Finds the blocks that are nearest to a query: only those that can be among the best get exact sums (CNV-3)."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from hybrid_search.accelerated.row_dots import RowDots
from hybrid_search.base import numeric
from hybrid_search.convergence.block_scores import Ranking
from hybrid_search.convergence.vector_rows import VectorRows

SMALLEST_SCREENED = 1e-15
LARGEST_SCREENED = 1e15
"""Between these numbers, no product of single floats overflows, and an underflow is within the bound."""


class FastBlockScores:
    """The dot products of a query with the rows of an index.

    A product with the whole matrix, in any order of summation, only selects the rows that need the exact sum of NUM-2.
    Its error is bounded, so no row of the result is missed.

    Args:
        rows: the vectors.
    """

    def __init__(self, rows: VectorRows) -> None:
        self._matrix = np.frombuffer(rows.content, dtype=f"<{rows.kind}").reshape(rows.size, rows.dimension)
        with np.errstate(all="ignore"):
            self._bounds = _lengths(self._matrix)
        longest = float(self._bounds.max()) if rows.size else 0.0
        self._screenable = longest < LARGEST_SCREENED

    def best(self, query: Sequence[float], limit: int, candidates: Sequence[int] | None = None) -> Ranking:
        """Return the best rows by dot product.

        Args:
            query: a vector with as many components as a row.
            limit: the maximum number of wanted rows.
            candidates: the rows to consider, in ascending order; `None`: all rows.
        """
        vector = np.array(query, dtype=np.float64)
        counted = np.arange(len(self._matrix)) if candidates is None else np.array(candidates, dtype=np.int64)
        rows = self._worth(counted, vector, numeric.norm(query), limit)
        scores = RowDots.dots(self._matrix.take(rows, axis=0), vector)
        order = np.lexsort((rows, -scores))[:limit]
        return list(zip(rows[order].tolist(), scores[order].tolist(), strict=True))

    def _worth(self, rows: npt.NDArray[Any], query: npt.NDArray[Any], norm: float, limit: int) -> npt.NDArray[Any]:
        """Return the rows that may be among the best, or all of them if the bound does not hold."""
        if len(rows) <= limit or not self._screenable or not SMALLEST_SCREENED < norm < LARGEST_SCREENED:
            return rows
        matrix = self._matrix if len(rows) == len(self._matrix) else self._matrix[rows]
        estimates = (matrix @ (query / norm).astype(self._matrix.dtype)).astype(np.float64)  # recall only
        unit_roundoff = 2.0**-24 if self._matrix.dtype == np.float32 else 2.0**-53
        margins = (4.0 * (self._matrix.shape[1] + 8) * unit_roundoff) * self._bounds[rows] + 1e-30
        lowest = estimates - margins
        nth = np.partition(lowest, len(rows) - limit)[len(rows) - limit]
        worth: npt.NDArray[Any] = rows[estimates + margins >= nth]
        return worth


def _lengths(matrix: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """Return the approximate length of each row."""
    lengths: npt.NDArray[np.float64] = np.sqrt(np.einsum("ij,ij->i", matrix, matrix, dtype=np.float64))  # recall only
    return lengths

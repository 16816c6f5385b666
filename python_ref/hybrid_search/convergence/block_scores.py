"""Finds the blocks nearest to a query by scoring and sorting all of them (CNV-3)."""

from collections.abc import Sequence

from hybrid_search.base import numeric
from hybrid_search.convergence.vector_rows import VectorRows

Ranking = list[tuple[int, float]]
"""Rows with their scores, best first; equal scores by row."""


class BlockScores:
    """Scores the rows of an index by their dot products with a query.

    Args:
        rows: the vectors.
    """

    def __init__(self, rows: VectorRows) -> None:
        self._rows = rows

    def best(self, query: Sequence[float], limit: int, candidates: Sequence[int] | None = None) -> Ranking:
        """Return the best rows by dot product.

        Args:
            query: a vector of the length of the rows.
            limit: the maximum number of rows.
            candidates: the rows to score, in ascending order; `None` scores all.
        """
        counted = range(self._rows.size) if candidates is None else candidates
        scored = [(row, numeric.dot(query, self._rows.row(row))) for row in counted]
        scored.sort(key=lambda pair: (-pair[1], pair[0]))
        return scored[:limit]

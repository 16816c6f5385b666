"""Which blocks are nearest to a query: all scored, then ordered (CNV-3)."""

from collections.abc import Sequence

from hybrid_search.base import numeric
from hybrid_search.convergence.vector_rows import VectorRows

Ranking = list[tuple[int, float]]
"""Rows with their scores, best first; equal ones by row."""


class BlockScores:
    """The dot products of a query with the rows of an index.

    Args:
        rows: the vectors.
    """

    def __init__(self, rows: VectorRows) -> None:
        self._rows = rows

    def best(self, query: Sequence[float], limit: int, candidates: Sequence[int] | None = None) -> Ranking:
        """The best rows by dot product.

        Args:
            query: as many components as a row has.
            limit: how many are wanted at the most.
            candidates: the rows that count, in ascending order; none: all.
        """
        counted = range(self._rows.size) if candidates is None else candidates
        scored = [(row, numeric.dot(query, self._rows.row(row))) for row in counted]
        scored.sort(key=lambda pair: (-pair[1], pair[0]))
        return scored[:limit]

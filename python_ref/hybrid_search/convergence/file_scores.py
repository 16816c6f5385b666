"""Scores files by the scores of their blocks (CNV-6)."""

from collections.abc import Iterable

from hybrid_search.base import ordering
from hybrid_search.convergence.settings import MAX


class FileScores:
    """Aggregates the scores of blocks by file.

    Args:
        aggregation: "sum" of the scores in ranking order, or "max" of the scores and 0.0.
    """

    def __init__(self, aggregation: str) -> None:
        self._aggregation = aggregation

    def rank(self, blocks: Iterable[tuple[str | None, float]]) -> list[tuple[str, float]]:
        """Return the files with their scores, best first, and equal scores by path.

        Args:
            blocks: the file and the score of each block, in ranking order; blocks without a file do not count.
        """
        scores: dict[str, float] = {}
        for file, score in blocks:
            if file is not None:
                before = scores.get(file, 0.0)
                scores[file] = max(before, score) if self._aggregation == MAX else before + score
        return ordering.rank(scores.items())

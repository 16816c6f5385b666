"""Moves a query by pseudo-relevance feedback from the best blocks of a round (CNV-3, points 5 and 6)."""

from collections.abc import Sequence

from hybrid_search.base import numeric
from hybrid_search.convergence.block_index import BlockIndex
from hybrid_search.convergence.block_scores import Ranking
from hybrid_search.convergence.settings import Settings

SMALLEST_TEMPERATURE = 1e-6


class Feedback:
    """Moves a query towards the blocks that it found.

    Args:
        index: the blocks.
        settings: the parameters (CNV-2).
        anchor: the query of the first round, of length 1.
    """

    def __init__(self, index: BlockIndex, settings: Settings, anchor: Sequence[float]) -> None:
        self._index = index
        self._anchor = anchor
        self._most = settings["feedback_top_m"]
        self._file_cap = settings["feedback_file_cap"]
        self._alpha = settings["query_update_alpha"]
        self._beta = settings["query_anchor_beta"]
        self._temperature = max(settings["feedback_temp"], SMALLEST_TEMPERATURE)

    def next_query(self, query: Sequence[float], ranking: Ranking) -> list[float]:
        """Return (max(0, (1 − α) − β)·q0 + α·centroid) + β·q, normalized to length 1."""
        centroid = self._centroid(self._chosen(ranking))
        anchored = max(0.0, (1.0 - self._alpha) - self._beta)
        return numeric.normalize(
            [
                (anchored * first + self._alpha * middle) + self._beta * last
                for first, middle, last in zip(self._anchor, centroid, query, strict=True)
            ]
        )

    def _chosen(self, ranking: Ranking) -> Ranking:
        """Return the best blocks, up to a limit for each file; blocks without a file have no limit."""
        chosen: Ranking = []
        taken: dict[str, int] = {}
        for row, score in ranking:
            if len(chosen) == self._most:
                break
            file = self._index.file(row)
            if file is not None and self._file_cap > 0:
                if taken.get(file, 0) == self._file_cap:
                    continue
                taken[file] = taken.get(file, 0) + 1
            chosen.append((row, score))
        return chosen

    def _centroid(self, chosen: Ranking) -> list[float]:
        weights = numeric.softmax([score for _, score in chosen], self._temperature)
        centroid = [0.0] * self._index.dimension
        for weight, (row, _) in zip(weights, chosen, strict=True):
            vector = self._index.rows.row(row)
            centroid = [total + weight * value for total, value in zip(centroid, vector, strict=True)]
        return numeric.normalize(centroid)

"""Runs the rounds of convergent retrieval (CNV-3, CNV-4)."""

from collections.abc import Sequence

from hybrid_search.base import numeric
from hybrid_search.convergence.block_index import BlockIndex
from hybrid_search.convergence.block_scores import BlockScores, Ranking
from hybrid_search.convergence.candidates import Candidates, Round
from hybrid_search.convergence.feedback import Feedback
from hybrid_search.convergence.file_scores import FileScores
from hybrid_search.convergence.row_names import RowNames
from hybrid_search.convergence.settings import GLOBAL_LOCAL, RRF, Settings
from hybrid_search.fusion.fusion import Fusion

EMPTY, CONVERGED, MAX_STEPS, DRIFT = "empty", "converged", "max_steps", "drift"


class Rounds:
    """Ranks blocks, moves the query towards the best of them, and ranks again until the ranking is stable.

    Args:
        index: the blocks.
        scores: ranks the blocks.
        settings: the parameters (CNV-2).
        query: of length 1.
    """

    def __init__(self, index: BlockIndex, scores: BlockScores, settings: Settings, query: Sequence[float]) -> None:
        self._index = index
        self._scores = scores
        self._settings = settings
        self._anchor = query
        self._feedback = Feedback(index, settings, query)

    def run(self) -> Candidates:
        """Run all rounds and return their fused result."""
        rounds: list[Round] = []
        query: Sequence[float] = self._anchor
        candidates: Sequence[int] | None = None
        stop_reason, stable, last = None, 0, self._settings["max_steps"] - 1
        for step in range(last + 1):
            ranking = self._scores.best(query, self._settings.per_round, candidates)
            if not ranking:
                stop_reason = EMPTY
                break
            rounds.append(self._recorded(query, ranking, rounds[-1] if rounds else None))
            stable = stable + 1 if self._is_stable(rounds[-1]) else 0
            if stable >= self._settings["patience"]:
                stop_reason = CONVERGED
                break
            if step == last:
                stop_reason = MAX_STEPS
                break
            if self._settings["convergence_mode"] == GLOBAL_LOCAL and step == 0:
                candidates = self._local(ranking)
            moved = self._feedback.next_query(query, ranking)
            cosine = numeric.cosine(moved, self._anchor)
            rounds[-1] = rounds[-1].followed_by(cosine)
            if self._is_drift(cosine):
                stop_reason = DRIFT
                break
            query = moved
        return Candidates(tuple(self._fused(rounds)), tuple(rounds), stop_reason)

    def _recorded(self, query: Sequence[float], ranking: Ranking, before: Round | None) -> Round:
        scores = [score for _, score in ranking[: self._settings["converge_jaccard_k"]]]
        mean = numeric.sum_left(scores) / len(scores)
        if before is None:
            return Round(tuple(query), tuple(ranking), mean)
        return Round(tuple(query), tuple(ranking), mean, self._jaccard(ranking, before.ranking), mean - before.mean)

    def _jaccard(self, ranking: Sequence[tuple[int, float]], before: Sequence[tuple[int, float]]) -> float:
        """Return the Jaccard similarity of the first rows of both rounds."""
        depth = self._settings["converge_jaccard_k"]
        now = {row for row, _ in ranking[:depth]}
        then = {row for row, _ in before[:depth]}
        return len(now & then) / len(now | then)

    def _is_stable(self, made: Round) -> bool:
        if made.jaccard is None or made.gain is None:
            return False
        threshold = self._settings["converge_jaccard_threshold"]
        return bool(made.jaccard >= threshold and made.gain <= self._settings["converge_min_improve"])

    def _is_drift(self, cosine: float) -> bool:
        return bool(cosine < self._settings["min_cos_to_q0"])

    def _local(self, ranking: Ranking) -> list[int]:
        """Return all blocks of the best files of a ranking, in ascending order."""
        files = FileScores(self._settings["file_score_agg"]).rank(
            (self._index.file(row), score) for row, score in ranking
        )
        seeds = {file for file, _ in files[: self._settings["top_k_seed_files"]]}
        return [row for row in range(self._index.size) if self._index.file(row) in seeds]

    def _fused(self, rounds: Sequence[Round]) -> Ranking:
        if not rounds:
            return []
        wanted = self._settings.wanted
        if len(rounds) == 1 or self._settings["round_fusion"] != RRF:
            return list(rounds[-1].ranking[:wanted])
        named = [[(RowNames.id_of(row), score) for row, score in made.ranking] for made in rounds]
        fused = Fusion.rrf(named, self._settings["rrf_k"])
        return [(RowNames.row_of(name), score) for name, score in fused[:wanted]]

"""The result of the first stage of convergent retrieval (CNV-3, CNV-4)."""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Round:
    """One round.

    Attributes:
        query_vector: the query of the round.
        ranking: rows with their scores, best first.
        mean: the mean of the first `converge_jaccard_k` scores.
        jaccard: the overlap of its first rows with those of the round before; `None` in the first round.
        gain: its mean minus that of the round before; `None` in the first round.
        next_cosine_to_q0: the cosine of the next round's query with the first query; `None` without a next query.
    """

    query_vector: Sequence[float]
    ranking: Sequence[tuple[int, float]]
    mean: float
    jaccard: float | None = None
    gain: float | None = None
    next_cosine_to_q0: float | None = None

    def followed_by(self, cosine: float) -> "Round":
        """Return the same round with the cosine of the next query."""
        return dataclasses.replace(self, next_cosine_to_q0=cosine)


@dataclass(frozen=True)
class Candidates:
    """The blocks of the first stage.

    Attributes:
        blocks: rows with their scores, best first.
        rounds: the rounds that produced them.
        stop_reason: the reason for the end of the rounds: "empty", "converged", "max_steps" or "drift"; `None` for a
            single round without convergence.
    """

    blocks: Sequence[tuple[int, float]]
    rounds: Sequence[Round]
    stop_reason: str | None = None

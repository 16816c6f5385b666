"""What the first stage of convergent retrieval gives (CNV-3, CNV-4)."""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Round:
    """One round.

    Attributes:
        query_vector: what it was asked with.
        ranking: rows with their scores, best first.
        mean: of the first `converge_jaccard_k` scores.
        jaccard: how much its first rows agree with those of the round before; none in the first.
        gain: its mean minus that of the round before; none in the first.
        next_cosine_to_q0: the cosine of the query that it led to with the first one; none where it led to none.
    """

    query_vector: Sequence[float]
    ranking: Sequence[tuple[int, float]]
    mean: float
    jaccard: float | None = None
    gain: float | None = None
    next_cosine_to_q0: float | None = None

    def followed_by(self, cosine: float) -> "Round":
        """The same round, with the cosine of the query that it led to."""
        return dataclasses.replace(self, next_cosine_to_q0=cosine)


@dataclass(frozen=True)
class Candidates:
    """The blocks of the first stage.

    Attributes:
        blocks: rows with their scores, best first.
        rounds: what led to them.
        stop_reason: why there were no more rounds: "empty", "converged", "max_steps" or "drift"; none: there is one.
    """

    blocks: Sequence[tuple[int, float]]
    rounds: Sequence[Round]
    stop_reason: str | None = None

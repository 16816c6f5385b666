"""The total order of every ranked list (ORD-1 … ORD-3)."""

from collections.abc import Iterable, Mapping


def rank(scored: Iterable[tuple[str, float]]) -> list[tuple[str, float]]:
    """Pairs of (id, score) by score descending, then id ascending by code points (ORD-1).

    `-0.0` equals `0.0`. Scores must not be NaN (NUM-4).
    """
    return sorted(scored, key=lambda pair: (-pair[1], pair[0]))


def rank_ids(scores: Mapping[str, float]) -> list[str]:
    """The ids of a score table in the order of ORD-1."""
    return [identifier for identifier, _ in rank(scores.items())]


def rank_indexes(identifiers: list[str], scores: list[float]) -> list[int]:
    """The positions of `identifiers` in the order of ORD-1."""
    return sorted(range(len(identifiers)), key=lambda index: (-scores[index], identifiers[index]))


def tiered_key(tier: int, score: float, stage1_score: float, identifier: str) -> tuple[int, float, float, str]:
    """The sort key of ORD-2: tier ascending, score and stage-1 score descending, id ascending."""
    return (tier, -score, -stage1_score, identifier)

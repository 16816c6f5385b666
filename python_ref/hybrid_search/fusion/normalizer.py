"""The scores of one ranked list on a common scale (FUS-2); sums run in list order."""

import math
from collections.abc import Sequence

from hybrid_search.base import numeric

NORMALIZERS = ("none", "max", "min_max", "z_score", "sigmoid", "rank")


def normalize(scores: Sequence[float], method: str) -> list[float]:
    """The normalised scores, in the same order; what overflows comes out as NaN or infinite.

    Args:
        scores: finite scores in the order of their ranking.
        method: one of `NORMALIZERS`.
    """
    if not scores or method == "none":
        return list(scores)
    if method == "max":
        return _max(scores)
    if method == "min_max":
        return min_max(scores)
    if method == "z_score":
        return _z_score(scores)
    if method == "sigmoid":
        return [_sigmoid(score) for score in scores]
    count = len(scores)
    return [(count - place + 1) / count for place in range(1, count + 1)]


def min_max(scores: Sequence[float]) -> list[float]:
    """(x - min) / (max - min); 1.0 for all when they are equal."""
    lowest = min(scores)
    highest = max(scores)
    if highest == lowest:
        return [1.0] * len(scores)
    spread = highest - lowest
    return [(score - lowest) / spread for score in scores]


def _max(scores: Sequence[float]) -> list[float]:
    highest = max(scores)
    return [score / highest for score in scores] if highest > 0.0 else [0.0] * len(scores)


def _z_score(scores: Sequence[float]) -> list[float]:
    if max(scores) == min(scores):
        return [0.0] * len(scores)
    mean = numeric.mean(scores)
    differences = [score - mean for score in scores]
    deviation = math.sqrt(numeric.dot(differences, differences) / len(scores))
    return [difference / deviation for difference in differences] if deviation != 0.0 else [0.0] * len(scores)


def _sigmoid(score: float) -> float:
    if score >= 0.0:
        return 1.0 / (1.0 + math.exp(-score))
    exponential = math.exp(score)
    return exponential / (1.0 + exponential)

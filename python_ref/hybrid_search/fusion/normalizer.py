"""Puts the scores of ranked lists on a common scale (FUS-2); sums run in list order."""

import math
from collections.abc import Sequence
from typing import Any

from hybrid_search.base import numeric, validation
from hybrid_search.errors import InvalidInputError
from hybrid_search.fusion.ranked_lists import Ranking

NORMALIZERS = ("none", "max", "min_max", "z_score", "sigmoid", "rank")


def normalized(lists: Sequence[Ranking], normalizer: Any) -> list[Ranking]:
    """Return the lists with normalised scores.

    Args:
        lists: the lists.
        normalizer: one of `NORMALIZERS`, or a list of them, one per list.

    Raises:
        InvalidInputError: the normalizer is not accepted, or a normalised score is not finite.
    """
    found = []
    for index, (ranking, method) in enumerate(zip(lists, _one_each(normalizer, len(lists)), strict=True)):
        scores = normalize([score for _, score in ranking], method)
        scaled = [(identifier, score) for (identifier, _), score in zip(ranking, scores, strict=True)]
        for identifier, score in scaled:
            if not math.isfinite(score):
                raise InvalidInputError(
                    f"rankings[{index}]: the score of {validation.describe(identifier)} is not finite under {method}"
                )
        found.append(scaled)
    return found


def _one_each(normalizer: Any, count: int) -> list[str]:
    if isinstance(normalizer, (list, tuple)):
        if len(normalizer) != count:
            raise validation.fail("normalizer", normalizer, f"one normalizer, or {count} of them")
        return [validation.choice(f"normalizer[{index}]", item, NORMALIZERS) for index, item in enumerate(normalizer)]
    return [validation.choice("normalizer", normalizer, NORMALIZERS)] * count


def normalize(scores: Sequence[float], method: str) -> list[float]:
    """Return the normalised scores, in the same order; overflows become NaN or infinite.

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
    """Return (x - min) / (max - min); 1.0 for all scores if they are equal."""
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

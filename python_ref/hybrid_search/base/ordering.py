"""The total order of every ranked list (ORD-1 … ORD-3)."""

import math
from collections.abc import Callable, Iterable, Mapping
from operator import itemgetter
from typing import Any, TypeVar

from hybrid_search.base import validation
from hybrid_search.errors import InvalidInputError

Keys = TypeVar("Keys", bound=tuple[Any, ...])

_identifier: Callable[[tuple[str, float]], str] = itemgetter(0)
_score: Callable[[tuple[str, float]], float] = itemgetter(1)


def rank(scored: Iterable[tuple[str, float]]) -> list[tuple[str, float]]:
    """Return pairs of (id, score) by score descending, then id ascending by code points (ORD-1).

    `-0.0` equals `0.0`. Scores must not be NaN (NUM-4).
    """
    return sorted(sorted(scored, key=_identifier), key=_score, reverse=True)


def rank_fused(fused: Mapping[str, float]) -> list[tuple[str, float]]:
    """Return fused scores, id → score, in the order of ORD-1.

    Raises:
        InvalidInputError: a score is not finite.
    """
    if not all(map(math.isfinite, fused.values())):
        identifier = next(identifier for identifier, score in fused.items() if not math.isfinite(score))
        raise InvalidInputError(f"the fused score of {validation.describe(identifier)} is not finite")
    return rank(fused.items())


def rank_indexes(identifiers: list[str], scores: list[float]) -> list[int]:
    """Return the positions of `identifiers` in the order of ORD-1."""
    return sorted(range(len(identifiers)), key=lambda index: (-scores[index], identifiers[index]))


def rank_tiered(keys: Iterable[Keys], first: int) -> list[Keys]:
    """Return keys in the order of ORD-2.

    Args:
        keys: tuples that contain tier, score, stage-1 score and id, in this order.
        first: the position of the tier in each tuple.
    """
    given = list(keys)
    order = [(key[first], -key[first + 1], -key[first + 2], key[first + 3]) for key in given]
    return [given[place] for place in sorted(range(len(given)), key=order.__getitem__)]


def tiered_key(tier: int, score: float, stage1_score: float, identifier: str) -> tuple[int, float, float, str]:
    """Return the sort key of ORD-2: tier ascending, score and stage-1 score descending, id ascending."""
    return (tier, -score, -stage1_score, identifier)

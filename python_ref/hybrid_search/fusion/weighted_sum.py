"""The method `weighted_sum` (FUS-2)."""

import math
from collections.abc import Sequence
from types import MappingProxyType
from typing import Any

from hybrid_search.base import ordering, validation
from hybrid_search.errors import InvalidInputError
from hybrid_search.fusion import ranked_lists, weights
from hybrid_search.fusion.fusion_method import FusionMethod, MethodParam, Normalizer
from hybrid_search.fusion.normalizer import NORMALIZERS, normalize
from hybrid_search.fusion.ranked_lists import Ranking, Rankings


def fuse(rankings: Rankings, factors: str | Sequence[float], normalizer: Normalizer) -> Ranking:
    """Return 0.0, then += weight · normalised score, lists in the order given.

    Args:
        rankings: the lists.
        factors: one weight per list, as `weights.parse` takes them.
        normalizer: one of `NORMALIZERS`, or a list of them, one per ranking.
    """
    lists = ranked_lists.checked(rankings)
    parsed = weights.parse(factors, len(lists))
    normalizers = _checked_normalizers(normalizer, len(lists))
    fused: dict[str, float] = {}
    for index, (ranking, factor, method) in enumerate(zip(lists, parsed, normalizers, strict=True)):
        normalized = normalize([score for _, score in ranking], method)
        for (identifier, _), score in zip(ranking, normalized, strict=True):
            if not math.isfinite(score):
                raise InvalidInputError(
                    f"rankings[{index}]: the score of {validation.describe(identifier)} is not finite under {method}"
                )
            fused[identifier] = fused.get(identifier, 0.0) + factor * score
    return ordering.rank_fused(fused)


def _checked_normalizers(normalizer: Any, count: int) -> list[str]:
    if isinstance(normalizer, (list, tuple)):
        if len(normalizer) != count:
            raise validation.fail("normalizer", normalizer, f"one normalizer, or {count} of them")
        return [validation.choice(f"normalizer[{index}]", item, NORMALIZERS) for index, item in enumerate(normalizer)]
    return [validation.choice("normalizer", normalizer, NORMALIZERS)] * count


def _leg_weights(name: str, value: Any) -> Any:
    weights.parse(value, 2, name)
    return value


METHOD = FusionMethod(
    lambda rankings, params, normalizer: fuse(rankings, params["weights"], normalizer),
    MappingProxyType({"weights": MethodParam("weights", "0.05,0.95", _leg_weights)}),
)

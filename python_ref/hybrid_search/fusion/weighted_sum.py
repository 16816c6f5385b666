"""The fusion method `weighted_sum`: the weighted sum of normalised scores (FUS-2)."""

from collections.abc import Sequence
from types import MappingProxyType
from typing import Any

from hybrid_search.base import ordering
from hybrid_search.fusion import normalizer as normalizers
from hybrid_search.fusion import ranked_lists, weights
from hybrid_search.fusion.fusion_method import FusionMethod, MethodParam, Normalizer
from hybrid_search.fusion.ranked_lists import Ranking, Rankings


def fuse(rankings: Rankings, factors: str | Sequence[float], normalizer: Normalizer) -> Ranking:
    """Return the sum of weight · normalised score, starting at 0.0, over the lists in the given order.

    Args:
        rankings: the lists.
        factors: one weight per list, in a form that `weights.parse` takes.
        normalizer: one of `normalizer.NORMALIZERS`, or a list of them, one per ranking.
    """
    lists = ranked_lists.checked(rankings)
    parsed = weights.parse(factors, len(lists))
    normalized = normalizers.normalized(lists, normalizer)
    fused: dict[str, float] = {}
    for ranking, factor in zip(normalized, parsed, strict=True):
        for identifier, score in ranking:
            fused[identifier] = fused.get(identifier, 0.0) + factor * score
    return ordering.rank_fused(fused)


def _leg_weights(name: str, value: Any) -> Any:
    weights.parse(value, 2, name)
    return value


METHOD = FusionMethod(
    lambda rankings, params, normalizer: fuse(rankings, params["weights"], normalizer),
    MappingProxyType({"weights": MethodParam("weights", "0.05,0.95", _leg_weights)}),
)

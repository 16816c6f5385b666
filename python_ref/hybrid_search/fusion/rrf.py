"""The fusion method `rrf`: reciprocal rank fusion (FUS-2)."""

from types import MappingProxyType

from hybrid_search.base import ordering, validation
from hybrid_search.fusion import ranked_lists
from hybrid_search.fusion.fusion_method import FusionMethod, MethodParam
from hybrid_search.fusion.ranked_lists import Ranking, Rankings


def fuse(rankings: Rankings, k: float) -> Ranking:
    """Return the sum of 1 / (k + rank), with ranks from 1 and k at least 0."""
    lists = ranked_lists.checked(rankings)
    constant = validation.number("k", k, 0)
    fused: dict[str, float] = {}
    for ranking in lists:
        for place, (identifier, _) in enumerate(ranking, start=1):
            fused[identifier] = fused.get(identifier, 0.0) + 1.0 / (constant + place)
    return ordering.rank_fused(fused)


METHOD = FusionMethod(
    lambda rankings, params, _normalizer: fuse(rankings, params["k"]),
    MappingProxyType({"k": MethodParam("rrf_k", 60, lambda name, value: validation.number(name, value, 0))}),
)

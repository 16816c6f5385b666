"""The registry of the methods of fusion (FUS-1); a new one is a file and a row here."""

from collections.abc import Mapping
from types import MappingProxyType

from hybrid_search.fusion import auto, min_max, rrf, weighted_sum
from hybrid_search.fusion.fusion_method import FusionMethod

METHODS: Mapping[str, FusionMethod] = MappingProxyType(
    {
        "weighted_sum": weighted_sum.METHOD,
        "rrf": rrf.METHOD,
        "auto": auto.METHOD,
        "min_max": min_max.METHOD,
    }
)

"""The registry of the fusion methods (FUS-1); each has a file of its own."""

from collections.abc import Mapping
from types import MappingProxyType

# imports:begin: made by `bin/conformance make options`
from hybrid_search.fusion import auto, min_max, rrf, weighted_sum

# imports:end
from hybrid_search.fusion.fusion_method import FusionMethod

METHODS: Mapping[str, FusionMethod] = MappingProxyType(
    {
        # methods:begin: made by `bin/conformance make options`
        "weighted_sum": weighted_sum.METHOD,
        "rrf": rrf.METHOD,
        "auto": auto.METHOD,
        "min_max": min_max.METHOD,
        # methods:end
    }
)

"""The registry of the fusion methods (FUS-1); each has a file of its own."""

from collections.abc import Mapping
from types import MappingProxyType

# imports:begin: made by `bin/conformance make options`
from hybrid_search.fusion.auto import METHOD as AUTO
from hybrid_search.fusion.fusion_method import FusionMethod
from hybrid_search.fusion.min_max import METHOD as MIN_MAX
from hybrid_search.fusion.rrf import METHOD as RRF
from hybrid_search.fusion.weighted_sum import METHOD as WEIGHTED_SUM

# imports:end

METHODS: Mapping[str, FusionMethod] = MappingProxyType(
    {
        # methods:begin: made by `bin/conformance make options`
        "weighted_sum": WEIGHTED_SUM,
        "rrf": RRF,
        "auto": AUTO,
        "min_max": MIN_MAX,
        # methods:end
    }
)

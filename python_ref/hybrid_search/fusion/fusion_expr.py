"""Fusion expressions: how the results of a text leg and a dense leg become one list (FUS-1)."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from hybrid_search.base import validation
from hybrid_search.fusion.fusion_methods import METHODS


@dataclass(frozen=True)
class FusionExpr:
    """The fusion of the ranked lists of the legs.

    Attributes:
        method: one of `METHODS`.
        topn: the maximum number of documents in the fused list; at least 1.
        params: weighted_sum: `weights`, "t,d" (text, dense), default "0.05,0.95"; rrf: `k`, default 60, at least 0; the
            other methods take no params.

    Raises:
        InvalidInputError: another method, a wrong topn, or an unknown or wrong param.
    """

    method: str
    topn: int
    params: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    def __post_init__(self) -> None:
        method = validation.choice("method", self.method, tuple(METHODS))
        object.__setattr__(self, "topn", validation.integer("topn", self.topn, 1))
        known = METHODS[method].params
        given = validation.mapping("params", self.params)
        validation.known(f"param of {method}", given, tuple(known))
        params = {**{name: param.default for name, param in known.items()}, **given}
        for name, param in known.items():
            param.check(name, params[name])
        object.__setattr__(self, "params", MappingProxyType(params))

    def with_topn(self, topn: int) -> "FusionExpr":
        """Return the same fusion with another limit."""
        return FusionExpr(self.method, topn, self.params)

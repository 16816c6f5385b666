"""How the answers of a text leg and a dense leg become one (FUS-1)."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from hybrid_search.base import validation
from hybrid_search.fusion.fusion_methods import METHODS


@dataclass(frozen=True)
class FusionExpr:
    """What to do with the ranked lists of the legs.

    Attributes:
        method: one of `METHODS`.
        topn: how many documents the fused list holds at the most; at least 1.
        params: weighted_sum: `weights`, "t,d" (text, dense), default "0.05,0.95"; rrf: `k`, default 60, at least 0; the
            others have none.

    Raises:
        InvalidInputError: another method, a wrong topn, an unknown or wrong param.
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
        """The same fusion with another limit."""
        return FusionExpr(self.method, topn, self.params)

"""Fusion of a text leg and a dense leg by the scores of their first hundred documents (FUS-3, FUS-4, FUS-5)."""

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Literal

from hybrid_search.base import ordering

DEPTH = 100
"""The number of documents of each leg whose scores are compared."""
PLACES_BEFORE = 60
"""k of the reciprocal ranks of the remaining documents."""

Ranked = Sequence[tuple[str, float]]


@dataclasses.dataclass(frozen=True)
class FusedLeg:
    """The contribution of one leg.

    Attributes:
        weight: the factor of its shares.
        floor: the score that counts as 0.
        unit: the divisor of an excess over the floor: the mean excess, or the highest one.
        scores: id → score, of its first hundred documents.
        shares: id → excess divided by the unit, of the same documents, the best first.
        first_share: the share of its first document, the highest; 0.0 for an empty leg.
    """

    weight: float
    floor: float
    unit: float
    scores: Mapping[str, float]
    shares: Mapping[str, float]
    first_share: float = dataclasses.field(init=False)

    def __post_init__(self) -> None:
        for name in ("scores", "shares"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))
        object.__setattr__(self, "first_share", next(iter(self.shares.values()), 0.0))

    @property
    def first(self) -> float:
        """Return the contribution to the first document."""
        return self.weight * self.first_share

    def similarity(self, identifier: str) -> float:
        """Return a document's share relative to that of the first document; 0.0 without a share (RET-10)."""
        share = self.shares.get(identifier)
        return 0.0 if share is None else share / self.first_share


@dataclasses.dataclass(frozen=True)
class FusedLegs:
    """The fusion of two legs, in parts from which each score can be computed again.

    Attributes:
        method: "auto" or "min_max".
        text: the text leg.
        dense: the dense leg.
        highest: the score of similarity 1: that of a document that is first in both legs (auto), or 1.0.
    """

    method: Literal["auto", "min_max"]
    text: FusedLeg
    dense: FusedLeg
    highest: float

    def scores(self) -> dict[str, float]:
        """Return id → fused score of all documents among the first hundred of a leg."""
        fused = {identifier: 0.0 + self.text.weight * share for identifier, share in self.text.shares.items()}
        for identifier, share in self.dense.shares.items():
            fused[identifier] = fused.get(identifier, 0.0) + self.dense.weight * share
        return fused

    def ranking(self, text: Ranked, dense: Ranked) -> list[tuple[str, float]]:
        """Return the fused list: documents by these scores, then the remaining ones (FUS-5).

        Args:
            text: the text leg, in ORD-1 order.
            dense: the dense leg, in ORD-1 order.

        Raises:
            InvalidInputError: a fused score is not finite.
        """
        ahead, rest = ordering.rank_fused(self.scores()), ordering.rank(behind(text, dense).items())
        if not ahead or ahead[-1][1] >= 0.0:  # the remaining documents have negative scores
            return [*ahead, *rest]
        return ordering.rank_fused(dict([*ahead, *rest]))

    def similarities(self, scores: Iterable[float]) -> list[float]:
        """Return the displayed similarity of each fused score (FUS-5)."""
        return [0.0 if score < 0.0 else score / self.highest for score in scores]


def behind(text: Ranked, dense: Ranked) -> dict[str, float]:
    """Return id → -1 / r for the remaining documents, r being the sum of their reciprocal ranks (FUS-5)."""
    if len(text) <= DEPTH and len(dense) <= DEPTH:
        return {}
    ahead = {identifier for leg in (text, dense) for identifier, _ in leg[:DEPTH]}
    ranks: dict[str, float] = {}
    for leg in (text, dense):
        for place, (identifier, _) in enumerate(leg, start=1):
            if identifier not in ahead:
                ranks[identifier] = ranks.get(identifier, 0.0) + 1.0 / (PLACES_BEFORE + place)
    return {identifier: -1.0 / rank for identifier, rank in ranks.items()}


def last(leg: Ranked) -> float:
    """Return the last score among the first hundred of a leg; 0.0 for an empty leg."""
    return leg[:DEPTH][-1][1] if leg else 0.0


def leg(ranking: Ranked, weight: float, floor: float, unit_of: Callable[[list[float]], float]) -> FusedLeg:
    """Return the contribution of a leg.

    Args:
        ranking: its documents, in ORD-1 order.
        weight: the factor of its shares.
        floor: the score that counts as 0.
        unit_of: returns the divisor of the excesses.
    """
    ranked = ranking[:DEPTH]
    excesses = [score - floor for _, score in ranked]
    unit = unit_of(excesses) if ranked else 0.0
    shares = {
        identifier: excess / unit if unit > 0.0 else 1.0
        for (identifier, _), excess in zip(ranked, excesses, strict=True)
    }
    return FusedLeg(weight, floor, unit, dict(ranked), shares)

"""What each leg adds to a fusion of the first hundred of both (FUS-3, FUS-4), and what follows behind them (FUS-5)."""

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Literal

from hybrid_search.base import ordering

DEPTH = 100
"""The number of documents of each leg that are compared by their scores."""
PLACES_BEFORE = 60
"""k of the reciprocal ranks of what follows."""

Ranked = Sequence[tuple[str, float]]


@dataclasses.dataclass(frozen=True)
class FusedLeg:
    """One leg.

    Attributes:
        weight: what its shares are multiplied by.
        floor: what its scores are counted from.
        unit: what an excess is divided by: the mean excess, or the highest one.
        scores: id → score, of its first hundred.
        shares: id → excess by unit, of the same, the best first.
        first_share: the share of its first document, the highest; 0.0 where it has none.
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
        """What it adds to its first document."""
        return self.weight * self.first_share

    def similarities(self, identifiers: Iterable[str]) -> list[float]:
        """Return how near each document's share comes to that of the first; 0.0 where it has none (RET-10)."""
        shares, first = self.shares, self.first_share
        return [shares[identifier] / first if identifier in shares else 0.0 for identifier in identifiers]


@dataclasses.dataclass(frozen=True)
class FusedLegs:
    """A fusion of two legs, in parts from which each score can be made again.

    Attributes:
        method: "auto" or "min_max".
        text: the text leg.
        dense: the dense leg.
        highest: what similarities are relative to: the score of a document that is first in both legs (auto), or 1.0.
    """

    method: Literal["auto", "min_max"]
    text: FusedLeg
    dense: FusedLeg
    highest: float

    def scores(self) -> dict[str, float]:
        """Id → fused score of all that are among the first hundred of a leg."""
        fused: dict[str, float] = {}
        for leg in (self.text, self.dense):
            for identifier, share in leg.shares.items():
                fused[identifier] = fused.get(identifier, 0.0) + leg.weight * share
        return fused

    def ranking(self, text: Ranked, dense: Ranked) -> list[tuple[str, float]]:
        """Return the fused list: by these scores, then what is behind them (FUS-5).

        Args:
            text: the text leg, in ORD-1 order.
            dense: the dense leg, in ORD-1 order.

        Raises:
            InvalidInputError: a fused score is not finite.
        """
        ahead, rest = ordering.rank_fused(self.scores()), ordering.rank(behind(text, dense).items())
        if not ahead or ahead[-1][1] >= 0.0:  # what is behind has a negative score
            return [*ahead, *rest]
        return ordering.rank_fused(dict([*ahead, *rest]))

    def similarities(self, scores: Iterable[float]) -> list[float]:
        """Return the similarity that is shown for each fused score (FUS-5)."""
        return [0.0 if score < 0.0 else score / self.highest for score in scores]


def behind(text: Ranked, dense: Ranked) -> dict[str, float]:
    """Id → score of all that are among the first hundred of no leg: -1 / r, r their reciprocal ranks (FUS-5)."""
    ahead = {identifier for leg in (text, dense) for identifier, _ in leg[:DEPTH]}
    ranks: dict[str, float] = {}
    for leg in (text, dense):
        for place, (identifier, _) in enumerate(leg, start=1):
            if identifier not in ahead:
                ranks[identifier] = ranks.get(identifier, 0.0) + 1.0 / (PLACES_BEFORE + place)
    return {identifier: -1.0 / rank for identifier, rank in ranks.items()}


def last(leg: Ranked) -> float:
    """Return the last score among the first hundred of a leg; 0.0 where it is empty."""
    return leg[:DEPTH][-1][1] if leg else 0.0


def leg(ranking: Ranked, weight: float, floor: float, unit_of: Callable[[list[float]], float]) -> FusedLeg:
    """Return what a leg adds.

    Args:
        ranking: its documents, in ORD-1 order.
        weight: what its shares are multiplied by.
        floor: what its scores are counted from.
        unit_of: makes the divisor of the excesses from them.
    """
    ranked = ranking[:DEPTH]
    excesses = [score - floor for _, score in ranked]
    unit = unit_of(excesses) if ranked else 0.0
    shares = {
        identifier: excess / unit if unit > 0.0 else 1.0
        for (identifier, _), excess in zip(ranked, excesses, strict=True)
    }
    return FusedLeg(weight, floor, unit, dict(ranked), shares)

"""The first documents of a text leg, and the facts about the later ones (FUS-5)."""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from hybrid_search.doc_store_adapter.base import Ranking
from hybrid_search.fusion.fused_legs import DEPTH


class LegHead(NamedTuple):
    """The first hundred documents of a leg.

    Attributes:
        ranking: these, in the order of ORD-1.
        total: the number of all documents of the leg.
        scores: returns id → score of those of some documents that are in the leg.
    """

    ranking: Ranking
    total: int
    scores: Callable[[Iterable[str]], Mapping[str, float]]

    @classmethod
    def of(cls, ranking: Ranking) -> "LegHead":
        """Return the head of a leg that is ranked whole."""
        found = dict(ranking)

        def scores(identifiers: Iterable[str]) -> dict[str, float]:
            return {identifier: found[identifier] for identifier in identifiers if identifier in found}

        return cls(ranking[:DEPTH], len(ranking), scores)

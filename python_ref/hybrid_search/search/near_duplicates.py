"""Folds hits into better ones whose texts are nearly the same (ARR-2)."""

from collections.abc import Mapping, Sequence, Set
from typing import Any, NamedTuple

from hybrid_search.search import content_tokens
from hybrid_search.search.ranking_key import RankingKey

WINDOW = 64
"""The maximum number of preceding hits with which a hit is compared."""


class Duplicate(NamedTuple):
    """A hit that is folded into a better one.

    Attributes:
        id: its id.
        similarity: the similarity of its text to that of the better hit.
    """

    id: str
    similarity: float


class NearDuplicates:
    """Folds near duplicates into the preceding hits.

    Only hits that share one of their first shingles are compared: two sets that are at least as similar as `lowest`
    have one of these in common, in any order of shingles.

    Args:
        lowest: the lowest similarity of a duplicate, 0.5 to 1.
    """

    def __init__(self, lowest: float) -> None:
        self._lowest = lowest
        self._kept: list[tuple[str, Set[str]]] = []
        self._places: dict[str, list[int]] = {}
        self.duplicates: dict[str, list[Duplicate]] = {}

    def fold(self, keys: Sequence[RankingKey], documents: Mapping[str, Mapping[str, Any]]) -> list[RankingKey]:
        """Return the remaining hits in the same order; `duplicates` has the others, by the hit they are folded into."""
        return [key for key in keys if not self._folds(key.id, content_tokens.shingles(documents.get(key.id, {})))]

    def _folds(self, identifier: str, shingles: Set[str]) -> bool:
        """Fold a hit and return true, or store it for comparison with later hits."""
        first = sorted(shingles)[: len(shingles) - int(self._lowest * len(shingles)) + 1]
        for place in sorted({place for shingle in first for place in self._places.get(shingle, ())}):
            better, others = self._kept[place]
            if place < len(self._kept) - WINDOW or not others:
                continue
            similarity = content_tokens.jaccard(shingles, others)
            if similarity >= self._lowest:
                self.duplicates.setdefault(better, []).append(Duplicate(identifier, similarity))
                return True
        for shingle in first:
            places = self._places.setdefault(shingle, [])
            places.append(len(self._kept))
            del places[:-WINDOW]
        self._kept.append((identifier, shingles))
        return False

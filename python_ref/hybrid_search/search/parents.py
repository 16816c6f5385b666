"""Replaces hits by their parents: small texts are found, large ones are returned (ARR-5)."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from hybrid_search.base import characters, numeric
from hybrid_search.search.filtered_documents import FilteredDocuments
from hybrid_search.search.ranking_key import RankingKey, RankingOrder

PARENT = "mom_id"
"""The field of a document that contains the id of its parent, as in RAGFlow."""


class Child(NamedTuple):
    """A hit that its parent replaces, or the parent if it was found itself.

    Attributes:
        id: its id.
        score: its score.
        counted: whether the score of the parent includes it: it is in the best tier among them.
    """

    id: str
    score: float
    counted: bool


class Parents:
    """Replaces hits by their parents.

    Args:
        documents: reads the parents.
        method: "mean" or "max", the function that makes the score of a parent from its children's scores.
        order: the order of the hits.
    """

    def __init__(self, documents: FilteredDocuments, method: str, order: RankingOrder) -> None:
        self._documents = documents
        self._method = method
        self._order = order
        self.children: dict[str, list[Child]] = {}
        self.found: dict[str, Mapping[str, Any]] = {}

    def replace(self, keys: Sequence[RankingKey], documents: Mapping[str, Mapping[str, Any]]) -> Sequence[RankingKey]:
        """Return the hits in their order, with children replaced; `children` has them by parent, `found` the parents.

        Args:
            keys: the hits in their order.
            documents: id → document of a hit.
        """
        named = {key.id: parent_of(documents.get(key.id, {})) for key in keys}
        asked: dict[str, Mapping[str, Any]] = {}
        for identifier, parent in named.items():
            if parent is not None:
                asked.setdefault(parent, documents[identifier])
        self.found = self._documents.of(asked)
        groups: dict[str, list[RankingKey]] = {}
        for key in keys:
            parent = named[key.id]
            groups.setdefault(parent if parent in self.found else key.id, []).append(key)
        replaced = [self._place(identifier, members) for identifier, members in groups.items()]
        return self._order.sorted(replaced) if self.children else keys

    def _place(self, identifier: str, members: Sequence[RankingKey]) -> RankingKey:
        """Return the place of a group: that of a hit without a parent, or that of a parent."""
        if [key.id for key in members] == [identifier]:
            return members[0]
        tier = min(key.tier for key in members)
        counted = [key for key in members if key.tier == tier]
        self.children[identifier] = [Child(key.id, key.score, key.tier == tier) for key in members]
        score = self._score([key.score for key in counted])
        stage1_score = self._score([key.stage1_score for key in counted])
        return RankingKey(self._order.values(self.found[identifier]), tier, score, stage1_score, identifier)

    def _score(self, scores: Sequence[float]) -> float:
        return numeric.mean(scores) if self._method == "mean" else max(scores)


def parent_of(document: Mapping[str, Any]) -> str | None:
    """Return the id of the parent of a document; `None` without a parent, or if the id is blank."""
    parent = document.get(PARENT)
    return parent if isinstance(parent, str) and characters.split_white(parent) else None

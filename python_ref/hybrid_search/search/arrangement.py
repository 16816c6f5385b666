"""Changes a ranking before it is shown: parents, folded duplicates, groups, separated similar hits (ARR-4)."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from hybrid_search.base import validation
from hybrid_search.doc_store_adapter.base import DocStoreAdapter
from hybrid_search.doc_store_adapter.documents.field_path import FieldPath
from hybrid_search.errors import InvalidInputError
from hybrid_search.retriever import profiles
from hybrid_search.retriever.field_words import FieldWords
from hybrid_search.retriever.request import RetrievalRequest
from hybrid_search.search.diversity import Diversity, MarginalRelevance
from hybrid_search.search.filtered_documents import FilteredDocuments
from hybrid_search.search.groups import Groups
from hybrid_search.search.near_duplicates import Duplicate, NearDuplicates
from hybrid_search.search.parents import Child, Parents
from hybrid_search.search.ranking_key import RankingKey, RankingOrder

OPTIONS: Mapping[str, Any] = {"parents": None, "collapse": None, "diversity": 0.0, "fold_duplicates": None}
"""The options of an arrangement, and the values that turn them off."""


@dataclasses.dataclass(frozen=True)
class Arranged:
    """The hits of an arrangement.

    Attributes:
        keys: their places, in their order.
        children: id → the hits that it replaces; empty unless parents replace them.
        others: id → the number of other hits of its group; empty unless groups are collapsed.
        duplicates: id → the hits that are folded into it.
        marginal: id → the reason for its place; empty unless similar hits are separated.
        counts: the number of hits before the first step, and the number removed by each step.
    """

    keys: Sequence[RankingKey]
    children: Mapping[str, Sequence[Child]]
    others: Mapping[str, int]
    duplicates: Mapping[str, Sequence[Duplicate]]
    marginal: Mapping[str, MarginalRelevance]
    counts: Mapping[str, int]

    @property
    def counted(self) -> list[Any]:
        """The data whose bytes a cache counts."""
        return [self.children, self.others, self.duplicates, self.marginal]

    def shown(self, identifier: str) -> dict[str, Any]:
        """Return the additional parts of a hit."""
        parts: dict[str, Any] = {}
        if identifier in self.children:
            parts["children"] = tuple(child.id for child in self.children[identifier] if child.id != identifier)
        if identifier in self.others:
            parts["others"] = self.others[identifier]
        if identifier in self.duplicates:
            parts["duplicates"] = tuple(duplicate.id for duplicate in self.duplicates[identifier])
        return parts

    def explained(self, identifier: str, recalled: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
        """Return the additional parts of a hit's explanation.

        Args:
            identifier: its id.
            recalled: id → the explanation of a candidate in recall.
        """
        parts: dict[str, Any] = {}
        if identifier in self.children:
            parts["children"] = [{**recalled[child.id], **child._asdict()} for child in self.children[identifier]]
        if identifier in self.others:
            parts["others"] = self.others[identifier]
        if identifier in self.duplicates:
            parts["duplicates"] = [duplicate._asdict() for duplicate in self.duplicates[identifier]]
        if identifier in self.marginal:
            parts["diversity"] = self.marginal[identifier]._asdict()
        return parts


@dataclasses.dataclass(frozen=True)
class Arrangement:
    """The steps that change a ranking; `Index.search` explains each option.

    Attributes:
        parents: "mean" or "max", the function that makes the score of a parent from its children's scores, or `None`.
        collapse: the field of the store that groups have in common, or `None`.
        diversity: the weight of similarity.
        fold_duplicates: the lowest similarity of duplicates, or `None`.
    """

    parents: str | None
    collapse: str | None
    diversity: float
    fold_duplicates: float | None

    @classmethod
    def of(cls, given: Mapping[str, Any], retrieval: RetrievalRequest) -> "Arrangement | None":
        """Return the checked arrangement; `None` if no step is requested.

        Args:
            given: the options of a search.
            retrieval: the rest of the request.

        Raises:
            InvalidInputError: a value is not accepted, or cannot be combined with another one.
        """
        parents, collapse, fold = given["parents"], given["collapse"], given["fold_duplicates"]
        checked = cls(
            parents=None if parents is None else validation.choice("parents", parents, profiles.CHOICES["parents"]),
            collapse=None if collapse is None else _field(validation.text("collapse", collapse)),
            diversity=validation.number("diversity", given["diversity"], 0.0, 1.0),
            fold_duplicates=None if fold is None else validation.number("fold_duplicates", fold, 0.5, 1.0),
        )
        asked = list(checked.asked)
        if not asked:
            return None
        if retrieval.match_all:
            raise InvalidInputError(f"{asked[0]} must not be set where match_all is true")
        if retrieval.order_by and checked.diversity > 0.0:
            raise InvalidInputError("diversity and order_by exclude each other: both say how hits are ordered")
        return checked

    @property
    def asked(self) -> dict[str, Any]:
        """The requested steps, for the fingerprint of a request (CUR-3)."""
        return {name: getattr(self, name) for name, default in OPTIONS.items() if getattr(self, name) != default}

    @property
    def moves_hits(self) -> bool:
        """Whether hits are shown in an order other than that of their places."""
        return self.diversity > 0.0

    def arrange(
        self,
        store: DocStoreAdapter,
        retrieval: RetrievalRequest,
        keys: Sequence[RankingKey],
        query_vector: Sequence[float] | None,
    ) -> Arranged:
        """Arrange all hits of a ranking.

        Args:
            store: the documents.
            retrieval: the rest of the request.
            keys: the places of the hits, in their order.
            query_vector: the vector of the search, `None` without a dense leg.
        """
        counts = {"hits": len(keys)}
        documents = self._documents(store, keys)
        children: Mapping[str, Sequence[Child]] = {}
        duplicates: Mapping[str, Sequence[Duplicate]] = {}
        others: Mapping[str, int] = {}
        marginal: Mapping[str, MarginalRelevance] = {}
        if self.parents is not None:
            shown = FilteredDocuments(store, retrieval.parsed_filters)
            parents = Parents(shown, self.parents, RankingOrder(retrieval.order_by))
            before, keys = len(keys), parents.replace(keys, documents)
            children, counts["replaced"] = parents.children, before - len(keys)
            documents.update(parents.found)
        if self.fold_duplicates is not None:
            near = NearDuplicates(self.fold_duplicates)
            before, keys = len(keys), near.fold(keys, documents)
            duplicates, counts["folded"] = near.duplicates, before - len(keys)
        if self.collapse is not None:
            groups = Groups(FieldPath.of(self.collapse))
            before, keys = len(keys), groups.collapse(keys, documents)
            others, counts["collapsed"] = groups.others, before - len(keys)
        if self.moves_hits:
            diversity = Diversity(store, self.diversity, query_vector)
            keys, marginal = diversity.order(keys), diversity.parts
        return Arranged(keys, children, others, duplicates, marginal, counts)

    def _documents(self, store: DocStoreAdapter, keys: Sequence[RankingKey]) -> dict[str, Mapping[str, Any]]:
        """Return the documents of the hits by id, if they are needed, without those that have been removed."""
        if self.parents is None and self.fold_duplicates is None and self.collapse is None:
            return {}
        identifiers = [key.id for key in keys]
        found = zip(identifiers, store.get_many(identifiers, []), strict=True)
        return {identifier: document for identifier, document in found if document is not None}


def _field(name: str) -> str:
    return FieldWords().name("name to collapse by", name)

"""The result of a search in a document store (DOC-1)."""

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from hybrid_search.doc_store_adapter.dense_scores import DenseScores
from hybrid_search.fusion.fused_legs import FusedLegs


@dataclass(frozen=True)
class SearchResult:
    """The documents that a search found, in the store's order, with the data that a reranker and a page need.

    Attributes:
        total: the number of documents that matched, not only of those returned.
        ids: the ids of the returned documents, best first.
        fields: id → field name → stored value; the vector field `q_{dim}_vec` is included when it was selected.
        scores: id → the store's own score, finite.
        query_vector: the vector of the query, or `None` when the search had no dense leg.
        highlight: id → text with `<em>` (DOC-4).
        aggs: field name → list of (value, count).
        keywords: the keywords of the question, in order.
        prepared: id → data that the store's fast kernels prepared for the reranker when the document was inserted. The
            reranker prepares a document without an entry itself, with the same result.
        dense_scores: the cosines that the dense leg computed, if the store returns them; the reranker computes the
            rest, with the same result.
        fused: the share of each leg in the scores, if the fusion reports it (FUS-3, FUS-4).
        text_scores: id → score in the text leg, at least of the documents that are returned, if the store returns them;
            empty without a text leg.
        features: id → what page rank and tags add to the score in the text leg (RNK-10); empty unless they count.
        generation: the generation of the store, if the search has read it (DOC-11); the documents are not older.
        vector_fields: the facts about each vector field in that generation, as `DocStoreAdapter.vector_fields`
            describes them, if the search has read them.
        documents: id → the returned documents without their vectors, if the search was asked for them and has read
            them in the same state; then `dense_scores` has the cosines of all of them.
    """

    total: int
    ids: Sequence[str]
    fields: Mapping[str, Mapping[str, Any]]
    scores: Mapping[str, float] = dataclasses.field(default_factory=dict)
    query_vector: Sequence[float] | None = None
    highlight: Mapping[str, str] = dataclasses.field(default_factory=dict)
    aggs: Mapping[str, Sequence[tuple[Any, int]]] = dataclasses.field(default_factory=dict)
    keywords: Sequence[str] = ()
    prepared: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    dense_scores: DenseScores | None = None
    fused: FusedLegs | None = None
    text_scores: Mapping[str, float] = dataclasses.field(default_factory=dict)
    features: Mapping[str, float] = dataclasses.field(default_factory=dict)
    generation: int | str | None = None
    vector_fields: Mapping[str, Mapping[str, Any]] | None = None
    documents: Mapping[str, dict[str, Any]] | None = None

    def fields_of(self, identifier: str) -> Mapping[str, Any]:
        """Return the fields of a document; empty if they are missing or not an object."""
        fields = self.fields.get(identifier)
        return fields if type(fields) is dict or isinstance(fields, Mapping) else {}

    def asked_with(self, keywords: Sequence[str], query_vector: Sequence[float] | None) -> "SearchResult":
        """Return the result with these keywords and this vector; most stores have set them already."""
        vector = None if query_vector is None else tuple(query_vector)
        if self.keywords == tuple(keywords) and self.query_vector == vector:
            return self
        return dataclasses.replace(self, keywords=keywords, query_vector=vector)

    def __post_init__(self) -> None:
        object.__setattr__(self, "ids", tuple(self.ids))
        object.__setattr__(self, "keywords", tuple(self.keywords))
        if self.query_vector is not None:
            object.__setattr__(self, "query_vector", tuple(self.query_vector))
        for name in ("fields", "scores", "highlight", "aggs", "prepared", "text_scores", "features"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))

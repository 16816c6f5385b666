"""The documents of a store in memory and their indexes, in one state (DOC-1 … DOC-3)."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from hybrid_search.base import ordering
from hybrid_search.doc_store_adapter.base import Ranking
from hybrid_search.doc_store_adapter.documents import stored_document
from hybrid_search.doc_store_adapter.documents.field_path import FieldPath
from hybrid_search.doc_store_adapter.documents.stored_document import StoredDocument
from hybrid_search.doc_store_adapter.filters.filters import Filters
from hybrid_search.doc_store_adapter.queries import document_listing
from hybrid_search.doc_store_adapter.queries.document_listing import DocumentListing
from hybrid_search.doc_store_adapter.queries.match_exprs import Bm25fQuery, DenseQuery, TextQuery
from hybrid_search.doc_store_adapter.queries.query_clauses import Clause
from hybrid_search.doc_store_adapter.queries.sort_order import SortOrder
from hybrid_search.doc_store_adapter.snapshot import bm25f
from hybrid_search.doc_store_adapter.snapshot.bm25 import Bm25
from hybrid_search.doc_store_adapter.snapshot.dense_index import DenseIndex
from hybrid_search.doc_store_adapter.snapshot.inverted_index import InvertedIndex
from hybrid_search.doc_store_adapter.snapshot.leg_head import LegHead
from hybrid_search.doc_store_adapter.store_stats import Held


class DocumentIndex:
    """An immutable collection of documents by id; `changed` returns the next state and leaves this one unchanged.

    The index of a field is built when a query first needs it. Several threads may read at the same time.

    Args:
        bm25: the formula.
    """

    def __init__(self, bm25: Bm25) -> None:
        self._bm25 = bm25
        self._documents: dict[str, StoredDocument] = {}
        self._text_indexes: dict[str, InvertedIndex] = {}
        self._dense_indexes: dict[str, DenseIndex] = {}

    @property
    def count(self) -> int:
        """The number of documents."""
        return len(self._documents)

    def fields(self, identifier: str) -> dict[str, Any] | None:
        """Return the fields of a document except its vectors, or `None`; callers must not change them."""
        document = self._documents.get(identifier)
        return None if document is None else document.fields

    def vector(self, identifier: str, field: str) -> list[float] | None:
        """Return the vector of a document in a field, or `None`; callers must not change it."""
        document = self._documents.get(identifier)
        return None if document is None else document.vectors.get(field)

    def stored(self, identifier: str) -> StoredDocument | None:
        """Return a document, or `None`; callers must not change it."""
        return self._documents.get(identifier)

    def entries(self) -> Iterator[Held]:
        """Return for each document the fields except vectors, and the names of the vector fields, in any order."""
        return ((document.fields, document.vectors) for document in self._documents.values())

    def changed(self, removed: Sequence[str], added: Sequence[StoredDocument]) -> "DocumentIndex":
        """Return the state after a batch; changes must be sequential, each one from the latest published state.

        Args:
            removed: the ids of removed documents.
            added: new documents, whose ids no other document has.
        """
        following = DocumentIndex(self._bm25)
        gone = set(removed)
        following._documents = {key: document for key, document in self._documents.items() if key not in gone}
        following._documents.update((document.identifier, document) for document in added)
        return following

    def passing(self, filters: Filters) -> list[str]:
        """Return the ids of the documents that pass filters, in any order."""
        if self.passes_all(filters):
            return list(self._documents)
        return [
            document.identifier
            for document in self._documents.values()
            if filters.accepts(document.identifier, document.fields, document.vectors)
        ]

    def passes_all(self, filters: Filters) -> bool:
        """Return whether all documents certainly pass filters, without checking each of them."""
        return filters.ask_availability_alone and not self._state_availability

    @cached_property
    def _state_availability(self) -> bool:
        """Whether any document has a value for availability; a document without one is available."""
        return any("available_int" in document.fields for document in self._documents.values())

    def text_leg(self, query: TextQuery, filters: Filters) -> Ranking:
        """Return the documents that match a text query, at most its `topn`, in the order of ORD-1.

        A document's score is the sum of clause score · boost over its clauses from left to right, starting at 0.0.
        """
        totals: dict[str, float] = {}
        matched: dict[str, set[int]] = {}
        for place, clause in enumerate(query.clauses.clauses):
            for identifier, score in self._best_scores(query.fields, clause).items():
                totals[identifier] = totals.get(identifier, 0.0) + clause.boost * score
                matched.setdefault(identifier, set()).add(place)
        found = [
            (identifier, totals[identifier])
            for identifier in self.passing(filters)
            if identifier in matched and _alternatives(query, matched[identifier]) >= query.clauses.required
        ]
        return ordering.rank(found)[: query.topn]

    def bm25f_leg(self, query: Bm25fQuery, filters: Filters) -> Ranking:
        """Return the documents that contain a token of a bag, at most its `topn`, in the order of ORD-1 (DOC-9)."""
        totals: dict[str, float] = {}
        indexes = [(weight, index) for field, weight in query.fields if (index := self._text_index(field)).lengths]
        for token, count in query.counts.items():
            frequencies = _bm25f_frequencies(indexes, token)
            weight = bm25f.idf(self.count, self._holding(token, frequencies))
            for identifier, frequency in frequencies.items():
                totals[identifier] = totals.get(identifier, 0.0) + bm25f.score(count, weight, frequency)
        passing = self.passing(filters)
        found = [(identifier, totals[identifier]) for identifier in passing if totals.get(identifier, 0.0) > 0.0]
        return ordering.rank(found)[: query.topn]

    def bm25f_head(self, query: Bm25fQuery, filters: Filters) -> LegHead:
        """Return the first hundred documents of that leg."""
        return LegHead.of(self.bm25f_leg(query, filters))

    def dense_leg(self, query: DenseQuery, filters: Filters) -> Ranking:
        """Return the documents nearest to a vector with sufficient similarity, at most `topn`, by ORD-1."""
        found = self._dense_index(query.field).cosines(query.vector, self.passing(filters))
        if query.similarity is not None:
            found = [(identifier, cosine) for identifier, cosine in found if cosine >= query.similarity]
        return ordering.rank(found)[: query.topn]

    def values(self, path: FieldPath, identifiers: Sequence[str]) -> list[Any]:
        """Return the values of documents at a path, with `None` for documents without a value."""
        return [path.value(self.fields(identifier) or {}) for identifier in identifiers]

    def listing(self, filters: Filters, order: SortOrder, offset: int, limit: int) -> DocumentListing:
        """Return a slice of the documents that pass filters."""
        return document_listing.of(self.passing(filters), order, offset, limit, self.values)

    def expect(self, identifiers: Sequence[str], vector_fields: Sequence[str] | None) -> None:
        """Announce the documents that will be read; this class has nothing to prepare."""

    def prepared(self, identifiers: Sequence[str]) -> Mapping[str, Any]:
        """Return id → the data prepared for reranking a document; empty in this class."""
        return {}

    def _holding(self, _token: str, frequencies: Mapping[str, float]) -> int:
        """Return the number of documents that contain a token in one of the searched fields."""
        return len(frequencies)

    def _best_scores(self, fields: Sequence[tuple[str, float]], clause: Clause) -> dict[str, float]:
        """Return id → the score of a clause in the best field: the maximum of field boost · score."""
        best: dict[str, float] = {}
        for field, boost in fields:
            for identifier, score in self._text_index(field).scores(clause.tokens, clause.slop).items():
                best[identifier] = max(boost * score, best.get(identifier, boost * score))
        return best

    def _text_index(self, field: str) -> InvertedIndex:
        if field not in self._text_indexes:
            tokens = {
                identifier: stored_document.tokens(field, document.fields[field])
                for identifier, document in self._documents.items()
                if field in document.fields
            }
            self._text_indexes[field] = InvertedIndex(self._bm25, stored_document.is_keyword_field(field), tokens)
        return self._text_indexes[field]

    def _dense_index(self, field: str) -> DenseIndex:
        if field not in self._dense_indexes:
            vectors = {
                identifier: document.vectors[field]
                for identifier, document in self._documents.items()
                if field in document.vectors
            }
            self._dense_indexes[field] = DenseIndex(vectors)
        return self._dense_indexes[field]


def _bm25f_frequencies(indexes: Sequence[tuple[float, InvertedIndex]], token: str) -> dict[str, float]:
    """Return id → the weighted and normalized frequency of a token over all fields, for documents that contain it."""
    frequencies: dict[str, float] = {}
    for weight, index in indexes:
        for identifier, count in index.counts(token).items():
            added = bm25f.frequency(weight, count, index.lengths[identifier], index.average_filled_length)
            frequencies[identifier] = frequencies.get(identifier, 0.0) + added
    return frequencies


def _alternatives(query: TextQuery, matched: set[int]) -> int:
    """Return the number of alternatives that contain one of the matched clauses."""
    return len([None for places in query.clauses.alternatives if matched.intersection(places)])

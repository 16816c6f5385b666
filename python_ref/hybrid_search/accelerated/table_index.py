"""The documents in the tables of a database with their indexes (SQL-5, PG-5), in a fast form, in one state."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Generic, TypeVar

import numpy as np

from hybrid_search.accelerated import fast_leg_head
from hybrid_search.accelerated.best_sums import BestSums
from hybrid_search.accelerated.bm25f_postings import Bm25fLeg
from hybrid_search.accelerated.cached_states import Cached
from hybrid_search.accelerated.posting import Scores, Slots
from hybrid_search.accelerated.query_evaluator import QueryEvaluator
from hybrid_search.accelerated.stored_inverted_index import StoredInvertedIndex
from hybrid_search.base import ordering
from hybrid_search.doc_store_adapter.base import Ranking
from hybrid_search.doc_store_adapter.documents.field_path import FieldPath
from hybrid_search.doc_store_adapter.documents.stored_document import StoredDocument
from hybrid_search.doc_store_adapter.filters.filters import Filters
from hybrid_search.doc_store_adapter.queries import document_listing
from hybrid_search.doc_store_adapter.queries.document_listing import DocumentListing
from hybrid_search.doc_store_adapter.queries.match_exprs import Bm25fQuery, DenseQuery, TextQuery
from hybrid_search.doc_store_adapter.queries.sort_order import SortOrder
from hybrid_search.doc_store_adapter.snapshot.bm25 import Bm25
from hybrid_search.doc_store_adapter.snapshot.leg_head import LegHead
from hybrid_search.doc_store_adapter.store_stats import Held
from hybrid_search.doc_store_adapter.tables.posting_tables import FieldRow, IdentifierTables

MANY = 4
"""If more than 1 / `MANY` of all ids are missing, all of them are read at once."""

Tables = TypeVar("Tables", bound=IdentifierTables)


class TableIndex(ABC, Generic[Tables, Cached]):
    """The documents of one state, for one search; the read-only counterpart of a store in memory's index.

    Args:
        bm25: the formula.
        tables: the state, in the transaction of the search.
        cache: the caches that earlier searches of the same state have filled.
    """

    SUMS = BestSums
    """The class that finds the best sums of texts."""

    def __init__(self, bm25: Bm25, tables: Tables, cache: Cached) -> None:
        self._bm25 = bm25
        self._tables = tables
        self._kept = cache
        self._numbers: dict[str, int] = {}
        self._vectors: dict[tuple[str, str], list[float]] = {}

    @property
    def count(self) -> int:
        """The number of documents."""
        return self._tables.count

    def fields(self, identifier: str) -> dict[str, Any] | None:
        """Return the fields of a document except for its vectors, or `None`; the caller may not change them."""
        held = self._held(identifier)
        return None if held is None else held[0]

    def vector(self, identifier: str, field: str) -> list[float] | None:
        """Return the vector of a document in a field, or `None`; the caller may not change it."""
        held = self._held(identifier)
        if held is None or field not in held[1]:
            return None
        vector = self._vectors.get((identifier, field))
        return self._vector(identifier, field) if vector is None else vector

    def stored(self, identifier: str) -> StoredDocument | None:
        """Return a document, or `None`; the caller may not change anything in it."""
        held = self._held(identifier)
        if held is None:
            return None
        fields, vector_fields = held
        vectors = {field: self.vector(identifier, field) or [] for field in vector_fields}
        return StoredDocument(identifier, fields, vectors)

    @abstractmethod
    def entries(self) -> Iterator[Held]:
        """Return the fields of each document except its vectors, and the names of its vector fields, in no order."""

    def passing(self, filters: Filters) -> list[str]:
        """Return the ids of the documents that pass filters, in no order."""
        mask = self._kept.masks.mask(filters, self._tables)
        if mask is None:
            found = {identifier: number for number, identifier in self._identifiers(None).items()}
        else:
            numbers = np.flatnonzero(mask).tolist()
            known = self._identifiers(numbers)
            found = {known[number]: number for number in numbers}
        self._numbers.update(found)
        return list(found)

    def passes_all(self, filters: Filters) -> bool:
        """Return whether all documents are known to pass filters without a look at each."""
        return self._kept.masks.mask(filters, self._tables) is None

    def text_leg(self, query: TextQuery, filters: Filters) -> Ranking:
        """Return up to `topn` documents that match a text query, in the order of ORD-1."""
        best_fields = self._kept.best_fields.over(self._text_indexes(query))
        evaluator = QueryEvaluator(best_fields, self.SUMS(self._tables.numbers))
        mask = self._kept.masks.mask(filters, self._tables)
        slots, scores = evaluator.best(tuple(query.fields), query.clauses, query.topn, mask)
        return self._ranked(slots, scores, query.topn)

    def bm25f_leg(self, query: Bm25fQuery, filters: Filters) -> Ranking:
        """Return up to `topn` documents that contain a token of a bag, in the order of ORD-1 (DOC-9)."""
        return self._ranked(*self._bm25f(query, filters).best(), query.topn)

    def bm25f_head(self, query: Bm25fQuery, filters: Filters) -> LegHead:
        """Return the first hundred documents of that leg; their scores are needed because a leg has found them."""
        return fast_leg_head.of(self._bm25f(query, filters), self._ranked, self._numbers.get)

    @abstractmethod
    def dense_leg(self, query: DenseQuery, filters: Filters) -> Ranking:
        """Return up to `topn` documents nearest to a vector that are similar enough, in the order of ORD-1."""

    def values(self, path: FieldPath, identifiers: Sequence[str]) -> list[Any]:
        """Return the values of documents at a path, `None` for a document without one; they are read together."""
        self.expect(identifiers, ())
        return [path.value(self.fields(identifier) or {}) for identifier in identifiers]

    def listing(self, filters: Filters, order: SortOrder, offset: int, limit: int) -> DocumentListing:
        """Return a slice of the documents that pass filters."""
        return document_listing.of(self.passing(filters), order, offset, limit, self.values)

    @abstractmethod
    def expect(self, identifiers: Sequence[str], vector_fields: Sequence[str] | None) -> None:
        """Read documents that will be requested, together.

        Args:
            identifiers: the ids of the documents.
            vector_fields: the vector fields that will be requested; `None`: all.
        """

    def prepared(self, identifiers: Sequence[str]) -> Mapping[str, Any]:
        """Return id → the form prepared for reranking; this index has none."""
        return {}

    @abstractmethod
    def _held(self, identifier: str) -> tuple[dict[str, Any], list[str]] | None:
        """Return a document's fields except vectors, and its vector fields' names; `None` if it is not stored."""

    @abstractmethod
    def _vector(self, identifier: str, field: str) -> list[float]:
        """Return a stored vector that has not been read yet."""

    @abstractmethod
    def _text_field(self, name: str) -> FieldRow | None:
        """Return a field of tokens, or `None` if no document has ever had it."""

    def _text_indexes(self, query: TextQuery | Bm25fQuery) -> dict[str, StoredInvertedIndex]:
        found = {}
        for name, _ in query.fields:
            index = self._kept.text_indexes.get(name)
            if index is None:
                row = self._text_field(name)
                if row is None or not row.documents:
                    continue
                index = self._kept.text_indexes[name] = self._inverted_index(row)
            found[name] = index.reading(self._tables)
        return found

    def _inverted_index(self, row: FieldRow) -> StoredInvertedIndex:
        return StoredInvertedIndex(
            self._bm25, row, self._tables, self._kept.lengths, self._kept.counts, self._kept.postings
        )

    def _identifiers(self, numbers: Sequence[int] | None) -> dict[int, str]:
        """Return the ids of some documents, or of all, by number."""
        kept = self._kept.identifiers
        found = kept.all() if numbers is None else kept.found(numbers)
        if numbers is None:
            return found if len(found) == self.count else self._read_identifiers(None)
        if missing := sorted(number for number in numbers if number not in found):
            found.update(self._read_identifiers(None if len(missing) * MANY > self.count else missing))
        return found

    def _read_identifiers(self, numbers: Sequence[int] | None) -> dict[int, str]:
        """Read the ids of some documents, or of all, and cache them."""
        read = dict(self._tables.identifiers() if numbers is None else self._tables.identifiers_of(numbers))
        self._kept.identifiers.keep_all(read)
        return read

    def _keep_numbers(self, found: Mapping[str, int]) -> None:
        """Cache the numbers of documents that have been read, given by their ids."""
        self._numbers.update(found)
        self._kept.identifiers.keep_all({number: identifier for identifier, number in found.items()})

    def _known_number(self, identifier: str) -> int | None:
        """Return the number of a document; `None` if no search has found it."""
        number = self._numbers.get(identifier)
        return self._kept.identifiers.number(identifier) if number is None else number

    def _bm25f(self, query: Bm25fQuery, filters: Filters) -> Bm25fLeg:
        bm25f = self._kept.bm25f.over(self._text_indexes(query))
        mask = self._kept.masks.mask(filters, self._tables)
        return bm25f.leg(query, self.count, self.SUMS(self._tables.numbers), mask)

    def _ranked(self, slots: Slots, scores: Scores, limit: int) -> Ranking:
        numbers = slots.tolist()
        known = self._identifiers(numbers)
        identifiers = [known[number] for number in numbers]
        self._numbers.update(zip(identifiers, numbers, strict=True))
        return ordering.rank(zip(identifiers, scores.tolist(), strict=True))[:limit]

"""The documents of a collection in PostgreSQL with their indexes (PG-5), fast: reads only what a question needs."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from hybrid_search.accelerated.cached_masks import CachedMasks
from hybrid_search.accelerated.cached_states import CachedState, CachedStates
from hybrid_search.accelerated.kept_lengths import KeptLengths
from hybrid_search.accelerated.postgres_listings import PostgresListings, is_by_id
from hybrid_search.accelerated.postgres_masks import PostgresMasks
from hybrid_search.accelerated.postgres_vectors import Nearest, PostgresVectors, Vectors, are_among
from hybrid_search.accelerated.stored_inverted_index import StoredInvertedIndex
from hybrid_search.accelerated.table_index import MANY, TableIndex
from hybrid_search.accelerated.touched_documents import MOST_TOUCHED, Row
from hybrid_search.doc_store_adapter.base import Ranking
from hybrid_search.doc_store_adapter.documents.field_path import FieldPath
from hybrid_search.doc_store_adapter.filters import attributes
from hybrid_search.doc_store_adapter.filters.filters import Filters
from hybrid_search.doc_store_adapter.postgres.postgres_tables import PostgresTables
from hybrid_search.doc_store_adapter.queries.document_listing import DocumentListing
from hybrid_search.doc_store_adapter.queries.match_exprs import Bm25fQuery, DenseQuery, TextQuery
from hybrid_search.doc_store_adapter.queries.sort_order import SortOrder
from hybrid_search.doc_store_adapter.snapshot.bm25 import Bm25
from hybrid_search.doc_store_adapter.store_stats import Held
from hybrid_search.doc_store_adapter.tables.document_row import DocumentRow
from hybrid_search.doc_store_adapter.tables.posting_tables import FieldRow

MOST_NEAREST = 4
"""The number of questions whose nearest documents are cached."""
MOST_COLUMNS = 4
"""The number of fields whose values of all documents are cached."""


class CachedCollection(CachedState):
    """The cached data of one state of a collection.

    Attributes:
        nearest: question → its nearest documents.
        columns: name of a field → id → value, of all documents.
        listings: the listings of all documents.
    """

    def __init__(self, tables: PostgresTables, memory: int, masks: CachedMasks, lengths: KeptLengths) -> None:
        super().__init__((tables.state, tables.generation), masks, memory, lengths)
        self.nearest: Mapping[Any, Nearest] = {}
        self.columns: Mapping[str, Mapping[str, Any]] = {}
        self.listings = PostgresListings()

    def after(self, touched: Sequence[int], tables: PostgresTables) -> "CachedCollection":
        """Return the parts that are the same in a later state.

        Args:
            touched: the numbers of the documents that have changed since.
            tables: the later state.
        """
        nearest, is_few = self.nearest, len(touched) <= MOST_TOUCHED
        rows: Sequence[DocumentRow] = []
        vectors: Sequence[Row] = []
        if is_few and nearest:
            rows, vectors = tables.changed(touched)
        elif is_few or not self.masks.is_empty:
            rows = tables.documents(touched)
        masks = self.masks.after(touched, rows, tables)
        later = CachedCollection(tables, self.memory, masks, self.lengths.after(touched))
        later.take_over(self, touched, rows, vectors)
        later.nearest = nearest
        return later


class PostgresDocuments(CachedStates[CachedCollection]):
    """Returns the documents in each state of a collection.

    Args:
        bm25: the formula.
        options: whether the nearest documents may come from an index of approximate neighbours, and the maximum number
            of bytes for lengths, ids and postings.
    """

    def __init__(self, bm25: Bm25, options: tuple[bool, int]) -> None:
        super().__init__()
        self._bm25 = bm25
        self._approximate, self._memory = options

    def _fresh(self, tables: PostgresTables) -> CachedCollection:
        return CachedCollection(tables, self._memory, PostgresMasks(), KeptLengths(self._memory // 4))

    def _after(self, cache: CachedCollection, tables: PostgresTables) -> CachedCollection:
        touched = tables.touched_since(cache.generation, str(cache.state))
        return self._fresh(tables) if touched is None else cache.after(touched, tables)

    def _index(self, tables: PostgresTables, cache: CachedCollection) -> "PostgresIndex":
        return PostgresIndex(self._bm25, tables, cache, self._approximate)


class PostgresIndex(TableIndex[PostgresTables, CachedCollection]):
    """The documents of one state of a collection.

    Args:
        bm25: as for `TableIndex`.
        tables: as for `TableIndex`.
        cache: as for `TableIndex`.
        approximate: as for `PostgresDocuments`.
    """

    def __init__(self, bm25: Bm25, tables: PostgresTables, cache: CachedCollection, approximate: bool) -> None:
        super().__init__(bm25, tables, cache)
        self._approximate = approximate
        self._rows: dict[str, DocumentRow] = {}
        self._near: dict[str, list[Vectors]] = {}

    def entries(self) -> Iterator[Held]:
        """Return the fields of each document except its vectors, and the names of its vector fields, in no order."""
        return ((row.fields, row.vector_fields) for rows in self._tables.all_documents() for row in rows)

    def dense_leg(self, query: DenseQuery, filters: Filters) -> Ranking:
        """Return up to `topn` documents nearest to a vector that are similar enough, in the order of ORD-1."""
        row = self._tables.fields.get(query.field)
        if row is None or not query.topn:
            return []
        nearest = self._nearest(row.field, query, filters)
        self._near.setdefault(query.field, []).extend(nearest.read)
        return self._ranked(nearest.numbers, nearest.scores, query.topn)

    def values(self, path: FieldPath, identifiers: Sequence[str]) -> list[Any]:
        """Return the values of documents at a path, `None` for documents without one.

        For many documents, the values of all are read and cached, as a caller that lists documents asks for the next
        page.
        """
        if len(identifiers) * MANY < self.count or not attributes.is_attribute(path.steps[0]):
            self.expect(identifiers, ())
            return [path.value(self.fields(identifier) or {}) for identifier in identifiers]
        column = self._kept.columns.get(path.name)
        if column is None:
            rows = (row for rows in self._tables.all_documents() for row in rows)
            column = {row.identifier: path.value(row.fields) for row in rows}
            self._kept.columns = {**dict(list(self._kept.columns.items())[1 - MOST_COLUMNS :]), path.name: column}
        return [column[identifier] for identifier in identifiers]

    def listing(self, filters: Filters, order: SortOrder, offset: int, limit: int) -> DocumentListing:
        """Return a slice of the documents that pass filters."""
        mask = self._kept.masks.mask(filters, self._tables)
        total = self.count if mask is None else int(np.count_nonzero(mask))
        first, size = min(offset, total), min(limit, total)
        if is_by_id(order):
            found = self._kept.listings.by_id(filters, mask, first, size, self._tables)
            self._keep_numbers(found)
            return DocumentListing(total, list(found))
        ordered = self._kept.listings.ordered(filters, mask, order, self._tables)
        if ordered is None:
            return super().listing(filters, order, offset, limit)
        numbers = ordered[first : first + size].tolist()
        known = self._identifiers(numbers)
        identifiers = [known[number] for number in numbers]
        self._numbers.update(zip(identifiers, numbers, strict=True))
        return DocumentListing(total, identifiers)

    def expect(self, identifiers: Sequence[str], vector_fields: Sequence[str] | None) -> None:
        """Read documents that will be requested, together."""
        missing = [identifier for identifier in identifiers if identifier not in self._rows]
        if missing:
            found = ((identifier, self._known_number(identifier)) for identifier in missing)
            known = {identifier: number for identifier, number in found if number is not None}
            if len(known) < len(missing):
                read = self._tables.numbers_of([identifier for identifier in missing if identifier not in known])
                self._keep_numbers(read)
                known.update(read)
            self._numbers.update(known)
            numbers = list(known.values())
            self._rows.update((row.identifier, row) for row in self._tables.documents(numbers))
        fields = self._tables.fields.keys() if vector_fields is None else vector_fields
        if wanted := [field for field in fields if field.endswith("_vec") and field in self._tables.fields]:
            self._read_vectors(identifiers, wanted)

    def _held(self, identifier: str) -> tuple[dict[str, Any], list[str]] | None:
        if identifier not in self._rows:
            self.expect([identifier], ())
        row = self._rows.get(identifier)
        return None if row is None else (row.fields, row.vector_fields)

    def _vector(self, identifier: str, field: str) -> list[float]:
        self._read_vectors([identifier], [field])
        return self._vectors[identifier, field]

    def _text_field(self, name: str) -> FieldRow | None:
        return self._tables.fields.get(name)

    def _text_indexes(self, query: TextQuery | Bm25fQuery) -> dict[str, StoredInvertedIndex]:
        found = super()._text_indexes(query)
        fields = [self._tables.fields[name].field for name in found]
        self._tables.expect_places(fields, [token.encode("utf-8") for token in query.tokens])
        return found

    def _read_vectors(self, identifiers: Sequence[str], fields: Sequence[str]) -> None:
        """Read vectors, except those of candidates of the dense leg, which were read before."""
        numbers = {self._numbers[identifier]: identifier for identifier in identifiers if identifier in self._numbers}
        wanted = np.array(sorted(numbers), dtype=np.int64)
        for field in fields if numbers else ():
            for vectors in self._near.get(field, ()):
                for place in np.flatnonzero(are_among(vectors.numbers, wanted)).tolist():
                    identifier = numbers[int(vectors.numbers[place])]
                    self._vectors[identifier, field] = vectors.vectors[place].tolist()
        missing = [
            number
            for number, identifier in numbers.items()
            if any(
                field in self._rows[identifier].vector_fields and (identifier, field) not in self._vectors
                for field in fields
            )
        ]
        if missing:
            for (field, number), vector in self._tables.vectors(fields, missing).items():
                self._vectors[numbers[number], field] = vector

    def _nearest(self, field: int, query: DenseQuery, filters: Filters) -> Nearest:
        """Return the results of the server.

        A repeated question, for more of its results, is not sent again. After a change only the touched vectors are
        read, if that is enough.
        """
        key = (field, tuple(query.vector), query.topn, query.similarity, filters.key)
        kept, touched = self._kept.nearest.get(key), self._kept.touched
        if kept is not None and kept.generation == touched.generation:
            return kept
        vectors = PostgresVectors(field, query, self._tables, self._kept.masks.mask(filters, self._tables))
        found = None if kept is None else vectors.nearest_after(kept, touched)
        found = vectors.nearest(self._approximate, touched.generation) if found is None else found
        others = [(other, nearest) for other, nearest in self._kept.nearest.items() if other != key]
        self._kept.nearest = {**dict(others[1 - MOST_NEAREST :]), key: found}
        return found

"""The documents of a collection in OceanBase as a snapshot; only the data that a search needs is read (OB-2)."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hybrid_search.doc_store_adapter.base import Ranking
from hybrid_search.doc_store_adapter.documents.field_path import FieldPath
from hybrid_search.doc_store_adapter.documents.stored_document import StoredDocument
from hybrid_search.doc_store_adapter.filters.filters import Filters
from hybrid_search.doc_store_adapter.oceanbase.oceanbase_candidates import OceanBaseCandidates
from hybrid_search.doc_store_adapter.oceanbase.oceanbase_tables import OceanBaseTables
from hybrid_search.doc_store_adapter.oceanbase.oceanbase_vectors import OceanBaseVectors
from hybrid_search.doc_store_adapter.queries import document_listing
from hybrid_search.doc_store_adapter.queries.document_listing import DocumentListing
from hybrid_search.doc_store_adapter.queries.match_exprs import Bm25fQuery, DenseQuery, TextQuery
from hybrid_search.doc_store_adapter.queries.sort_order import SortOrder
from hybrid_search.doc_store_adapter.snapshot.leg_head import LegHead
from hybrid_search.doc_store_adapter.store_stats import Held
from hybrid_search.doc_store_adapter.tables.document_row import DocumentRow


class OceanBaseDocuments:
    """Returns the documents in each state of a store's tables; nothing is cached from one search to the next.

    Args:
        approximate: whether indexes of approximate nearest neighbours are used.
    """

    def __init__(self, approximate: bool) -> None:
        self._approximate = approximate

    def state(self, tables: OceanBaseTables) -> "OceanBaseIndex":
        """Return the documents in the current state of the tables."""
        return OceanBaseIndex(tables, self._approximate)


class OceanBaseIndex:
    """The documents in one state of the tables, for one call; the methods are those of `Documents`.

    Args:
        tables: the tables in the view of a transaction.
        approximate: as for `OceanBaseDocuments`.
    """

    def __init__(self, tables: OceanBaseTables, approximate: bool) -> None:
        self._tables = tables
        self._approximate = approximate
        self._rows: dict[str, DocumentRow | None] = {}
        self._vectors: dict[tuple[str, str], list[float]] = {}

    @property
    def count(self) -> int:
        """The number of documents."""
        return self._tables.count

    def fields(self, identifier: str) -> dict[str, Any] | None:
        """Return the fields of a document except its vectors, or `None`."""
        row = self._row(identifier)
        return None if row is None else row.fields

    def vector(self, identifier: str, field: str) -> list[float] | None:
        """Return the vector of a document in a field, or `None`."""
        row = self._row(identifier)
        if row is None or field not in row.vector_fields:
            return None
        if (identifier, field) not in self._vectors:
            self._read_vectors([row], field)
        return self._vectors[identifier, field]

    def stored(self, identifier: str) -> StoredDocument | None:
        """Return a document, or `None`."""
        row = self._row(identifier)
        if row is None:
            return None
        vectors = {field: self.vector(identifier, field) or [] for field in row.vector_fields}
        return StoredDocument(identifier, row.fields, vectors)

    def entries(self) -> Iterator[Held]:
        """Return for each document the fields except vectors, and the names of the vector fields."""
        return ((row.fields, row.vector_fields) for rows in self._tables.all_documents() for row in rows)

    def passing(self, filters: Filters) -> list[str]:
        """Return the ids of the documents that pass filters."""
        rows = self._tables.connection.rows("passing", filter=self._tables.condition(filters))
        return [identifier.decode("utf-8") for (identifier,) in rows]

    def passes_all(self, filters: Filters) -> bool:
        """Return whether all documents certainly pass filters."""
        return self._tables.passes_all(filters)

    def text_leg(self, query: TextQuery, filters: Filters) -> Ranking:
        """Return the documents that match a text query."""
        return OceanBaseCandidates(self._tables, query, filters).leg()

    def bm25f_leg(self, query: Bm25fQuery, filters: Filters) -> Ranking:
        """Return the documents that contain a token of a bag."""
        return OceanBaseCandidates(self._tables, query, filters).leg()

    def bm25f_head(self, query: Bm25fQuery, filters: Filters) -> LegHead:
        """Return the first hundred documents of that leg."""
        return OceanBaseCandidates(self._tables, query, filters).head()

    def dense_leg(self, query: DenseQuery, filters: Filters) -> Ranking:
        """Return the documents nearest to a vector."""
        if not query.topn or not self._tables.holds_vectors(query.field):
            return []
        nearest = OceanBaseVectors(self._tables, query, filters, self._approximate)
        ranking = nearest.leg()
        self._vectors.update(((identifier, query.field), vector) for identifier, vector in nearest.read.items())
        return ranking

    def values(self, path: FieldPath, identifiers: Sequence[str]) -> list[Any]:
        """Return the values of documents at a path."""
        self.expect(identifiers, ())
        return [path.value(self.fields(identifier) or {}) for identifier in identifiers]

    def listing(self, filters: Filters, order: SortOrder, offset: int, limit: int) -> DocumentListing:
        """Return a slice of the documents that pass filters; any order but that of ids reads all of them."""
        if order.criteria:
            return document_listing.of(self.passing(filters), order, offset, limit, self.values)
        condition = self._tables.condition(filters)
        total = self._tables.counted(condition)
        size = min(limit, total)
        rows = self._tables.connection.rows("listed", filter=condition, limit=size, offset=min(offset, total))
        return DocumentListing(total, [identifier.decode("utf-8") for (identifier,) in rows])

    def expect(self, identifiers: Sequence[str], vector_fields: Sequence[str] | None) -> None:
        """Read documents that will be needed."""
        missing = [identifier for identifier in identifiers if identifier not in self._rows]
        if missing:
            self._rows.update(dict.fromkeys(missing))
            rows = self._tables.documents(list(self._tables.numbers_of(missing).values()))
            self._rows.update((row.identifier, row) for row in rows)
        found = [row for identifier in identifiers if (row := self._rows[identifier]) is not None]
        held = {field for row in found for field in row.vector_fields}
        for field in sorted(held if vector_fields is None else held.intersection(vector_fields)):
            self._read_vectors(found, field)

    def prepared(self, _identifiers: Sequence[str]) -> Mapping[str, Any]:
        """Return an empty mapping: documents are not prepared for reranking."""
        return {}

    def _row(self, identifier: str) -> DocumentRow | None:
        if identifier not in self._rows:
            self.expect([identifier], ())
        return self._rows[identifier]

    def _read_vectors(self, rows: Sequence[DocumentRow], field: str) -> None:
        missing = {
            row.number: row.identifier
            for row in rows
            if field in row.vector_fields and (row.identifier, field) not in self._vectors
        }
        if missing:
            for number, vector in self._tables.vectors(field, list(missing)).items():
                self._vectors[missing[number], field] = vector

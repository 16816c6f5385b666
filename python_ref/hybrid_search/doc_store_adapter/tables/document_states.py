"""The documents in the tables of a database, one state after another (SQL-5, PG-5).

Each state is read as a whole, and then searched like documents in memory.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from hybrid_search.doc_store_adapter.base import Ranking
from hybrid_search.doc_store_adapter.documents.field_path import FieldPath
from hybrid_search.doc_store_adapter.documents.stored_document import StoredDocument
from hybrid_search.doc_store_adapter.filters.filters import Filters
from hybrid_search.doc_store_adapter.queries.document_listing import DocumentListing
from hybrid_search.doc_store_adapter.queries.match_exprs import Bm25fQuery, DenseQuery, TextQuery
from hybrid_search.doc_store_adapter.queries.sort_order import SortOrder
from hybrid_search.doc_store_adapter.snapshot.bm25 import Bm25
from hybrid_search.doc_store_adapter.snapshot.document_index import DocumentIndex
from hybrid_search.doc_store_adapter.snapshot.leg_head import LegHead
from hybrid_search.doc_store_adapter.store_stats import Held


class Documents(Protocol):
    """The documents of one state as a snapshot reads them: the methods of `DocumentIndex` except `changed`."""

    @property
    def count(self) -> int:
        """The number of documents."""
        ...

    def fields(self, identifier: str) -> dict[str, Any] | None:
        """Return the fields of a document except its vectors, or `None`."""
        ...

    def vector(self, identifier: str, field: str) -> list[float] | None:
        """Return the vector of a document in a field, or `None`."""
        ...

    def stored(self, identifier: str) -> StoredDocument | None:
        """Return a document, or `None`."""
        ...

    def entries(self) -> Iterator[Held]:
        """Return for each document the fields except vectors, and the names of the vector fields."""
        ...

    def passing(self, filters: Filters) -> list[str]:
        """Return the ids of the documents that pass filters."""
        ...

    def passes_all(self, filters: Filters) -> bool:
        """Return whether all documents certainly pass filters."""
        ...

    def text_leg(self, query: TextQuery, filters: Filters) -> Ranking:
        """Return the documents that match a text query."""
        ...

    def bm25f_leg(self, query: Bm25fQuery, filters: Filters) -> Ranking:
        """Return the documents that contain a token of a bag."""
        ...

    def bm25f_head(self, query: Bm25fQuery, filters: Filters) -> LegHead:
        """Return the first hundred documents of that leg."""
        ...

    def dense_leg(self, query: DenseQuery, filters: Filters) -> Ranking:
        """Return the documents nearest to a vector."""
        ...

    def values(self, path: FieldPath, identifiers: Sequence[str]) -> list[Any]:
        """Return the values of documents at a path."""
        ...

    def listing(self, filters: Filters, order: SortOrder, offset: int, limit: int) -> DocumentListing:
        """Return a slice of the documents that pass filters: at most `limit`, from the position `offset` on."""
        ...

    def expect(self, identifiers: Sequence[str], vector_fields: Sequence[str] | None) -> None:
        """Announce the documents that will be read, so that they can be read together.

        Args:
            identifiers: their ids.
            vector_fields: the vector fields that will be read; `None` for all.
        """
        ...

    def prepared(self, identifiers: Sequence[str]) -> Mapping[str, Any]:
        """Return id → the data prepared for reranking a document."""
        ...


class DocumentTables(Protocol):
    """Reads tables in one state."""

    @property
    def state(self) -> Hashable:
        """A value that differs after each change."""
        ...

    def all_stored(self) -> Iterator[StoredDocument]:
        """Yield all documents."""
        ...


class DocumentStates:
    """Returns the documents in each state of a store's tables, and caches the last state; it is thread-safe.

    Args:
        bm25: the formula.
        option: an option of the fast form, which this class ignores.
    """

    def __init__(self, bm25: Bm25, option: object) -> None:
        self._bm25 = bm25
        self._states: Mapping[Hashable, DocumentIndex] = {}

    def state(self, tables: DocumentTables) -> Documents:
        """Return the documents in the current state of the tables."""
        known = self._states.get(tables.state)
        if known is None:
            known = DocumentIndex(self._bm25).changed([], list(tables.all_stored()))
            self._states = {tables.state: known}
        return known

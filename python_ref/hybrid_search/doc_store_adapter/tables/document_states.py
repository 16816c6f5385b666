"""The documents in tables of a database, state by state (SQL-5, PG-5): read whole, and asked as those in memory."""

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
from hybrid_search.doc_store_adapter.store_stats import Held


class Documents(Protocol):
    """What a snapshot asks the documents of one state: the methods of `DocumentIndex` but `changed`."""

    @property
    def count(self) -> int:
        """How many documents there are."""
        ...

    def fields(self, identifier: str) -> dict[str, Any] | None:
        """The fields of a document but its vectors, or none."""
        ...

    def vector(self, identifier: str, field: str) -> list[float] | None:
        """The vector of a document in a field, or none."""
        ...

    def stored(self, identifier: str) -> StoredDocument | None:
        """A document, or none."""
        ...

    def entries(self) -> Iterator[Held]:
        """The fields of each document but its vectors, and the names of its vector fields."""
        ...

    def passing(self, filters: Filters) -> list[str]:
        """The ids of the documents that pass filters."""
        ...

    def passes_all(self, filters: Filters) -> bool:
        """Whether all documents pass filters, as far as that is known."""
        ...

    def text_leg(self, query: TextQuery, filters: Filters) -> Ranking:
        """The documents that match a text query."""
        ...

    def bm25f_leg(self, query: Bm25fQuery, filters: Filters) -> Ranking:
        """The documents that hold a token of a bag."""
        ...

    def dense_leg(self, query: DenseQuery, filters: Filters) -> Ranking:
        """The documents nearest to a vector."""
        ...

    def values(self, path: FieldPath, identifiers: Sequence[str]) -> list[Any]:
        """What documents have at a path."""
        ...

    def listing(self, filters: Filters, order: SortOrder, offset: int, limit: int) -> DocumentListing:
        """A stretch of the documents that pass filters: at most `limit` from the place `offset` on."""
        ...

    def expect(self, identifiers: Sequence[str], vector_fields: Sequence[str] | None) -> None:
        """Tell which documents will be asked for, so that they can be read at once.

        Args:
            identifiers: their ids.
            vector_fields: which of their vectors will be asked for, none: all.
        """
        ...

    def prepared(self, identifiers: Sequence[str]) -> Mapping[str, Any]:
        """Id → what was made of a document for reranking."""
        ...


class DocumentTables(Protocol):
    """What is read of tables in one state."""

    @property
    def state(self) -> Hashable:
        """Another one after each change."""
        ...

    def all_stored(self) -> Iterator[StoredDocument]:
        """All documents."""
        ...


class DocumentStates:
    """Gives the documents in each state of a store's tables; the last state is kept. Several threads may ask at once.

    Args:
        bm25: the formula.
        option: what a fast way is told beside; nothing here depends on it.
    """

    def __init__(self, bm25: Bm25, option: object) -> None:
        self._bm25 = bm25
        self._states: Mapping[Hashable, DocumentIndex] = {}

    def state(self, tables: DocumentTables) -> Documents:
        """The documents as the tables have them."""
        known = self._states.get(tables.state)
        if known is None:
            known = DocumentIndex(self._bm25).changed([], list(tables.all_stored()))
            self._states = {tables.state: known}
        return known

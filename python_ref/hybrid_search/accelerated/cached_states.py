"""The documents in the tables of a database, state by state (SQL-5, PG-5), fast: only what a question needs is read."""

from abc import ABC, abstractmethod
from collections.abc import Hashable
from typing import Any, Generic, TypeVar

from hybrid_search.accelerated.best_fields import BestFields
from hybrid_search.accelerated.bm25f_postings import Bm25fPostings
from hybrid_search.accelerated.cached_masks import CachedMasks
from hybrid_search.accelerated.stored_inverted_index import StoredInvertedIndex
from hybrid_search.doc_store_adapter.tables.document_states import Documents, DocumentTables
from hybrid_search.doc_store_adapter.tables.posting_tables import FieldRow


class CachedState:
    """What questions have made of one state, for those that follow.

    Attributes:
        state: which one it is.
        masks: of filters.
        identifiers: number → id, as far as they were asked for.
        numbers: id → number, of documents that searches have found.
        rows: the fields by name, as far as they were asked for; none for those that no document has ever had.
        text_indexes: by field.
        best_fields: of these.
        bm25f: of these too.
    """

    def __init__(self, state: Hashable, masks: CachedMasks) -> None:
        self.state = state
        self.masks = masks
        self.identifiers: dict[int, str] = {}
        self.numbers: dict[str, int] = {}
        self.rows: dict[tuple[int, str], FieldRow | None] = {}
        self.text_indexes: dict[str, StoredInvertedIndex] = {}
        self.best_fields = BestFields(self.text_indexes)
        self.bm25f = Bm25fPostings(self.text_indexes)


Cached = TypeVar("Cached", bound=CachedState)


class CachedStates(ABC, Generic[Cached]):
    """Gives the documents in each state of the tables.

    Postings of the last state are kept as far as a store in memory keeps them. Several threads may ask at once.
    """

    def __init__(self) -> None:
        self._kept: Cached | None = None

    def state(self, tables: DocumentTables) -> Documents:
        """The documents as the tables have them."""
        kept = self._kept
        if kept is None or kept.state != tables.state:
            self._kept = kept = self._fresh(tables.state)
        return self._index(tables, kept)

    @abstractmethod
    def _fresh(self, state: Any) -> Cached:
        """What is kept of a state of which nothing was asked yet."""

    @abstractmethod
    def _index(self, tables: Any, kept: Cached) -> Documents:
        """The documents of one state, for one search."""

"""The documents in the tables of a database, state by state (SQL-5, PG-5), fast: reads only what a question needs."""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from typing import Any, Generic, Self, TypeVar

from hybrid_search.accelerated.best_fields import BestFields
from hybrid_search.accelerated.bm25f_postings import Bm25fPostings
from hybrid_search.accelerated.cached_masks import CachedMasks
from hybrid_search.accelerated.cached_postings import CachedPostings
from hybrid_search.accelerated.kept_counts import KeptCounts
from hybrid_search.accelerated.kept_identifiers import KeptIdentifiers
from hybrid_search.accelerated.kept_lengths import KeptLengths
from hybrid_search.accelerated.known_postings import KnownPostings
from hybrid_search.accelerated.stored_inverted_index import StoredInvertedIndex
from hybrid_search.accelerated.touched_documents import Row, TouchedDocuments
from hybrid_search.doc_store_adapter.tables.document_row import DocumentRow
from hybrid_search.doc_store_adapter.tables.document_states import Documents, DocumentTables
from hybrid_search.doc_store_adapter.tables.posting_tables import FieldRow


class CachedState:
    """The cached data of one state, which later questions reuse.

    Attributes:
        state: a value that identifies the state.
        generation: the generation of the state.
        masks: the masks of filters.
        memory: the maximum number of bytes for lengths, ids, counts and postings.
        lengths: the lengths of documents.
        touched: the documents that the last changes have touched.
        counts: the counts of tokens and phrases in all fields.
        postings: the postings of all fields.
        identifiers: the ids of documents that searches have found.
        rows: the requested fields by name; `None` for those that no document has ever had.
        text_indexes: the inverted indexes by field.
        best_fields: the postings of clauses over these.
        known: the postings of tokens that later states move.
        bm25f: the postings of tokens over the inverted indexes.
    """

    def __init__(self, identity: tuple[Hashable, int], masks: CachedMasks, memory: int, lengths: KeptLengths) -> None:
        self.state, self.generation = identity
        self.masks = masks
        self.memory = memory
        self.lengths = lengths
        self.touched = TouchedDocuments(self.generation)
        self.counts = KeptCounts(memory // 4, self.touched)
        self.identifiers = KeptIdentifiers(memory // 8)
        self.rows: dict[tuple[int, str], FieldRow | None] = {}
        self.text_indexes: dict[str, StoredInvertedIndex] = {}
        self._postings(CachedPostings(memory // 4, self.generation), KnownPostings(memory // 8, self.touched))

    def take_over(
        self, before: Self, touched: Sequence[int], rows: Sequence[DocumentRow], vectors: Sequence[Row] = ()
    ) -> None:
        """Cache everything of an earlier state that is the same in this one, except lengths and masks.

        Args:
            before: the earlier state.
            touched: the numbers of the documents that have changed since.
            rows: those among them that are stored; not needed if there are too many.
            vectors: see `TouchedDocuments.after`.
        """
        self.touched = before.touched.after(self.generation, touched, rows, vectors)
        self.counts = before.counts.after(self.touched)
        self._postings(before.postings.after(self.generation), before.known.after(self.touched))
        self.identifiers = before.identifiers.after(touched)
        self.identifiers.keep_all({row.number: row.identifier for row in rows})

    def _postings(self, postings: CachedPostings, known: KnownPostings) -> None:
        self.postings, self.known = postings, known
        self.best_fields = BestFields(self.text_indexes, postings)
        self.bm25f = Bm25fPostings(self.text_indexes, postings, known)


Cached = TypeVar("Cached", bound=CachedState)


class CachedStates(ABC, Generic[Cached]):
    """Returns the documents in each state of the tables.

    Postings of the last state are cached, up to a limit of memory. Several threads may search at once.
    """

    def __init__(self) -> None:
        self._kept: Cached | None = None

    def state(self, tables: DocumentTables) -> Documents:
        """Return the documents in the current state of the tables."""
        kept = self._kept
        if kept is None or kept.state != tables.state:
            self._kept = kept = self._fresh(tables) if kept is None else self._after(kept, tables)
        return self._index(tables, kept)

    @abstractmethod
    def _fresh(self, tables: Any) -> Cached:
        """Return the empty cache of a new state."""

    def _after(self, _kept: Cached, tables: Any) -> Cached:
        """Return the cache of a new state, with everything of an earlier state that is the same in the new one."""
        return self._fresh(tables)

    @abstractmethod
    def _index(self, tables: Any, kept: Cached) -> Documents:
        """Return the documents of one state, for one search."""

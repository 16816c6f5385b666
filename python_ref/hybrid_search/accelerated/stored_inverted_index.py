"""The inverted index of one field of a stored collection; only postings of requested tokens are read (SQL-5, PG-5)."""

import copy

import numpy as np

from hybrid_search.accelerated.cached_postings import CachedPostings
from hybrid_search.accelerated.fast_inverted_index import FastInvertedIndex
from hybrid_search.accelerated.kept_counts import KeptCounts
from hybrid_search.accelerated.kept_lengths import KeptLengths
from hybrid_search.accelerated.posting import Counts, Lengths, Slots
from hybrid_search.doc_store_adapter.documents.stored_document import is_keyword_field
from hybrid_search.doc_store_adapter.snapshot.bm25 import Bm25
from hybrid_search.doc_store_adapter.tables.posting_tables import FieldRow, PostingTables


class StoredInvertedIndex(FastInvertedIndex):
    """The tokens of one field in one state. The numbers of documents are its slots.

    Args:
        bm25: the formula.
        row: the field.
        tables: the state.
        lengths: the lengths that are cached in this state.
        counts: the counts that are cached in this state.
        postings: the postings that are cached in this state.
    """

    def __init__(
        self,
        bm25: Bm25,
        row: FieldRow,
        tables: PostingTables,
        lengths: KeptLengths,
        counts: KeptCounts,
        postings: CachedPostings,
    ) -> None:
        super().__init__(bm25, is_keyword_field(row.name))
        self._field = row.field
        self._documents = row.documents
        self._tokens = row.tokens
        self._slots = tables.numbers
        self._filled = row.filled
        self._kept_lengths = lengths
        self._kept_counts = counts
        self._postings = postings
        self._name = row.name
        self._tables = tables
        self._read: dict[str, Slots] = {}

    def reading(self, tables: PostingTables) -> "StoredInvertedIndex":
        """Return the same index, with its caches, for one search.

        Args:
            tables: the same state, in the transaction of the search.
        """
        index = copy.copy(self)
        index._tables = tables
        index._read = {}
        return index

    def counts(self, tokens: tuple[str, ...], slop: int) -> Counts | None:
        """Return the documents that contain a token, or several as a phrase; `None` if there is none."""
        key = (self._name, tokens, slop)
        known, counts = self._kept_counts.find(key)
        if not known:
            counts = super().counts(tokens, slop)
            self._kept_counts.keep(key, counts)
        return counts

    def _lengths_of(self, slots: Slots) -> Lengths:
        return self._kept_lengths.of(self._field, slots, self._tables)

    def _count_filled(self) -> int:
        return self._kept_lengths.filled(self._field, self._tables)

    def _holds(self, token: str) -> bool:
        return len(self._places(token)) > 0

    def _frequency_counts(self) -> dict[int, int]:
        return self._tables.frequencies(self._field)

    def _places(self, token: str) -> Slots:
        if token not in self._read:
            places = self._tables.places(self._field, token.encode("utf-8"))
            self._read[token] = np.frombuffer(places, dtype="<i8").astype(np.int64, copy=False)
        return self._read[token]

"""The inverted index of one field of an index file: postings of the tokens that are asked for are read (SQL-5)."""

import copy

import numpy as np

from hybrid_search.accelerated._inverted_index import InvertedIndex
from hybrid_search.accelerated._living_slots import LivingSlots
from hybrid_search.accelerated._posting import Slots
from hybrid_search.doc_store_adapter import _sqlite_schema as schema
from hybrid_search.doc_store_adapter._bm25 import Bm25
from hybrid_search.doc_store_adapter._sqlite_tables import FieldRow, SqliteTables
from hybrid_search.doc_store_adapter._stored_document import is_keyword_field


class SqliteInvertedIndex(InvertedIndex):
    """The tokens of one field in one state of a file. The numbers of documents are its slots.

    Args:
        bm25: the formula.
        row: the field.
        tables: the state.
    """

    def __init__(self, bm25: Bm25, row: FieldRow, tables: SqliteTables) -> None:
        super().__init__(bm25, is_keyword_field(row.name))
        self._field = row.field
        self._documents = row.documents
        self._tokens = row.tokens
        self._slots = tables.numbers
        self._living = LivingSlots(tables.numbers, tables.count)
        self._lengths = np.full(tables.numbers + schema.LENGTHS_IN_BLOCK, -1, dtype=np.int64)
        for first, lengths in tables.lengths(row.field):
            self._lengths[first : first + schema.LENGTHS_IN_BLOCK] = np.frombuffer(lengths, dtype="<i4")
        self._tables = tables
        self._read: dict[str, Slots] = {}

    def reading(self, tables: SqliteTables) -> "SqliteInvertedIndex":
        """The same index, with what is kept, for one search.

        Args:
            tables: the same state, as the search's own transaction sees it.
        """
        index = copy.copy(self)
        index._tables = tables
        index._read = {}
        return index

    def _holds(self, token: str) -> bool:
        return len(self._places(token)) > 0

    def _frequency_counts(self) -> dict[int, int]:
        return self._tables.frequencies(self._field)

    def _places(self, token: str) -> Slots:
        if token not in self._read:
            places = self._tables.places(self._field, token.encode("utf-8"))
            self._read[token] = np.frombuffer(places, dtype="<i8").astype(np.int64, copy=False)
        return self._read[token]

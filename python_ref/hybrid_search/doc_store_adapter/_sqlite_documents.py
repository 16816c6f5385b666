"""The documents of an index file and what finds them (SQL-5): read whole, and asked as those of a store in memory."""

from collections.abc import Mapping

from hybrid_search.doc_store_adapter._bm25 import Bm25
from hybrid_search.doc_store_adapter._document_index import DocumentIndex
from hybrid_search.doc_store_adapter._sqlite_tables import SqliteTables


class SqliteDocuments:
    """Gives the documents in each state of a file.

    The last state is kept. Several threads may ask at once.

    Args:
        bm25: the formula.
        memory: how many bytes of vectors may be kept; all are kept here.
    """

    def __init__(self, bm25: Bm25, memory: int) -> None:
        self._bm25 = bm25
        self._states: Mapping[int, DocumentIndex] = {}

    def state(self, tables: SqliteTables) -> DocumentIndex:
        """The documents as the tables have them."""
        known = self._states.get(tables.generation)
        if known is None:
            known = DocumentIndex(self._bm25).changed([], list(tables.documents()))
            self._states = {tables.generation: known}
        return known

"""The documents of a collection in PostgreSQL and what finds them (PG-5): read whole, and asked as those in memory."""

from collections.abc import Mapping

from hybrid_search.doc_store_adapter._bm25 import Bm25
from hybrid_search.doc_store_adapter._document_index import DocumentIndex
from hybrid_search.doc_store_adapter._postgres_tables import PostgresTables
from hybrid_search.doc_store_adapter._sqlite_documents import Documents


class PostgresDocuments:
    """Gives the documents in each state of a collection.

    The last state is kept. Several threads may ask at once.

    Args:
        bm25: the formula.
        approximate: whether the nearest may be taken from an index of approximate neighbours; here they never are.
    """

    def __init__(self, bm25: Bm25, approximate: bool) -> None:
        self._bm25 = bm25
        self._states: Mapping[str, DocumentIndex] = {}

    def state(self, tables: PostgresTables) -> Documents:
        """The documents as the tables have them."""
        known = self._states.get(tables.state)
        if known is None:
            documents = [document for rows in tables.all_documents() for document in tables.stored(rows)]
            known = DocumentIndex(self._bm25).changed([], documents)
            self._states = {tables.state: known}
        return known

"""The one row of `state` of an index file (SQL-1)."""

from typing import Any, NamedTuple, Self

from hybrid_search.doc_store_adapter import _row_checksum as row_checksum
from hybrid_search.doc_store_adapter._sqlite_connection import SqliteConnection

SELECT = "SELECT changes, generation, documents, numbers, fields, identity, checksum FROM state"
REPLACE = "REPLACE INTO state VALUES (0, ?, ?, ?, ?, ?, ?, ?)"


class SqliteState(NamedTuple):
    """The state of a file.

    Attributes:
        changes: transactions that have written something.
        generation: batches that have changed documents.
        documents: the number of documents.
        numbers: all numbers of documents are below.
        fields: the number of rows of `fields`.
        identity: bytes that no other file has.
    """

    changes: int
    generation: int
    documents: int
    numbers: int
    fields: int
    identity: bytes

    @classmethod
    def read(cls, connection: SqliteConnection) -> Self | None:
        """Return the state that a transaction sees, or `None` if it is not what was written."""
        rows = connection.rows(SELECT)
        if len(rows) != 1:
            return None
        *values, checksum = rows[0]
        state = cls(*values)
        try:
            return state if state.checksum() == checksum else None
        except TypeError:
            return None

    def checksum(self) -> int:
        """Return the checksum of the row."""
        return row_checksum.of(self[:5], self.identity)

    def changed(self, **values: Any) -> Self:
        """Return the state after a transaction that changes some values."""
        return self._replace(changes=self.changes + 1, **values)

    def write(self, connection: SqliteConnection) -> None:
        """Write the row."""
        connection.run(REPLACE, *self, self.checksum())

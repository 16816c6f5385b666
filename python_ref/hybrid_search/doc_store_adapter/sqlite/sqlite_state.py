"""The one row of `state` of an index file (SQL-1)."""

import os
from typing import Any, NamedTuple, Self

from hybrid_search.doc_store_adapter.sqlite.sqlite_connection import SqliteConnection
from hybrid_search.doc_store_adapter.tables import row_checksum

SELECT = "SELECT generation, documents, numbers, fields, mark, before, checksum FROM state"
MARK_BYTES = 16
REPLACE = "REPLACE INTO state VALUES (0, ?, ?, ?, ?, ?, ?, ?)"


class SqliteState(NamedTuple):
    """The state of a file.

    Attributes:
        generation: the number of batches that have changed documents.
        documents: the number of documents.
        numbers: a number above all numbers of documents.
        fields: the number of rows of `fields`.
        mark: the bytes that mark the last transaction, different from those of all others.
        before: the mark of the previous transaction.
    """

    generation: int
    documents: int
    numbers: int
    fields: int
    mark: bytes
    before: bytes

    @classmethod
    def empty(cls) -> Self:
        """Return the state of a new file."""
        return cls(0, 0, 0, 0, os.urandom(MARK_BYTES), b"")

    @classmethod
    def read(cls, connection: SqliteConnection) -> Self | None:
        """Return the state in the view of a transaction, or `None` if its checksum is wrong."""
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
        return row_checksum.of(self[:4], self.mark, self.before)

    def changed(self, is_marked: bool, **values: Any) -> Self:
        """Return the state after a change.

        Args:
            is_marked: whether the transaction has its mark already.
            values: the values that change.
        """
        marks: dict[str, Any] = {} if is_marked else {"mark": os.urandom(MARK_BYTES), "before": self.mark}
        return self._replace(**marks, **values)

    def write(self, connection: SqliteConnection) -> None:
        """Write the row."""
        connection.run(REPLACE, *self, self.checksum())

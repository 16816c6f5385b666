"""An index file while it is rebuilt: one transaction, in which it is written and read like a separate file (SQL-6)."""

from collections.abc import Iterator
from contextlib import contextmanager

from hybrid_search.base.process_lock import ProcessLock
from hybrid_search.doc_store_adapter.sqlite import sqlite_errors
from hybrid_search.doc_store_adapter.sqlite.sqlite_connection import SqliteConnection

EMPTIED = (
    "documents",
    "texts",
    "free_numbers",
    "fields",
    "terms",
    "postings",
    "frequencies",
    "lengths",
    "vectors",
    "sketches",
    "vector_models",
)
"""All tables except `state`, which continues, and `notes`; `changes` is emptied too."""


class SqliteRebuild:
    """Replaces a `SqliteFile`, for one store. Several threads may use it, one at a time.

    Args:
        path: the path of the file, for messages.
        connection: a connection with an open transaction.
    """

    def __init__(self, path: str, connection: SqliteConnection) -> None:
        self._path = path
        self._connection = connection
        self._asking = ProcessLock()
        self._is_closed = False

    @contextmanager
    def reading(self) -> Iterator[SqliteConnection]:
        """Yield the connection, which sees everything rebuilt so far."""
        with self._asking.mutex:
            if self._is_closed:
                raise sqlite_errors.failure(self._path, "is closed")
            yield self._connection

    @contextmanager
    def writing(self) -> Iterator[SqliteConnection]:
        """Yield the connection; a batch that ends with an error has no effect."""
        with self.reading() as connection:
            connection.run("SAVEPOINT batch")
            try:
                yield connection
            except BaseException:
                connection.run("ROLLBACK TO batch")
                raise
            finally:
                connection.run("RELEASE batch")

    def close(self) -> None:
        """Refuse all later calls; the transaction belongs to the caller that opened it."""
        with self._asking.mutex:
            self._is_closed = True

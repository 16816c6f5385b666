"""An index file: made, opened, and read and written in transactions (SQL-1 … SQL-4)."""

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from hybrid_search._process_lock import ProcessLock
from hybrid_search.doc_store_adapter import _sqlite_errors as sqlite_errors
from hybrid_search.doc_store_adapter import _sqlite_schema as schema
from hybrid_search.doc_store_adapter._sqlite_connection import SqliteConnection
from hybrid_search.doc_store_adapter._sqlite_pool import SqlitePool
from hybrid_search.doc_store_adapter._sqlite_state import SqliteState

PAUSE = 0.01
IDENTITY_BYTES = 16
MAGIC = b"SQLite format 3\0"


class SqliteFile:
    """The file and its connections.

    Args:
        path: where it is; made when there is none, unless it is only to be read.
        read_only: whether nothing may be written.
        timeout: for how many seconds other writers are waited for.
        synchronous: "full" or "normal".

    Raises:
        DocStoreError: it cannot be opened, or is no index file that this version can read.
        IndexCorruptError: it is damaged.
    """

    def __init__(self, path: str, read_only: bool, timeout: float, synchronous: str) -> None:
        self.path = path
        self._read_only = read_only
        self._timeout = timeout
        self._synchronous = synchronous
        self._writing = ProcessLock()
        self._check_path()
        self._pool = SqlitePool(self._connect, lambda: sqlite_errors.failure(path, "is closed"))
        with self._borrowed() as connection:
            if not self._is_index(connection):
                self._create(connection)

    @contextmanager
    def reading(self) -> Iterator[SqliteConnection]:
        """A connection that sees one state of the file."""
        with self._borrowed() as connection:
            connection.run("BEGIN")
            try:
                yield connection
            finally:
                with suppress(sqlite3.Error):
                    connection.run("ROLLBACK")

    @contextmanager
    def writing(self) -> Iterator[SqliteConnection]:
        """A connection whose changes are kept, all of them, once the block has ended without an error."""
        if self._read_only:
            raise sqlite_errors.failure(self.path, "can only be read")
        with self._writing.mutex, self._borrowed() as connection, self._changing(connection):
            yield connection

    def close(self) -> None:
        """Close the file; whoever asks afterwards gets an error."""
        self._pool.close()

    @contextmanager
    def _changing(self, connection: SqliteConnection) -> Iterator[None]:
        connection.run("BEGIN IMMEDIATE")
        try:
            yield
            connection.run("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):
                connection.run("ROLLBACK")
            raise

    @contextmanager
    def _borrowed(self) -> Iterator[SqliteConnection]:
        try:
            connection = self._pool.take()
            usable = False
            try:
                yield connection
                usable = not connection.in_transaction
            finally:
                self._pool.give(connection, usable)
        except sqlite3.Error as error:
            raise sqlite_errors.translated(self.path, self._timeout, error) from error

    def _check_path(self) -> None:
        if os.path.isdir(self.path):
            raise sqlite_errors.failure(self.path, "is a directory")
        if not os.path.isdir(os.path.dirname(os.path.abspath(self.path))):
            raise sqlite_errors.failure(self.path, "cannot be opened: its directory does not exist")
        if not os.path.exists(self.path):
            if self._read_only:
                raise sqlite_errors.failure(self.path, "does not exist")
        elif self._head() not in (b"", MAGIC):  # a short one SQLite would take for an empty database
            raise sqlite_errors.failure(self.path, sqlite_errors.NO_INDEX)

    def _head(self) -> bytes:
        try:
            with open(self.path, "rb") as file:
                return file.read(len(MAGIC))
        except OSError:
            raise sqlite_errors.failure(self.path, "cannot be opened") from None

    def _connect(self) -> SqliteConnection:
        try:
            return self._connected("ro" if self._read_only else "rwc")
        except sqlite3.Error as error:
            if not self._is_still(error):
                raise
            return self._connected("ro&immutable=1")

    def _connected(self, mode: str) -> SqliteConnection:
        connection = SqliteConnection(self.path, mode, self._timeout)
        try:
            connection.run(f"PRAGMA synchronous = {self._synchronous}")
            connection.value("PRAGMA schema_version")
        except BaseException:
            connection.close()
            raise
        return connection

    def _is_still(self, error: sqlite3.Error) -> bool:
        """Whether SQLite could not make its files beside one in which nothing waits to be written."""
        waiting = f"{self.path}-wal"
        return sqlite_errors.code(error) == sqlite3.SQLITE_CANTOPEN and not (
            os.path.exists(waiting) and os.path.getsize(waiting)
        )

    def _is_index(self, connection: SqliteConnection) -> bool:
        """Whether it is one; an empty database is none yet."""
        application = connection.value("PRAGMA application_id")
        version = connection.value("PRAGMA user_version")
        if application == schema.APPLICATION and version == schema.VERSION:
            return True
        if application == schema.APPLICATION:
            what = f"has the schema version {version}, and this version of the library reads {schema.VERSION}"
            again = "; index its records again" if version < schema.VERSION else ""
            raise sqlite_errors.failure(self.path, what + again)
        if application or version or connection.value("SELECT count(*) FROM sqlite_master"):
            raise sqlite_errors.failure(self.path, sqlite_errors.NO_INDEX)
        return False

    def _create(self, connection: SqliteConnection) -> None:
        """Make the tables, unless another process has made them meanwhile."""
        if self._read_only:
            raise sqlite_errors.failure(self.path, sqlite_errors.NO_INDEX)
        connection.run(f"PRAGMA page_size = {schema.PAGE_SIZE}")
        self._keep_log(connection)
        with self._changing(connection):
            if not self._is_index(connection):
                for statement in schema.TABLES.split(";\n"):
                    connection.run(statement)
                SqliteState(0, 0, 0, 0, 0, os.urandom(IDENTITY_BYTES)).write(connection)
                connection.run(f"PRAGMA application_id = {schema.APPLICATION}")
                connection.run(f"PRAGMA user_version = {schema.VERSION}")

    def _keep_log(self, connection: SqliteConnection) -> None:
        """Write ahead into a log; SQLite does not wait for others who do the same at this moment."""
        deadline = time.monotonic() + self._timeout
        while True:
            try:
                connection.run("PRAGMA journal_mode = WAL")
                return
            except sqlite3.Error as error:
                if sqlite_errors.code(error) != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                    raise
                time.sleep(PAUSE)

"""Creates and opens an index file, and reads and writes it in transactions (SQL-1 … SQL-4)."""

import os
import sqlite3
import time
import weakref
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress

from hybrid_search.base.process_lock import ProcessLock
from hybrid_search.doc_store_adapter.sqlite import sqlite_errors
from hybrid_search.doc_store_adapter.sqlite import sqlite_schema as schema
from hybrid_search.doc_store_adapter.sqlite.sqlite_connection import SqliteConnection
from hybrid_search.doc_store_adapter.sqlite.sqlite_conversion import BEFORE, SqliteConversion
from hybrid_search.doc_store_adapter.sqlite.sqlite_place import FileKey, SqlitePlace
from hybrid_search.doc_store_adapter.sqlite.sqlite_pool import SqlitePool
from hybrid_search.doc_store_adapter.sqlite.sqlite_state import SqliteState
from hybrid_search.doc_store_adapter.sqlite.sqlite_tables import SqliteTables

PAUSE = 0.01
LONGEST_LOOK = 0.5
"""The maximum number of seconds to wait for another process that is opening or closing the file."""
STILL = "ro&immutable=1"
TO_BE_CONVERTED = (
    f"has the schema version {BEFORE}, and this version of the library reads {schema.VERSION}; "
    "open it once where it can be written, and it is converted"
)


class SqliteFile:
    """The file and its connections.

    Args:
        path: the path of the file; it is created if it does not exist, unless it is opened for reading only.
        read_only: whether nothing may be written.
        timeout: the time to wait for other writers, in seconds.
        synchronous: "full" or "normal".

    Raises:
        DocStoreError: the file cannot be opened, or is not an index file that this version can read.
        IndexCorruptError: the file is damaged.
    """

    def __init__(self, path: str, read_only: bool, timeout: float, synchronous: str) -> None:
        self.path = path
        self._read_only = read_only
        self._timeout = timeout
        self._synchronous = synchronous
        self._writing = ProcessLock()
        self._place = SqlitePlace(path)
        self._place.check(read_only)
        self._full_path = os.path.abspath(path)
        self._key: FileKey | None = None
        self._is_replaced = False
        self._refused: sqlite3.Error | None = None
        self._pool = SqlitePool(self._connect, lambda: sqlite_errors.failure(path, "is closed"))
        _FILES.add(self)
        with self._translating(), self._lent() as connection:
            self._prepare(connection)

    @contextmanager
    def reading(self) -> Iterator[SqliteConnection]:
        """Yield a connection that sees one state of the file."""
        with self._borrowed() as connection:
            connection.run("BEGIN")
            try:
                yield connection
            finally:
                with suppress(sqlite3.Error):
                    connection.run("ROLLBACK")

    @contextmanager
    def writing(self) -> Iterator[SqliteConnection]:
        """Provide a connection whose changes are all stored if the block ends without an error."""
        if self._read_only:
            raise sqlite_errors.failure(self.path, "can only be read")
        with self._writing.mutex, self._borrowed(writes=True) as connection:
            with self._changing(connection):
                yield connection
            self._check_key()  # nothing is acknowledged that nobody will see

    def close(self) -> None:
        """Close the file; later calls fail."""
        self._pool.close()

    @contextmanager
    def _changing(self, connection: SqliteConnection) -> Iterator[None]:
        connection.run("BEGIN IMMEDIATE")
        connection.is_marked = False
        try:
            yield
            connection.run("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):
                connection.run("ROLLBACK")
            raise

    @contextmanager
    def _borrowed(self, writes: bool = False) -> Iterator[SqliteConnection]:
        self._check_key()
        with self._translating(), self._lent(writes) as connection:
            yield connection

    @contextmanager
    def _lent(self, writes: bool = False) -> Iterator[SqliteConnection]:
        connection = self._taken(writes)
        usable = False
        try:
            yield connection
            usable = not connection.in_transaction
        finally:
            self._pool.give(connection, usable)

    def _taken(self, writes: bool) -> SqliteConnection:
        connection = self._pool.take()
        if connection.version is None or (not writes and connection.version == self._place.version()):
            return connection
        self._pool.give(connection, False)
        self._pool.drop_idle()
        connection = self._pool.take()
        if writes and connection.version is not None and self._refused is not None:
            self._pool.give(connection, True)
            raise sqlite_errors.unwritable(self.path, self._refused)
        return connection

    @contextmanager
    def _translating(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise sqlite_errors.translated(self.path, self._timeout, error) from error

    def _check_key(self) -> None:
        """Refuse to continue if the path now leads to another file, or to no file."""
        if self._key is not None and (self._is_replaced or self._key != self._place.key()):
            self._is_replaced = True  # its inode may be given again
            self._pool.drop_idle()
            raise sqlite_errors.failure(self.path, sqlite_errors.REPLACED)

    def _connect(self) -> SqliteConnection:
        with _OPENING.mutex:
            key = self._place.key()
            if key is not None and key != self._key:
                self._check_neighbours(key)
            connection = self._connection()
            if self._key is None:
                self._key = self._place.key()
            elif self._key != self._place.key():
                connection.close()
                raise sqlite_errors.failure(self.path, sqlite_errors.REPLACED)
            return connection

    def _check_neighbours(self, key: FileKey) -> None:
        """Refuse a file that is not an SQLite database, or that is next to the files of a replaced one."""
        files = [file for file in list(_FILES) if file is not self and file._key is not None and file._pool.is_open]
        for file in files:
            if file._full_path == self._full_path and file._key != key and file._pool.drop_idle():
                raise sqlite_errors.failure(self.path, sqlite_errors.OPEN_ELSEWHERE)
        if any(file._key == key for file in files):
            return
        self._place.check_content()
        deadline = time.monotonic() + LONGEST_LOOK
        while self._place.is_of_another():
            if time.monotonic() > deadline:
                raise sqlite_errors.failure(self.path, sqlite_errors.OPEN_ELSEWHERE)
            time.sleep(PAUSE)
        if self._place.log_size():
            self._check_log()

    def _check_log(self) -> None:
        """Refuse a log that was written for another file."""
        with suppress(sqlite3.Error), closing(SqliteConnection(self.path, STILL, 0)) as connection:
            root = connection.row("SELECT rootpage FROM sqlite_master WHERE name = 'state'")
            state = None if root is None else SqliteState.read(connection)
            if root is not None and state is not None:
                self._place.check_log(root[0], state.mark)

    def _connection(self) -> SqliteConnection:
        try:
            return self._connected("ro" if self._read_only else "rwc")
        except sqlite3.Error as error:
            if sqlite_errors.code(error) not in sqlite_errors.CANNOT_LOG:
                raise
            if self._place.log_size():
                raise sqlite_errors.failure(self.path, sqlite_errors.WAITING) from error
            self._refused = error
        version = self._place.version()
        connection = self._connected(STILL)
        connection.version = version
        return connection

    def _connected(self, mode: str) -> SqliteConnection:
        connection = SqliteConnection(self.path, mode, self._timeout)
        try:
            connection.run(f"PRAGMA synchronous = {self._synchronous}")
            connection.value("PRAGMA schema_version")
        except BaseException:
            connection.close()
            raise
        return connection

    def _prepare(self, connection: SqliteConnection) -> None:
        if not self._is_index(connection):
            self._create(connection)
        if connection.value("PRAGMA user_version") == BEFORE:
            self._convert(connection)
        if not self._read_only and connection.version is None:
            self._keep_log(connection)

    def _convert(self, connection: SqliteConnection) -> None:
        """Convert the file to this schema, unless another process has done so meanwhile."""
        if self._read_only or connection.version is not None:
            raise sqlite_errors.failure(self.path, TO_BE_CONVERTED)
        with self._changing(connection):
            if connection.value("PRAGMA user_version") == BEFORE:
                SqliteConversion(SqliteTables(self.path, connection)).convert()
        with suppress(sqlite3.Error):  # others may read; then the file keeps its size, with room in it
            connection.run("VACUUM")

    def _is_index(self, connection: SqliteConnection) -> bool:
        """Return whether the file is an index; an empty database is not one yet."""
        application = connection.value("PRAGMA application_id")
        version = connection.value("PRAGMA user_version")
        if application == schema.APPLICATION and version in (BEFORE, schema.VERSION):
            return True
        if application == schema.APPLICATION:
            what = f"has the schema version {version}, and this version of the library reads {schema.VERSION}"
            again = "; index its records again" if version < schema.VERSION else ""
            raise sqlite_errors.failure(self.path, what + again)
        if application or version or connection.value("SELECT count(*) FROM sqlite_master"):
            raise sqlite_errors.failure(self.path, sqlite_errors.NO_INDEX)
        return False

    def _create(self, connection: SqliteConnection) -> None:
        """Create the tables, unless another process has created them meanwhile."""
        if self._read_only:
            raise sqlite_errors.failure(self.path, sqlite_errors.NO_INDEX)
        connection.run(f"PRAGMA page_size = {schema.PAGE_SIZE}")
        with self._changing(connection):  # not in the log yet: the file itself has the first mark
            if not self._is_index(connection):
                for statement in schema.TABLES.split(";\n"):
                    connection.run(statement)
                SqliteState.empty().write(connection)
                connection.run(f"PRAGMA application_id = {schema.APPLICATION}")
                connection.run(f"PRAGMA user_version = {schema.VERSION}")

    def _keep_log(self, connection: SqliteConnection) -> None:
        """Turn on write-ahead logging; SQLite does not wait for others that do the same at this moment."""
        deadline = time.monotonic() + self._timeout
        while True:
            try:
                connection.run("PRAGMA journal_mode = WAL")
                return
            except sqlite3.Error as error:
                if sqlite_errors.code(error) != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                    raise
                time.sleep(PAUSE)


_FILES: weakref.WeakSet[SqliteFile] = weakref.WeakSet()
_OPENING = ProcessLock()
"""A lock held while a file is examined and opened, as closing a file removes the locks that SQLite has on it."""

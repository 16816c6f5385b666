"""An index file: made, opened, and read and written in transactions (SQL-1 … SQL-4)."""

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from hybrid_search._process_lock import ProcessLock
from hybrid_search.doc_store_adapter import _sqlite_errors as sqlite_errors
from hybrid_search.doc_store_adapter import _sqlite_schema as schema
from hybrid_search.doc_store_adapter._sqlite_pool import SqlitePool
from hybrid_search.errors import DocStoreError

PAUSE = 0.01
SETTINGS = ("trusted_schema = OFF", "cell_size_check = ON", "cache_size = -16384", "temp_store = MEMORY")


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
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A connection that sees one state of the file."""
        with self._borrowed() as connection:
            connection.execute("BEGIN")
            try:
                yield connection
            finally:
                with suppress(sqlite3.Error):
                    connection.execute("ROLLBACK")

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A connection whose changes are kept, all of them, once the block has ended without an error."""
        if self._read_only:
            raise sqlite_errors.failure(self.path, "can only be read")
        with self._writing.mutex, self._borrowed() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):
                    connection.execute("ROLLBACK")
                raise

    def close(self) -> None:
        """Close the file; whoever asks afterwards gets an error."""
        self._pool.close()

    @contextmanager
    def _borrowed(self) -> Iterator[sqlite3.Connection]:
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
        if self._read_only and not os.path.exists(self.path):
            raise sqlite_errors.failure(self.path, "does not exist")

    def _connect(self) -> sqlite3.Connection:
        mode = "ro" if self._read_only else "rwc"
        connection = self._open(f"mode={mode}")
        try:
            connection.execute("PRAGMA schema_version").fetchone()
        except sqlite3.OperationalError as error:
            connection.close()
            # Without leave to write beside it, the file can be read where nothing waits to be written into it.
            waiting = f"{self.path}-wal"
            if error.sqlite_errorcode != sqlite3.SQLITE_CANTOPEN or (
                os.path.exists(waiting) and os.path.getsize(waiting)
            ):
                raise
            connection = self._open("mode=ro&immutable=1")
        except BaseException:
            connection.close()
            raise
        return connection

    def _open(self, options: str) -> sqlite3.Connection:
        connection = sqlite3.connect(
            f"{Path(os.path.abspath(self.path)).as_uri()}?{options}",
            timeout=self._timeout,
            isolation_level=None,
            check_same_thread=False,
            uri=True,
        )
        try:
            for setting in (*SETTINGS, f"synchronous = {self._synchronous}"):
                connection.execute(f"PRAGMA {setting}")
        except BaseException:
            connection.close()
            raise
        return connection

    def _is_index(self, connection: sqlite3.Connection) -> bool:
        """Whether it is one; an empty database is none yet."""
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if application == schema.APPLICATION and version == schema.VERSION:
            return True
        if application == schema.APPLICATION:
            raise self._of_another_version(version)
        (tables,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        if application or version or tables:
            raise sqlite_errors.failure(self.path, sqlite_errors.NO_INDEX)
        return False

    def _of_another_version(self, version: int) -> DocStoreError:
        what = f"has the schema version {version}, and this version of the library reads {schema.VERSION}"
        return sqlite_errors.failure(self.path, what)

    def _create(self, connection: sqlite3.Connection) -> None:
        """Make the tables, unless another process has made them meanwhile."""
        if self._read_only:
            raise sqlite_errors.failure(self.path, sqlite_errors.NO_INDEX)
        self._keep_log(connection)
        connection.execute("BEGIN IMMEDIATE")
        try:
            if not self._is_index(connection):
                for statement in schema.TABLES.split(";\n"):
                    connection.execute(statement)
                connection.execute(f"PRAGMA application_id = {schema.APPLICATION}")
                connection.execute(f"PRAGMA user_version = {schema.VERSION}")
            connection.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):
                connection.execute("ROLLBACK")
            raise

    def _keep_log(self, connection: sqlite3.Connection) -> None:
        """Write ahead into a log; SQLite does not wait for others who do the same at this moment."""
        deadline = time.monotonic() + self._timeout
        while True:
            try:
                connection.execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                    raise
                time.sleep(PAUSE)

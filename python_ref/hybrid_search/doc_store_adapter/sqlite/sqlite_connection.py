"""One connection to an index file: the operations of SQLite that the library uses (SQL-3)."""

import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from hybrid_search.base.system_path import system_path
from hybrid_search.doc_store_adapter.sqlite.sqlite_place import Version

SETTINGS = (
    "trusted_schema = OFF",
    "cell_size_check = ON",
    "cache_size = -16384",
    "temp_store = MEMORY",
    f"journal_size_limit = {64 << 20}",
)


class SqliteConnection:
    """A connection; one thread at a time may use it.

    Args:
        path: the path of the file.
        mode: "rwc" to read, write and create the file, "ro" to read it, "ro&immutable=1" to read it without regard
            to writers.
        timeout: the time to wait for other writers, in seconds.

    Attributes:
        version: the version of the file, if it is read without regard to writers.
        is_marked: whether the open transaction has written its mark.

    Raises:
        sqlite3.Error: from every method, if SQLite refuses or fails.
    """

    def __init__(self, path: str, mode: str, timeout: float) -> None:
        name = f"{Path(os.path.abspath(system_path(path))).as_uri()}?mode={mode}"
        self._database = sqlite3.connect(name, timeout=timeout, isolation_level=None, check_same_thread=False, uri=True)
        self.version: Version | None = None
        self.is_marked = False
        self._database.text_factory = bytes  # damaged texts are not always UTF-8
        try:
            for setting in SETTINGS:
                self.run(f"PRAGMA {setting}")
        except BaseException:
            self.close()
            raise

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction is open."""
        return self._database.in_transaction

    def rows(self, statement: str, *values: Any) -> list[Sequence[Any]]:
        """Return all rows of a query."""
        return self._database.execute(statement, values).fetchall()

    def row(self, statement: str, *values: Any) -> Sequence[Any] | None:
        """Return the first row of a query, or `None`."""
        found: Sequence[Any] | None = self._database.execute(statement, values).fetchone()
        return found

    def value(self, statement: str) -> Any:
        """Return the one value of a query."""
        return self._database.execute(statement).fetchone()[0]

    def run(self, statement: str, *values: Any) -> None:
        """Run a statement."""
        self._database.execute(statement, values).fetchall()

    def each(self, statement: str, *values: Any) -> Iterator[Sequence[Any]]:
        """Return the rows of a query, one after the other."""
        return iter(self._database.execute(statement, values))

    def run_many(self, statement: str, rows: Iterable[Sequence[Any]]) -> None:
        """Run a statement for each row of values."""
        self._database.executemany(statement, rows)

    def insert(self, statement: str, *values: Any) -> int:
        """Insert a row and return its key."""
        key = self._database.execute(statement, values).lastrowid
        assert key is not None
        return key

    def close(self) -> None:
        """Close the connection."""
        self._database.close()

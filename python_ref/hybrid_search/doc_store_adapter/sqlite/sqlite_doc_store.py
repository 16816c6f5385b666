"""The document store in one file, which both languages read and write (SQL-1 … SQL-5)."""

import copy
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, Self

from hybrid_search.base import validation
from hybrid_search.base.kernels import choice, kernel
from hybrid_search.doc_store_adapter.snapshot.bm25 import Bm25
from hybrid_search.doc_store_adapter.sqlite.sqlite_changes import SqliteChanges
from hybrid_search.doc_store_adapter.sqlite.sqlite_file import SqliteFile
from hybrid_search.doc_store_adapter.sqlite.sqlite_rebuild import EMPTIED, SqliteRebuild
from hybrid_search.doc_store_adapter.sqlite.sqlite_tables import SqliteTables
from hybrid_search.doc_store_adapter.tables import row_checksum
from hybrid_search.doc_store_adapter.tables.table_store import TableStore

if TYPE_CHECKING:
    from hybrid_search.doc_store_adapter.sqlite.sqlite_writer import SqliteWriter

OPTIONS = ("path", "bm25", "kernels", "read_only", "timeout", "synchronous", "memory")
SYNCHRONOUS = ("full", "normal")
LONGEST_TIMEOUT = 86_400.0
MEGABYTE = 1 << 20
NOT_COUNTED: tuple[object, Mapping[str, int]] = (None, {})


class SqliteDocStore(TableStore[SqliteTables]):
    """Documents in an index file, an SQLite database; scores and order are those of a `MemoryDocStore`, bit for bit.

    A batch is one transaction. Each search sees one state of the file. One process, of either language, may write at a
    time; a second one waits for it. Stored documents remain, even if a process is killed. Safe to use from several
    threads, and in a forked child.

    ```python
    with SqliteDocStore("handbook.hsx") as store:
        print(store.count())
    ```

    Args:
        path: the path of the file; the file is created if it does not exist.
        bm25: "okapi" (as `rank_bm25.BM25Okapi`) or "lucene".
        kernels: "plain" or "fast", see `kernels.choice`.
        read_only: whether the file must exist and nothing may be written.
        timeout: the time to wait for another writer, in seconds.
        synchronous: "full": stored documents also survive a loss of power; "normal": the last batches may then be
            lost.
        memory: the maximum size of cached vectors, in megabytes; also that of cached lengths, ids and postings.

    Raises:
        InvalidInputError: an option is unknown or not acceptable.
        DocStoreError: the file cannot be opened, or is not an index file that this version can read.
        IndexCorruptError: the file is damaged; likewise from every method.
    """

    @validation.known_options(OPTIONS)
    def __init__(
        self,
        path: str | os.PathLike[str],
        bm25: str = "okapi",
        kernels: str | None = None,
        read_only: bool = False,
        timeout: float = 5.0,
        synchronous: str = "full",
        memory: int = 512,
    ) -> None:
        self.path = _path(path)
        memory = validation.integer("memory", memory, 0) * MEGABYTE
        self._make_documents = partial(kernel("sqlite_documents", kernels), Bm25.of(bm25), memory)
        self._kernels = choice(kernels)
        super().__init__(self._make_documents())
        self._vector_counts = NOT_COUNTED
        self._file: SqliteFile | SqliteRebuild = SqliteFile(
            self.path,
            validation.boolean("read_only", read_only),
            validation.number("timeout", timeout, 0, LONGEST_TIMEOUT),
            validation.choice("synchronous", synchronous, SYNCHRONOUS),
        )

    @classmethod
    def open(cls, path: str | os.PathLike[str], **options: Any) -> Self:
        """Open a store in a file; the same as `SqliteDocStore(path, **options)`."""
        return cls(path, **options)

    def close(self) -> None:
        """Close the file; every later call of another method raises a `DocStoreError`."""
        self._file.close()

    def note(self, name: str) -> str | None:
        """Return the text that a program has noted in the file under a name, or `None`."""
        validation.text("name", name)
        with self._reading() as tables:
            return tables.note(name)

    def set_note(self, name: str, text: str) -> None:
        """Note a text in the file under a name; it replaces the text that was noted there before."""
        key, content = validation.text("name", name).encode("utf-8"), validation.text("text", text).encode("utf-8")
        with self._writing() as tables:
            checksum = row_checksum.of((), key, content)
            tables.connection.run("REPLACE INTO notes VALUES (?, ?, ?)", key, content, checksum)
            tables.change_state()

    @contextmanager
    def rebuilding(self) -> Iterator["SqliteDocStore"]:
        """Provide a store without documents; its contents at the end of the block replace all documents.

        Until then readers, in any process, see the old documents, and writers wait up to their `timeout`. Afterwards
        readers see the new ones without opening the file again. If the block ends with an error, or the process is
        killed, nothing changes. Notes remain.

        ```python
        with store.rebuilding() as fresh:
            fresh.insert([{"id": "1", "content_ltks": "rule"}])
        ```

        Raises:
            DocStoreError: the file can only be read, another process is writing, or the disk is full.
        """
        with self._writing() as tables:
            for table in EMPTIED:
                tables.connection.run(f"DELETE FROM {table}")
            SqliteChanges(tables).clear()
            tables.change_state(generation=tables.generation + 1, documents=0, numbers=0, fields=0)
            fresh = copy.copy(self)
            fresh._documents = self._make_documents()
            fresh._vector_counts = NOT_COUNTED
            fresh._file = SqliteRebuild(self.path, tables.connection)
            try:
                yield fresh
            finally:
                fresh.close()

    def check(self) -> list[str]:
        """Read the whole file and return its damage, in sentences; an empty list for a sound file.

        Raises:
            DocStoreError: the file cannot be read.
        """
        from hybrid_search.doc_store_adapter.sqlite import sqlite_check  # searches need not wait for it

        with self._file.reading() as connection:
            return sqlite_check.findings(connection)

    @contextmanager
    def _reading(self) -> Iterator[SqliteTables]:
        with self._file.reading() as connection:
            yield SqliteTables(self.path, connection)

    @contextmanager
    def _writing(self) -> Iterator[SqliteTables]:
        with self._file.writing() as connection:
            yield SqliteTables(self.path, connection)

    def _counted_vectors(self, tables: SqliteTables) -> Mapping[str, int]:
        state, counts = self._vector_counts
        if state != tables.state:
            counts = tables.vector_counts()
            self._vector_counts = (tables.state, counts)
        return counts

    def _writer(self, tables: SqliteTables) -> "SqliteWriter":
        from hybrid_search.doc_store_adapter.sqlite.sqlite_writer import SqliteWriter  # searches need not wait for it

        return SqliteWriter(tables, self._kernels)


def _path(path: Any) -> str:
    if isinstance(path, os.PathLike):
        path = os.fspath(path)
    name = validation.text("path", path)
    if not name or "\0" in name:
        raise validation.fail("path", name, "the path of a file")
    return name

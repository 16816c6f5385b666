"""The document store in one file, which both languages read and write (SQL-1 … SQL-5)."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self, Unpack

from hybrid_search import _validation as validation
from hybrid_search._kernels import kernel
from hybrid_search.doc_store_adapter import _row_checksum as row_checksum
from hybrid_search.doc_store_adapter._bm25 import Bm25
from hybrid_search.doc_store_adapter._sqlite_file import SqliteFile
from hybrid_search.doc_store_adapter._sqlite_tables import SqliteTables
from hybrid_search.doc_store_adapter._sqlite_writer import SqliteWriter
from hybrid_search.doc_store_adapter._table_store import TableStore

OPTIONS = ("path", "bm25", "kernels", "read_only", "timeout", "synchronous", "memory")
SYNCHRONOUS = ("full", "normal")
LONGEST_TIMEOUT = 86_400.0
MEGABYTE = 1 << 20


class SqliteDocStore(TableStore[SqliteTables]):
    """Documents in an index file, an SQLite database; scores and order are those of a `MemoryDocStore`, bit for bit.

    A batch is one transaction. Each search sees one state of the file, while one process, of either language, writes;
    a second one waits for it. What has been stored stays, also where a process is killed. Safe to use from several
    threads, and in a forked child.

    ```python
    with SqliteDocStore("handbook.hsx") as store:
        print(store.count())
    ```

    Args:
        path: where the file is; made when there is none.
        bm25: "okapi" (as `rank_bm25.BM25Okapi`) or "lucene".
        kernels: "plain" or "fast", see `kernels.choice`.
        read_only: whether the file must be there and nothing may be written.
        timeout: for how many seconds another writer is waited for.
        synchronous: "full": what is stored survives a loss of power too; "normal": the last batches may then be lost.
        memory: how many megabytes of vectors may be kept between two searches.

    Raises:
        InvalidInputError: an option is unknown or not acceptable.
        DocStoreError: the file cannot be opened, or is no index file that this version can read.
        IndexCorruptError: it is damaged; likewise from every method.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        bm25: str = "okapi",
        kernels: str | None = None,
        read_only: bool = False,
        timeout: float = 5.0,
        synchronous: str = "full",
        memory: int = 256,
        **unknown: Unpack[validation.NoOptions],
    ) -> None:
        validation.known("option", unknown, OPTIONS)
        self.path = _path(path)
        memory = validation.integer("memory", memory, 0) * MEGABYTE
        super().__init__(kernel("sqlite_documents", kernels)(Bm25.of(bm25), memory))
        self._file = SqliteFile(
            self.path,
            validation.boolean("read_only", read_only),
            validation.number("timeout", timeout, 0, LONGEST_TIMEOUT),
            validation.choice("synchronous", synchronous, SYNCHRONOUS),
        )

    @classmethod
    def open(cls, path: str | os.PathLike[str], **options: Any) -> Self:
        """A store of a file; the same as `SqliteDocStore(path, **options)`."""
        return cls(path, **options)

    def close(self) -> None:
        """Close the file; every other method then is a `DocStoreError`."""
        self._file.close()

    def note(self, name: str) -> str | None:
        """The text that a program has noted in the file under a name, or none; no part of the documents."""
        validation.text("name", name)
        with self._reading() as tables:
            return tables.note(name)

    def set_note(self, name: str, text: str) -> None:
        """Note a text in the file under a name, in the place of what was noted there before."""
        key, content = validation.text("name", name).encode("utf-8"), validation.text("text", text).encode("utf-8")
        with self._writing() as tables:
            checksum = row_checksum.of((), key, content)
            tables.connection.run("REPLACE INTO notes VALUES (?, ?, ?)", key, content, checksum)
            tables.change_state()

    @contextmanager
    def _reading(self) -> Iterator[SqliteTables]:
        with self._file.reading() as connection:
            yield SqliteTables(self.path, connection)

    @contextmanager
    def _writing(self) -> Iterator[SqliteTables]:
        with self._file.writing() as connection:
            yield SqliteTables(self.path, connection)

    def _writer(self, tables: SqliteTables) -> SqliteWriter:
        return SqliteWriter(tables)


def _path(path: Any) -> str:
    if isinstance(path, os.PathLike):
        path = os.fspath(path)
    name = validation.text("path", path)
    if not name or "\0" in name:
        raise validation.fail("path", name, "the path of a file")
    return name

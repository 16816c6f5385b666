"""The document store in one file, which both languages read and write (SQL-1 … SQL-5)."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Self, Unpack
from zlib import crc32

from hybrid_search import _validation as validation
from hybrid_search._kernels import kernel
from hybrid_search.doc_store_adapter import _batch as batch
from hybrid_search.doc_store_adapter import _vector_models as vector_models
from hybrid_search.doc_store_adapter._bm25 import Bm25
from hybrid_search.doc_store_adapter._match_exprs import MatchExprs
from hybrid_search.doc_store_adapter._memory_search import MemorySearch
from hybrid_search.doc_store_adapter._memory_snapshot import MemorySnapshot
from hybrid_search.doc_store_adapter._sqlite_file import SqliteFile
from hybrid_search.doc_store_adapter._sqlite_tables import SqliteTables
from hybrid_search.doc_store_adapter._sqlite_writer import SqliteWriter
from hybrid_search.doc_store_adapter._stored_document import StoredDocument
from hybrid_search.doc_store_adapter.base import DocStoreAdapter, Ranking
from hybrid_search.doc_store_adapter.filters import Filters
from hybrid_search.doc_store_adapter.search_result import SearchResult
from hybrid_search.expressions import MatchDenseExpr, MatchTextExpr

OPTIONS = ("path", "bm25", "kernels", "read_only", "timeout", "synchronous", "memory")
SYNCHRONOUS = ("full", "normal")
LONGEST_TIMEOUT = 86_400.0
MEGABYTE = 1 << 20

Changes = list[tuple[StoredDocument | None, StoredDocument | None]]
Become = Callable[[Sequence[StoredDocument], batch.Stored], list[StoredDocument]]
"""What documents that are given become, beside those that are stored."""


class SqliteDocStore(DocStoreAdapter):
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
        self._documents = kernel("sqlite_documents", kernels)(Bm25.of(bm25), memory)
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

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; every other method then is a `DocStoreError`."""
        self._file.close()

    def insert(self, documents: Sequence[Mapping[str, Any]]) -> int:
        """See `DocStoreAdapter.insert`."""
        accepted = batch.accept(documents)

        def changes(tables: SqliteTables) -> Changes:
            batch.check_new(accepted, lambda identifier: tables.number(identifier) is not None)
            return [(None, document) for document in accepted]

        return self._write(changes)

    def update(self, documents: Sequence[Mapping[str, Any]]) -> int:
        """See `DocStoreAdapter.update`."""
        return self._change(documents, batch.changes)

    def upsert(self, documents: Sequence[Mapping[str, Any]]) -> int:
        """See `DocStoreAdapter.upsert`."""
        return self._change(documents, batch.replacements)

    def delete(self, identifiers: Sequence[str]) -> int:
        """See `DocStoreAdapter.delete`."""
        checked = validation.texts("identifiers", identifiers)

        def changes(tables: SqliteTables) -> Changes:
            numbers = [tables.number(identifier) for identifier in dict.fromkeys(checked)]
            return [(tables.document(number), None) for number in numbers if number is not None]

        return self._write(changes)

    def get(self, identifier: str) -> dict[str, Any] | None:
        """See `DocStoreAdapter.get`."""
        validation.text("identifier", identifier)
        with self._tables() as tables:
            number = tables.number(identifier)
            if number is None:
                return None
            document = tables.document(number)
            return {**document.fields, **document.vectors}

    def count(self) -> int:
        """See `DocStoreAdapter.count`."""
        with self._tables() as tables:
            return tables.count

    @property
    def generation(self) -> int:
        """How many batches have changed something, since the file was made."""
        with self._tables() as tables:
            return tables.generation

    def health(self) -> dict[str, Any]:
        """See `DocStoreAdapter.health`."""
        with self._tables() as tables:
            return {"status": "green", "documents": tables.count, "generation": tables.generation}

    def note(self, name: str) -> str | None:
        """The text that a program has noted in the file under a name, or none; no part of the documents."""
        validation.text("name", name)
        with self._tables() as tables:
            return tables.note(name)

    def set_note(self, name: str, text: str) -> None:
        """Note a text in the file under a name, in the place of what was noted there before."""
        key, content = validation.text("name", name).encode("utf-8"), validation.text("text", text).encode("utf-8")
        with self._file.writing() as connection:
            connection.run("REPLACE INTO notes VALUES (?, ?, ?)", key, content, crc32(content))

    def stats(self) -> dict[str, Any]:
        """See `DocStoreAdapter.stats`; reads all documents."""
        with self._snapshot() as snapshot:
            return snapshot.stats()

    def vector_models(self) -> dict[str, str]:
        """See `DocStoreAdapter.vector_models`."""
        with self._tables() as tables:
            return tables.vector_models()

    def keep_vector_model(self, field: str, model: str) -> None:
        """See `DocStoreAdapter.keep_vector_model`."""
        with self._tables() as tables:
            if vector_models.keep(tables.vector_models(), field, model, lambda _: False) is None:
                return
        with self._file.writing() as connection:
            tables = SqliteTables(self.path, connection)
            vector_models.keep(tables.vector_models(), field, model, tables.holds_vectors)
            connection.run("REPLACE INTO vector_models VALUES (?, ?)", field.encode("utf-8"), model)

    @property
    def exact_text(self) -> bool:
        """See `DocStoreAdapter.exact_text`."""
        return True

    def search(
        self,
        select_fields: Sequence[str] | None = None,
        filters: Mapping[str, Any] | None = None,
        match_exprs: Sequence[Any] = (),
        order_by: Sequence[Sequence[str]] = (),
        limit: int = 10,
        offset: int = 0,
        rank_feature: Mapping[str, Any] | None = None,
        *,
        highlight_fields: Sequence[str] = (),
        agg_fields: Sequence[str] = (),
        keywords: Sequence[str] = (),
    ) -> SearchResult:
        """See `DocStoreAdapter.search`."""
        wanted = MemorySearch(
            select_fields, filters, match_exprs, order_by, limit, offset, rank_feature, highlight_fields, agg_fields,
            keywords,
        )  # fmt: skip
        with self._snapshot() as snapshot:
            return snapshot.search(wanted)

    def rank(self, match_exprs: Sequence[Any], filters: Mapping[str, Any] | None = None) -> Ranking:
        """See `DocStoreAdapter.rank`."""
        parsed, accepted = MatchExprs(match_exprs), Filters(filters)
        with self._snapshot() as snapshot:
            return snapshot.rank(parsed, accepted)

    def text_leg(self, expr: MatchTextExpr, filters: Mapping[str, Any] | None = None) -> Ranking:
        """The documents that match a text query, at most its `topn`, in the order of ORD-1."""
        return self.rank([expr], filters)

    def dense_leg(self, expr: MatchDenseExpr, filters: Mapping[str, Any] | None = None) -> Ranking:
        """The documents nearest to a vector, at most its `topn`, only with enough similarity, by ORD-1."""
        return self.rank([expr], filters)

    def _change(self, documents: Sequence[Mapping[str, Any]], become: Become) -> int:
        accepted = batch.accept(documents)

        def changes(tables: SqliteTables) -> Changes:
            found: dict[str, StoredDocument] = {}

            def stored(identifier: str) -> StoredDocument | None:
                number = tables.number(identifier)
                if number is not None:
                    found[identifier] = tables.document(number)
                return found.get(identifier)

            changed = become(accepted, stored)
            return [(found.get(document.identifier), document) for document in changed]

        return self._write(changes)

    @contextmanager
    def _tables(self) -> Iterator[SqliteTables]:
        with self._file.reading() as connection:
            yield SqliteTables(self.path, connection)

    @contextmanager
    def _snapshot(self) -> Iterator[MemorySnapshot]:
        with self._tables() as tables:
            yield MemorySnapshot(self._documents.state(tables), tables.generation, tables.vector_models())

    def _write(self, changes: Callable[[SqliteTables], Changes]) -> int:
        """Make and write a batch; gives how many documents are in it."""
        with self._file.writing() as connection:
            tables = SqliteTables(self.path, connection)
            found = changes(tables)
            if found:
                SqliteWriter(connection, tables).write(found)
            return len(found)


def _path(path: Any) -> str:
    if isinstance(path, os.PathLike):
        path = os.fspath(path)
    name = validation.text("path", path)
    if not name or "\0" in name:
        raise validation.fail("path", name, "the path of a file")
    return name

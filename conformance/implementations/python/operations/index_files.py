"""Operations of index files (SQL-1 … SQL-4): one that is opened, closed, changed from outside, and opened again."""

import sqlite3
import tempfile
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from conformance.implementations.python import made_documents
from conformance.implementations.python.operations import doc_store
from conformance.implementations.python.registry import Trace, operation
from hybrid_search.doc_store_adapter.sqlite.sqlite_doc_store import SqliteDocStore
from hybrid_search.errors import HybridSearchError
from hybrid_search.index import Index

SHOWN = "index.hsx"


@operation("index_files.script", {"bm25": "okapi"})
def script(params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """What each of `steps` answers, a method and its arguments: of a store that `open` makes anew, or of its file."""
    with tempfile.TemporaryDirectory() as folder:
        file = _File(str(Path(folder, SHOWN)), params["bm25"])
        try:
            return [file.step(*step) for step in given["steps"]]
        finally:
            file.close()


class _File:
    def __init__(self, path: str, bm25: str) -> None:
        self._path = path
        self._bm25 = bm25
        self._stores: list[SqliteDocStore] = []
        self._of_file: dict[str, Callable[..., Any]] = {
            "open": self._open,
            "close": self.close,
            "sql": self._sql,
            "overwrite": self._overwrite,
            "write": lambda text: bool(Path(path).write_bytes(text.encode("utf-8"))),
            "remove": lambda ending="": Path(path + ending).unlink(),
            "beside": self._beside,
            "index": self._index,
            "use": lambda place: self._stores.append(self._stores.pop(place)),
        }

    def step(self, method: str, *arguments: Any) -> Any:
        """What a step answers; the folder of the file is no part of a message."""
        methods = self._of_file if method in self._of_file else self._of_store()
        try:
            return methods[method](*arguments)
        except HybridSearchError as error:
            return {"error": type(error).__name__, "message": str(error).replace(self._path, SHOWN)}

    def close(self) -> None:
        """Close every store."""
        for store in self._stores:
            store.close()
        self._stores.clear()

    def _open(self, options: dict[str, Any] | None = None) -> bool:
        """A store of the file beside those that are open; the last one is asked."""
        self._stores.append(SqliteDocStore(self._path, **{"bm25": self._bm25, **(options or {})}))
        return True

    def _index(self, embedding: str) -> bool:
        """Open and close an index of the file with the embedding of a name."""
        Index(path=self._path, embedding=embedding).close()
        return True

    def _sql(self, *statements: str) -> list[list[Any]]:
        """The rows of the last statement, blobs in hex; the stores are closed before."""
        self.close()
        with closing(sqlite3.connect(self._path)) as connection:
            rows = [connection.execute(statement).fetchall() for statement in statements][-1]
            connection.commit()
        return [[value.hex() if isinstance(value, bytes) else value for value in row] for row in rows]

    def _overwrite(self, place: int, digits: str) -> None:
        self.close()
        with open(self._path, "r+b") as file:
            file.seek(place)
            file.write(bytes.fromhex(digits))

    def _beside(self, ending: str, text: str | None = None) -> None:
        """Make what SQLite would make beside the file: a file of a text, or a link that leads nowhere."""
        if text is None:
            Path(self._path + ending).symlink_to(Path(self._path).with_name("nowhere") / SHOWN)
        else:
            Path(self._path + ending).write_text(text, encoding="utf-8")

    def _rebuild(self, store: SqliteDocStore, steps: Sequence[Sequence[Any]]) -> list[Any]:
        """What steps answer of the store that takes the place of another one; an error ends it."""
        with store.rebuilding() as fresh:
            self._stores.append(fresh)
            try:
                return [self._of_store()[method](*arguments) for method, *arguments in steps]
            finally:
                self._stores.pop()

    def _of_store(self) -> dict[str, Callable[..., Any]]:
        store = self._stores[-1]
        return {
            "insert": store.insert,
            "update": store.update,
            "upsert": store.upsert,
            "delete": store.delete,
            "fill": lambda first, count: store.insert(made_documents.make(range(first, first + count))),
            "get": store.get,
            "count": store.count,
            "health": store.health,
            "stats": store.stats,
            "generation": lambda: store.generation,
            "rebuild": lambda *steps: self._rebuild(store, steps),
            "check": store.check,
            "note": store.note,
            "set_note": store.set_note,
            "keep_vector_model": store.keep_vector_model,
            "vector_fields": store.vector_fields,
            "text": lambda text, filters=None: doc_store.pairs(store.text_leg(doc_store.text(text), filters)),
            "dense": lambda dense, filters=None: doc_store.pairs(store.dense_leg(doc_store.dense(dense), filters)),
            "rank": lambda match, filters=None: doc_store.pairs(store.rank(doc_store.exprs(match), filters)),
            "search": lambda match, options: doc_store.result(
                store.search(match_exprs=doc_store.exprs(match), **options)
            ),
        }

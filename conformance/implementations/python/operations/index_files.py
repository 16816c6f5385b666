"""Operations of index files (SQL-1 … SQL-6): one that is opened, closed, changed from outside, and opened again."""

import os
import sqlite3
import tempfile
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from conformance.implementations.python import made_documents
from conformance.implementations.python.operations import doc_store
from conformance.implementations.python.registry import Trace, operation
from hybrid_search.doc_store_adapter.sqlite import file_embedding, sqlite_packing
from hybrid_search.doc_store_adapter.sqlite.sqlite_doc_store import SqliteDocStore
from hybrid_search.doc_store_adapter.tables import row_checksum
from hybrid_search.embedding.embedding import Embedding
from hybrid_search.embedding.embedding_choice import EmbeddingChoice
from hybrid_search.embedding.hashing import HashingEmbedder
from hybrid_search.errors import HybridSearchError
from hybrid_search.index import Index

SHOWN = "index.hsx"
EARLIER_TEXTS = "CREATE TABLE texts (number INTEGER PRIMARY KEY, content TEXT NOT NULL, checksum INTEGER NOT NULL)"
"""The table of texts of schema 3."""


@operation("index_files.script", {"bm25": "okapi"})
def script(params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """What each of `steps` answers, a method and its arguments: of a store that `open` makes anew, or of its file."""
    with tempfile.TemporaryDirectory() as folder:
        return _answers(folder, SHOWN, params["bm25"], given["steps"])


@operation("index_files.paths")
def paths(_params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """Return the answers of `script`, steps, for a file of each of `names` in one folder, and its files afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        answers = [_answers(folder, name, "okapi", given["script"]) for name in given["names"]]
        files = [path.relative_to(folder).as_posix() for path in Path(folder).rglob("*") if path.is_file()]
        return {"answers": answers, "files": sorted(os.fsencode(file).decode("utf-8") for file in files)}


def _answers(folder: str, name: str, bm25: str, steps: Sequence[Sequence[Any]]) -> list[Any]:
    Path(_of_system(folder, name)).parent.mkdir(parents=True, exist_ok=True)
    file = _File(folder, name, bm25)
    try:
        return [file.step(*step) for step in steps]
    finally:
        file.close()


@operation("index_files.indexes")
def indexes(_params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """Return the answer of each of `steps` of indexes of one file; a step is [method, argument, options].

    `open` adds an index, the last one is asked, and `use` takes another one by its place. An `embedding` in the options
    is `{dimension, model}`, its vectors those of the hashing embedder.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder, SHOWN))
        opened: list[Index] = []
        try:
            return [_asked(opened, path, *step) for step in given["steps"]]
        finally:
            for index in opened:
                index.close()


def _asked(
    opened: list[Index], path: str, method: str, argument: Any = None, options: dict[str, Any] | None = None
) -> Any:
    try:
        given = {**(options or {})}
        if isinstance(given.get("embedding"), dict):
            chosen = given["embedding"]
            given["embedding"] = Embedding(HashingEmbedder(dimension=chosen["dimension"]), model=chosen["model"])
        if method == "open":
            opened.append(Index(path=path, **given))
            return True
        if method == "use":
            opened.append(opened.pop(argument))
            return True
        if method == "search":
            page = opened[-1].search(argument, **given)
            return {"hits": [[hit.id, hit.score] for hit in page], "warnings": list(page.warnings)}
        return getattr(opened[-1], method)(*([] if argument is None else [argument]), **given)
    except HybridSearchError as error:
        return {"error": type(error).__name__, "message": str(error).replace(path, SHOWN)}


def _dictionary(choice: EmbeddingChoice | None) -> dict[str, Any] | None:
    return None if choice is None else choice.to_dict()


class _File:
    def __init__(self, folder: str, name: str, bm25: str) -> None:
        self._folder = folder
        self._given = str(Path(folder, name))
        self._path = path = _of_system(folder, name)
        self._bm25 = bm25
        self._stores: list[SqliteDocStore] = []
        self._kept: dict[str, dict[str, bytes]] = {}
        self._of_file: dict[str, Callable[..., Any]] = {
            "open": self._open,
            "close": self.close,
            "open_at": self._open_at,
            "sql": self._sql,
            "meanwhile": self._meanwhile,
            "locked": self._locked,
            "keep": self._keep,
            "put": self._put,
            "beneath": lambda name: bool(Path(path).write_bytes(self._kept[name][""])),
            "folder": lambda: Path(path).mkdir(),
            "pipe": lambda: os.mkfifo(path),
            "overwrite": self._overwrite,
            "unpack": self._unpack,
            "write": lambda text: bool(Path(path).write_bytes(text.encode("utf-8"))),
            "remove": lambda ending="": Path(path + ending).unlink(),
            "beside": self._beside,
            "index": self._index,
            "use": lambda place: self._stores.append(self._stores.pop(place)),
        }

    def step(self, method: str, *arguments: Any) -> Any:
        """What a step answers; the temporary folder is no part of a message."""
        methods = self._of_file if method in self._of_file else self._of_store()
        try:
            return methods[method](*arguments)
        except HybridSearchError as error:
            return {"error": type(error).__name__, "message": str(error).replace(f"{self._folder}/", "")}

    def close(self) -> None:
        """Close every store."""
        for store in self._stores:
            store.close()
        self._stores.clear()

    def _open(self, options: dict[str, Any] | None = None) -> bool:
        """A store of the file beside those that are open; the last one is asked."""
        self._stores.append(SqliteDocStore(self._given, **{"bm25": self._bm25, **(options or {})}))
        return True

    def _open_at(self, name: str, options: dict[str, Any] | None = None) -> bool:
        """Open a store of another file, or of none, and close it."""
        SqliteDocStore(f"{self._folder}/{name}" if name else name, **(options or {})).close()
        return True

    def _index(self, embedding: str) -> bool:
        """Open and close an index of the file with the embedding of a name."""
        Index(path=self._given, embedding=embedding).close()
        return True

    def _sql(self, *statements: str) -> list[list[Any]]:
        """The rows of the last statement, blobs in hex; the stores are closed before."""
        self.close()
        return self._meanwhile(*statements)

    def _meanwhile(self, *statements: str) -> list[list[Any]]:
        """The same while the stores are open."""
        with closing(sqlite3.connect(self._path)) as connection:
            rows = [connection.execute(statement).fetchall() for statement in statements][-1]
            connection.commit()
        return [[value.hex() if isinstance(value, bytes) else value for value in row] for row in rows]

    def _locked(self, step: Sequence[Any]) -> Any:
        """What a step answers while another connection writes."""
        with closing(sqlite3.connect(self._path, isolation_level=None)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            return self.step(*step)

    def _keep(self, name: str) -> None:
        """Keep what the file and its log hold at this moment, whether or not stores are open."""
        found = {ending: Path(self._path + ending) for ending in ("", "-wal")}
        self._kept[name] = {ending: path.read_bytes() for ending, path in found.items() if path.exists()}

    def _put(self, file: str, log: str | None = None, cut: int = 0) -> None:
        """Put back what was kept of a file and of a log without its last bytes, as if the power had failed then."""
        self.close()
        for ending in ("-wal", "-shm"):
            Path(self._path + ending).unlink(missing_ok=True)
        Path(self._path).write_bytes(self._kept[file][""])
        if log is not None:
            written = self._kept[log]["-wal"]
            Path(self._path + "-wal").write_bytes(written[: len(written) - cut])

    def _overwrite(self, place: int, digits: str) -> None:
        self.close()
        with open(self._path, "r+b") as file:
            file.seek(place)
            file.write(bytes.fromhex(digits))

    def _unpack(self) -> None:
        """Make the file one of schema 3, which did not pack texts and places and had no table `changes`."""
        self.close()
        with closing(sqlite3.connect(self._path)) as connection:
            texts = connection.execute("SELECT number, content FROM texts").fetchall()
            connection.execute("DROP TABLE texts")
            connection.execute("DROP TABLE changes")
            connection.execute(EARLIER_TEXTS)
            for number, packed in texts:
                text = sqlite_packing.unpack_text(packed)
                row = (number, text, row_checksum.of((number,), text.encode("utf-8")))
                connection.execute("INSERT INTO texts VALUES (?, ?, ?)", row)
            for table, key, columns in (("terms", "term", "field, documents, chunks"), ("postings", "chunk", "chunk")):
                _unpack_places(connection, table, key, columns)
            connection.execute("PRAGMA user_version = 3")
            connection.commit()

    def _beside(self, ending: str, text: str | None = None) -> None:
        """Make what SQLite would make beside the file: a file of a text, or a link that leads nowhere."""
        if text is None:
            Path(self._path + ending).symlink_to(Path(self._path).with_name("nowhere") / SHOWN)
        else:
            Path(self._path + ending).write_text(text, encoding="utf-8")

    def _rebuild(self, store: SqliteDocStore, steps: Sequence[Sequence[Any]]) -> list[Any]:
        """What steps answer of the store that takes the place of another one; an error ends it.

        `attempt`, a step, goes on after an error; `outside`, a step, asks the store whose place is taken.
        """
        with store.rebuilding() as fresh:
            self._stores.append(fresh)
            try:
                return [self._of_rebuild(store, *step) for step in steps]
            finally:
                self._stores.pop()

    def _of_rebuild(self, outside: SqliteDocStore, method: str, *arguments: Any) -> Any:
        if method == "attempt":
            return self.step(*arguments[0])
        if method == "outside":
            self._stores.append(outside)
            try:
                return self.step(*arguments[0])
            finally:
                self._stores.pop()
        return self._of_store()[method](*arguments)

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
            "embedding": lambda: _dictionary(file_embedding.choice_of(store)),
            "text": lambda text, filters=None: doc_store.pairs(store.text_leg(doc_store.text(text), filters)),
            "dense": lambda dense, filters=None: doc_store.pairs(store.dense_leg(doc_store.dense(dense), filters)),
            "rank": lambda match, filters=None: doc_store.pairs(store.rank(doc_store.exprs(match), filters)),
            "search": lambda match, options: doc_store.result(
                store.search(match_exprs=doc_store.exprs(match), **options)
            ),
        }


def _of_system(folder: str, name: str) -> str:
    """Return the path of a file whose name is written as UTF-8, in every locale."""
    return os.fsdecode(str(Path(folder, name)).encode("utf-8"))


def _unpack_places(connection: sqlite3.Connection, table: str, key: str, columns: str) -> None:
    """Write the places of a table as schema 3 had them; checksums cover the integers in `columns`, and tokens."""
    token = "token" if table == "terms" else "x''"
    for row, token_of, packed, *integers in connection.execute(
        f"SELECT {key}, {token}, places, {columns} FROM {table}"
    ).fetchall():
        places = sqlite_packing.unpack_places([packed])
        checksum = row_checksum.of(tuple(integers), token_of, places)
        connection.execute(f"UPDATE {table} SET places = ?, checksum = ? WHERE {key} = ?", (places, checksum, row))

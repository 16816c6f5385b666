"""What stores that need a server send for each step, without a server (OS-1 … OS-5, PG-1 … PG-6, OB-1 … OB-4).

A step is one of `doc_store.documents`, or `{search: {match, …}}`. What a server would answer is in the case: for
OpenSearch by the end of a path (`scripted_cluster`), for databases by the beginning of a statement. Bytes are
`{bytes: text}` where they are printable ASCII, else `{hex: digits}`.

A step `{many: {method, count, …}}` makes its documents, ids or vectors, so that a case of thousands is short; of a
request with many lines the first and the last are kept, and of a long line its SHA-256.

A step `{call: method, options: {…}}` calls a method with keywords.

A step `{page: {question, …}}` of `requests.index` and `requests.oceanbase` asks an `Index` over the store; with
`follows` it takes the cursor of the page before. The rows `{candidates: 1000, lengths, words}` are as many candidates
of OceanBase, all alike but for number and id.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from conformance.implementations.python import log_lines, own_types, scripted_drivers, scripted_postgres
from conformance.implementations.python.operations import doc_store
from conformance.implementations.python.registry import Trace, operation
from conformance.implementations.python.scripted_cluster import Cluster, digest
from conformance.implementations.python.scripted_script import Script, mark
from hybrid_search.base.kernels import kernel
from hybrid_search.doc_store_adapter.oceanbase.oceanbase_connection import OceanBaseConnection
from hybrid_search.doc_store_adapter.oceanbase.oceanbase_doc_store import OceanBaseDocStore
from hybrid_search.doc_store_adapter.oceanbase.oceanbase_documents import OceanBaseDocuments
from hybrid_search.doc_store_adapter.oceanbase.oceanbase_statements import OceanBaseStatements
from hybrid_search.doc_store_adapter.oceanbase.oceanbase_tables import OceanBaseTables
from hybrid_search.doc_store_adapter.opensearch.opensearch_access import OpenSearchAccess
from hybrid_search.doc_store_adapter.opensearch.opensearch_doc_store import OpenSearchDocStore
from hybrid_search.doc_store_adapter.postgres.postgres_connection import PostgresConnection, Question, Row
from hybrid_search.doc_store_adapter.postgres.postgres_doc_store import PostgresDocStore
from hybrid_search.doc_store_adapter.postgres.postgres_statements import PostgresStatements
from hybrid_search.doc_store_adapter.postgres.postgres_tables import PostgresTables
from hybrid_search.doc_store_adapter.snapshot.bm25 import Bm25
from hybrid_search.doc_store_adapter.tables.table_store import TableStore
from hybrid_search.errors import HybridSearchError, InvalidInputError
from hybrid_search.index import Index

MEMORY = 1 << 20
"""Of what a client keeps, in bytes."""
WHOLE_FLOAT = re.compile(r"(?<=[0-9])\.0e")
"""What Ruby writes in `1.0e+200`, where Python writes `1e+200`."""
FILES = ("ca_file", "client_certificate", "client_key")
MOST_MEMBERS = 200
"""The number of members of a list above which only the first and last ones and a digest are noted."""


@operation("requests.opensearch", {"options": {}, "ragflow": False})
def opensearch(params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """The requests of each step, what it gives or its error, and the lines of the log."""
    transport = Cluster(given)
    store = _cluster(params, transport)
    transport.taken()
    told = []
    for step in given["steps"]:
        with log_lines.kept() as lines:
            gives = _step(store, step)
        told.append({"gives": gives, "asked": transport.taken(), "lines": lines})
    return told


@operation("requests.index", {"options": {}, "index": {}})
def pages(params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """The requests of each page, its hits or its error, and whether the index has changed since the first page.

    Options of a page may be of types that JSON has no word for (see `own_types`).
    """
    transport = Cluster(given)
    store = _cluster({"options": params["options"], "ragflow": params.get("ragflow", False)}, transport)
    index = Index(store=store, **params["index"])
    transport.taken()
    return _stepped(index, store, given["steps"], transport.taken)


def _stepped(index: Index, store: Any, steps: list[dict[str, Any]], taken: Callable[[], Any]) -> list[Any]:
    """Return what each step of a store, or page of its index, gives, and what was sent for it."""
    cursor, shown = None, []
    for step in steps:
        if "page" in step:
            gives, cursor = _page(index, step["page"], cursor)
        else:
            gives = _step(store, step)
        shown.append({"gives": gives, "asked": taken()})
    return shown


def _page(index: Index, given: dict[str, Any], cursor: str | None) -> tuple[Any, str | None]:
    """Return what a page shows, or its error, and the cursor of the next one."""
    asked = {name: own_types.read(value) for name, value in given.items() if name != "follows"}
    if given.get("follows"):
        asked["cursor"] = cursor
    try:
        page = index.search(**asked)
    except HybridSearchError as error:
        return {"error": _error(error)}, cursor
    cursor = page.next_cursor
    shown = {"ids": [hit.id for hit in page], "total": page.total, "warnings": list(page.warnings)}
    return {**shown, "index_changed": page.index_changed, "follows": cursor is not None}, cursor


@operation("requests.opening", {"index": "i", "options": {}, "ragflow": False})
def opening(params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """The requests with which a store opens its index, or makes it, its error, and where `logged` the log's lines."""
    transport = Cluster(given)
    error = None
    with log_lines.kept() as lines:
        try:
            _cluster(params, transport)
        except HybridSearchError as problem:
            error = _error(problem)
    logged = {"lines": lines} if given.get("logged") else {}
    return {"asked": transport.taken(), "error": error, **logged}


@operation("requests.access")
def access(_params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """Return the header that a user with a password, or an API key, sends; what is called returns the same.

    `called_key` is the key that a callable returns. The `files` are in the folder that options name `/folder`.
    """
    with TemporaryDirectory() as folder:
        for name, text in given.get("files", {}).items():
            Path(folder, name).write_text(text, encoding="utf-8")
        options = {name: value for name, value in given.items() if name not in ("files", "called_key")}
        for name in FILES:
            if isinstance(options.get(name), str):
                options[name] = options[name].replace("/folder", folder)
        if "password" in options:
            options["password"] = lambda: given["password"]
        if "called_key" in given:
            options["api_key"] = lambda: given["called_key"]
        try:
            found = OpenSearchAccess(**options)
            return [found.is_named, found.header()] if found.is_named else [False]
        except InvalidInputError as error:
            raise InvalidInputError(str(error).replace(folder, "/folder")) from None


@operation("requests.postgres", {"bm25": "okapi", "dense": "exact", "meta": [3, 0, "s", 0, 0, 0]})
def postgres(params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """The statements of each step with their values, and what it gives or its error."""
    connection = _Recorder(PostgresStatements("c"), given.get("rows", {}))
    store: Any = _Collection(params, connection)
    return [{"gives": _step(store, step), "asked": connection.taken()} for step in given["steps"]]


@operation("requests.oceanbase", {"dense": "exact", "meta": [1, 7, 5, 9]})
def oceanbase(params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """The statements of each step, a page of an index among them, and what it gives or its error."""
    connection = _Notes(OceanBaseStatements("c"), given.get("rows", {}))
    store: Any = _OceanBaseCollection(params, connection)
    index = Index(store=store, **given.get("index", {}))
    connection.taken()
    return _stepped(index, store, given["steps"], connection.taken)


@operation(
    "requests.connections",
    {"store": "postgres", "connection": "x", "given": "text", "options": {}, "kernels": "fast"},
)
def connections(params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """What a store sends with its driver as it opens a collection and in each step, and what each gives."""
    script = Script(given, _value)
    sent = _marked if "session" in given else _sent
    with scripted_drivers.placed(script, given.get("environment", {})):
        try:
            store: Any = _opened(params, script)
            told = [{"gives": None, "asked": sent(script)}]
        except HybridSearchError as error:
            told_of = {**_error(error), "message": str(error).replace("of psycopg", "of the driver")}
            return [{"gives": {"error": told_of}, "asked": sent(script)}]
        return told + [{"gives": _step(store, step), "asked": sent(script)} for step in given.get("calls", [])]


class _Recorder(PostgresConnection):
    """Notes statements, and answers them from the case."""

    def __init__(self, statements: PostgresStatements, replies: dict[str, list[Any]]) -> None:
        self.statements = statements
        self._later: list[Question] = []
        self._replies = replies
        self._noted: list[Any] = []

    def rows_of(self, text: str, values: Sequence[Any]) -> list[Row]:
        """See `PostgresConnection`."""
        self._noted.append([text, *map(_shown, values)])
        begun = [begin for begin in self._replies if text.startswith(begin)]
        return [tuple(map(_value, row)) for row in self._replies[max(begun, key=len)]] if begun else []

    def together(self, *questions: Question) -> list[list[Row]]:
        """See `PostgresConnection`."""
        return [self.rows(*question) for question in questions]

    def run_text(self, text: str, values: Sequence[Any] | None = None) -> None:
        """See `PostgresConnection`."""
        self.rows_of(text, values or ())

    def copy(self, name: str, types: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        """See `PostgresConnection`."""
        self.settle()
        self._noted.append([self.statements.text(name), list(types), *(list(map(_shown, row)) for row in rows)])

    def taken(self) -> list[Any]:
        """The statements since the last call."""
        taken, self._noted = self._noted, []
        return taken


class _Collection(PostgresDocStore):
    """A store whose transactions are those of a recorder."""

    def __init__(self, params: dict[str, Any], connection: _Recorder) -> None:
        documents = kernel("postgres_documents", params["kernels"])
        TableStore.__init__(self, documents(Bm25.of(params["bm25"]), (params["dense"] == "hnsw", MEMORY)))
        self._row = tuple(params["meta"])
        self._connection = connection

    @contextmanager
    def _reading(self) -> Iterator[PostgresTables]:
        yield PostgresTables(self._connection, self._row)

    @contextmanager
    def _writing(self) -> Iterator[PostgresTables]:
        yield PostgresTables(self._connection, self._row)
        self._connection.settle()


class _Notes(OceanBaseConnection):
    """Notes statements, and answers them from the case."""

    def __init__(self, statements: OceanBaseStatements, replies: dict[str, Any]) -> None:
        self.statements = statements
        self._replies = replies
        self._noted: list[str] = []

    def run_text(self, text: str) -> list[Row]:
        """See `OceanBaseConnection`."""
        self._noted.append(text)
        begun = [begin for begin in self._replies if text.startswith(begin)]
        found = self._replies[max(begun, key=len)] if begun else []
        if isinstance(found, dict):
            return [(n, b"d%d" % n, found["lengths"].encode(), found["words"]) for n in range(found["candidates"])]
        return [tuple(map(_value, row)) for row in found]

    def taken(self) -> list[str]:
        """The statements since the last call."""
        taken, self._noted = self._noted, []
        return taken


class _OceanBaseCollection(OceanBaseDocStore):
    """A store whose transactions are those of a recorder, and which has all tables of vectors."""

    def __init__(self, params: dict[str, Any], connection: _Notes) -> None:
        self._approximate = params["dense"] == "hnsw"
        TableStore.__init__(self, OceanBaseDocuments(self._approximate))
        self._row = tuple(params["meta"])
        self._connection = connection

    def _prepare(self, _documents: Any) -> None:
        return

    @contextmanager
    def _reading(self) -> Iterator[OceanBaseTables]:
        yield OceanBaseTables(self._connection, self._row)

    @contextmanager
    def _writing(self) -> Iterator[OceanBaseTables]:
        yield OceanBaseTables(self._connection, self._row)


def _cluster(params: dict[str, Any], transport: Cluster) -> OpenSearchDocStore:
    make = OpenSearchDocStore.ragflow_index if params["ragflow"] else OpenSearchDocStore
    return make(
        params.get("url", "http://127.0.0.1:9200"),
        params.get("index", "i"),
        transport=transport,
        timing=transport.timing,
        **params["options"],
    )


def _opened(params: dict[str, Any], script: Script) -> Any:
    options = dict(params["options"])
    if params["store"] == "oceanbase":
        if isinstance(password := options.get("password"), str):
            options["password"] = lambda: password
        return OceanBaseDocStore(params["connection"], **options)
    given = {"pool": scripted_postgres.Pool, "connection": scripted_postgres.Connection}.get(params["given"])
    return PostgresDocStore(given(script) if given else params["connection"], kernels=params["kernels"], **options)


def _sent(script: Script) -> Any:
    return _shown(script.taken())


def _marked(script: Script) -> list[list[str]]:
    return [mark(_shown(asked)) for asked in script.taken()]


def _error(error: HybridSearchError) -> dict[str, str]:
    return {"class": type(error).__name__, "message": str(error)}


def _step(store: Any, step: dict[str, Any]) -> Any:
    if "search" not in step and "build_index" not in step and "call" not in step:
        return doc_store.step(store, _made(**step["many"]) if "many" in step else step)
    try:
        if "build_index" in step:
            return store.build_index(**step["build_index"])
        if "call" in step:
            return getattr(store, step["call"])(**step.get("options", {}))
        arguments = {key: value for key, value in step["search"].items() if key != "match"}
        found = store.search(match_exprs=doc_store.exprs(step["search"].get("match", [])), **arguments)
        stated = {} if found.generation is None else {"generation": found.generation}
        return {**doc_store.result(found), **stated}
    except HybridSearchError as error:
        return {"error": _error(error)}


def _made(
    method: str, count: int, sizes: Sequence[int] = (), components: int = 0, others: int = 0, text: str = ""
) -> dict[str, Any]:
    """A step with many documents or ids; a document's size is the bytes of its text of Chinese tokens.

    Each one without a size has the `text`, and `others` is the number of numbers in a second list of the filters.
    """
    ids = [f"d{place}" for place in range(count)]
    if method == "delete":
        return {method: ids}
    if method == "list":
        second = {"n_int": list(range(others))} if others else {}
        return {method: {"limit": 1, "filters": {"id": ids, **second}}}
    vector = {f"q_{components}_vec": [1.0] * components} if components else {}
    texts = [{"content_ltks": "\u5b57 " * (size // 4) + "x" * (size % 4)} for size in sizes] or [
        {"content_ltks": text} if text else {}
    ] * count
    return {method: [{"id": one, **text, **vector} for one, text in zip(ids, texts, strict=True)]}


def _shown(value: Any) -> Any:
    """A value of a statement as plain data."""
    if isinstance(value, (list, tuple)):
        shown = [_shown(one) for one in value]
        return (
            shown
            if len(value) <= MOST_MEMBERS
            else [*shown[:2], digest(json.dumps(shown, ensure_ascii=False)), *shown[-2:]]
        )
    if isinstance(value, str):
        return WHOLE_FLOAT.sub("e", value)
    if not isinstance(value, bytes):
        return value
    return {"bytes": value.decode("ascii")} if all(32 <= one < 127 for one in value) else {"hex": value.hex()}


def _value(told: Any) -> Any:
    """A value of a row of the case."""
    if isinstance(told, dict):
        return bytes.fromhex(told["hex"]) if "hex" in told else told["bytes"].encode("utf-8")
    return told

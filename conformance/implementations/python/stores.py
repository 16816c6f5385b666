"""The stores that operations fill: in memory, or as `CONFORMANCE_STORE` says.

With "sqlite" they are files, with "postgres" collections of the database that `HYBRID_SEARCH_POSTGRES_URL` names, with
"opensearch" indices of the cluster that `HYBRID_SEARCH_OPENSEARCH_URL` names. What of their
answers is compared, `conformance.judging.promises` tells.
"""

import atexit
import gc
import importlib
import itertools
import os
import tempfile
import uuid
import weakref
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

if TYPE_CHECKING:  # a store of an engine takes long to load, and most processes fill none
    from hybrid_search.doc_store_adapter.memory.memory_doc_store import MemoryDocStore
    from hybrid_search.doc_store_adapter.postgres.postgres_doc_store import PostgresDocStore
    from hybrid_search.doc_store_adapter.sqlite.sqlite_doc_store import SqliteDocStore

VARIABLE = "CONFORMANCE_STORE"
ADDRESS = "HYBRID_SEARCH_POSTGRES_URL"
NODES = "HYBRID_SEARCH_OPENSEARCH_URL"
OF_CLUSTERS = [
    "doc_store.bm25", "doc_store.dense_leg", "doc_store.documents", "doc_store.filters", "doc_store.search",
    "doc_store.text_leg", "quality.load", "quality.rankings", "retriever.full_pages", "retriever.pages",
    "retriever.retrieve",
]  # fmt: skip
"""The operations that a cluster is asked: those that ask a store."""
OF_FILES = [
    "citations.cite", "doc_store.bm25", "doc_store.bm25f_leg", "doc_store.dense_leg", "doc_store.documents",
    "doc_store.filters", "doc_store.search", "doc_store.text_leg", "http", "index.script", "kept.documents",
    "kept.rerank", "kept.service", "retrieval_service.heads", "retriever.full_pages", "retriever.pages",
    "retriever.retrieve", "search.damaged", "search.script", "search.shared_cache", "search.walk",
    "vector_models.indexes",
]  # fmt: skip
"""The operations that fill a store, and so may differ where it is a file."""
MEMORY = "/dev/shm"
"""Where a file needs no disk, on Linux; the name of a folder there tells whose it is."""
MARK = "HYBRID_SEARCH_CONFORMANCE_PROCESS"
Store: TypeAlias = "MemoryDocStore | SqliteDocStore | PostgresDocStore"
Made = TypeVar("Made")

REMOVED_AT_ONCE = 20
"""After how many new stores those are removed that nobody can ask any more: there is little time at the end."""

_places = itertools.count()
_names: list[str] = []
_forgotten: list[str] = []


def store(**options: Any) -> Store:
    """An empty store; one in memory where options are to be refused, which are its own."""
    if options.keys() <= {"bm25", "kernels"}:
        if _kind() == "sqlite":
            from hybrid_search.doc_store_adapter.sqlite.sqlite_doc_store import SqliteDocStore

            return SqliteDocStore(_path(), synchronous="normal", **options)
        if _kind() == "postgres":
            return _collection(**options)
        if _kind() == "opensearch":
            made: Store = _index()
            return made
    from hybrid_search.doc_store_adapter.memory.memory_doc_store import MemoryDocStore

    return MemoryDocStore(**options)


def operations() -> list[str] | None:
    """The operations that such a store can be asked for, none: all."""
    return {"opensearch": OF_CLUSTERS, "sqlite": OF_FILES}.get(_kind() or "")


def is_asked(operation: str) -> bool:
    """Return whether such a store can be asked for an operation."""
    listed = operations()
    return listed is None or any(operation == one or operation.startswith(f"{one}.") for one in listed)


def of_index() -> dict[str, Any]:
    """The options that give an `Index` such a store."""
    if _kind() == "postgres":
        return {"store": _collection()}
    return {"path": _path()} if _kind() == "sqlite" else {}


def temporary_folder() -> tempfile.TemporaryDirectory[str]:
    """An empty folder, in memory where there is a file system in memory."""
    return tempfile.TemporaryDirectory(prefix=os.environ.get(MARK), dir=MEMORY if os.access(MEMORY, os.W_OK) else None)


def _kind() -> str | None:
    return os.environ.get(VARIABLE)


def _collection(**options: Any) -> "PostgresDocStore":
    """An empty collection."""
    from hybrid_search.doc_store_adapter.postgres.postgres_doc_store import PostgresDocStore

    name = f"conformance_{uuid.uuid4().hex}"
    return _kept(name, PostgresDocStore(_connection(), name, **options))


def _index() -> Any:
    """An empty index, which has not all that the other stores have."""
    from hybrid_search.doc_store_adapter.opensearch.opensearch_doc_store import OpenSearchDocStore

    name = f"conformance-{uuid.uuid4().hex}"
    return _kept(name, OpenSearchDocStore(os.environ[NODES].split(","), name, replicas=0))


def _kept(name: str, made: Made) -> Made:
    """A store that is removed once nobody can ask it any more."""
    if not _names:
        atexit.register(_remove_all)
    weakref.finalize(made, _forgotten.append, name).atexit = False
    _names.append(name)
    if len(_names) % REMOVED_AT_ONCE == 0:
        _remove_forgotten()
    return made


def _remove_forgotten() -> None:
    gc.collect()
    gone, _forgotten[:] = _forgotten[:], []
    _remove(gone)
    _names[:] = [name for name in _names if name not in gone]


def _remove_all() -> None:
    for first in range(0, len(_names), REMOVED_AT_ONCE):
        _remove(_names[first : first + REMOVED_AT_ONCE])


def _remove(names: list[str]) -> None:
    """Remove collections, by one statement as each waits for the server's log, or indices."""
    if names and _kind() == "opensearch":
        from hybrid_search.doc_store_adapter.opensearch.opensearch_transport import OpenSearchTransport

        path = ",".join(f"{name}-000001" for name in names)
        OpenSearchTransport(os.environ[NODES].split(",")).request("DELETE", f"/{path}", None, 60.0)
    elif names:
        _connection().execute(f"drop schema {', '.join(names)} cascade")
        _connection().commit()


@cache
def _connection() -> Any:
    """One for all collections, of which there are more than a server has connections."""
    return importlib.import_module("psycopg").connect(os.environ[ADDRESS])


def _path() -> str:
    return os.path.join(_folder().name, f"{next(_places)}.hsx")


@cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    folder = temporary_folder()
    atexit.register(folder.cleanup)
    return folder

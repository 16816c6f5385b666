"""The stores that operations fill: in memory, or as `CONFORMANCE_STORE` says.

With "sqlite" they are files, with "postgres" collections of the database that `HYBRID_SEARCH_POSTGRES_URL` names.
"""

import atexit
import importlib
import itertools
import os
import tempfile
import uuid
from functools import cache
from typing import Any

from hybrid_search.doc_store_adapter.memory import MemoryDocStore
from hybrid_search.doc_store_adapter.postgres import PostgresDocStore
from hybrid_search.doc_store_adapter.sqlite import SqliteDocStore

VARIABLE = "CONFORMANCE_STORE"
ADDRESS = "HYBRID_SEARCH_POSTGRES_URL"
Store = MemoryDocStore | SqliteDocStore | PostgresDocStore

_places = itertools.count()


def store(**options: Any) -> Store:
    """An empty store; one in memory where options are to be refused, which are its own."""
    if options.keys() <= {"bm25", "kernels"}:
        if _kind() == "sqlite":
            return SqliteDocStore(_path(), synchronous="normal", **options)
        if _kind() == "postgres":
            return _collection(**options)
    return MemoryDocStore(**options)


def of_index() -> dict[str, Any]:
    """The options that give an `Index` such a store."""
    if _kind() == "postgres":
        return {"store": _collection()}
    return {"path": _path()} if _kind() == "sqlite" else {}


def _kind() -> str | None:
    return os.environ.get(VARIABLE)


def _collection(**options: Any) -> PostgresDocStore:
    """An empty collection, which is removed at the end."""
    made = PostgresDocStore(_connection(), f"conformance_{uuid.uuid4().hex}", **options)
    atexit.register(made.drop)
    return made


@cache
def _connection() -> Any:
    """One for all collections, of which there are more than a server has connections."""
    return importlib.import_module("psycopg").connect(os.environ[ADDRESS])


def _path() -> str:
    return os.path.join(_folder().name, f"{next(_places)}.hsx")


@cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    return folder

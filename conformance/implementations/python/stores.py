"""The stores that operations fill: in memory, or files where `CONFORMANCE_STORE` is "sqlite"."""

import atexit
import itertools
import os
import tempfile
from functools import cache
from typing import Any

from hybrid_search.doc_store_adapter.memory import MemoryDocStore
from hybrid_search.doc_store_adapter.sqlite import SqliteDocStore

VARIABLE = "CONFORMANCE_STORE"
Store = MemoryDocStore | SqliteDocStore

_places = itertools.count()


def store(**options: Any) -> Store:
    """An empty store; one in memory where options are to be refused, which are its own."""
    if _in_files() and options.keys() <= {"bm25", "kernels"}:
        return SqliteDocStore(_path(), synchronous="normal", **options)
    return MemoryDocStore(**options)


def of_index() -> dict[str, Any]:
    """The options that give an `Index` such a store."""
    return {"path": _path()} if _in_files() else {}


def _in_files() -> bool:
    return os.environ.get(VARIABLE) == "sqlite"


def _path() -> str:
    return os.path.join(_folder().name, f"{next(_places)}.hsx")


@cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    return folder

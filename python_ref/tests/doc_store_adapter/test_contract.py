"""Every store of the library keeps the contract."""

import atexit
import importlib
import inspect
import pkgutil
import tempfile
from functools import partial

import pytest

from hybrid_search import doc_store_adapter
from hybrid_search._kernels import NAMES
from hybrid_search.doc_store_adapter.base import DocStoreAdapter
from hybrid_search.doc_store_adapter.contract import DocStoreContract
from hybrid_search.doc_store_adapter.memory import MemoryDocStore
from hybrid_search.doc_store_adapter.postgres import PostgresDocStore
from hybrid_search.doc_store_adapter.sqlite import SqliteDocStore
from hybrid_search.errors import DocStoreError


def stores():
    """The classes of stores in the library, by their names."""
    for module in pkgutil.iter_modules(doc_store_adapter.__path__, f"{doc_store_adapter.__name__}."):
        importlib.import_module(module.name)
    return sorted(
        (one for one in DocStoreAdapter.__subclasses__() if one.__module__.startswith("hybrid_search.")), key=str
    )


def in_file(**options):
    """A store in a file of its own, which is removed at the end."""
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    return SqliteDocStore(f"{folder.name}/index.hsx", synchronous="normal", **options)


def reopened(store):
    """The store of a file that was closed."""
    if not isinstance(store, SqliteDocStore):
        return None
    store.close()
    return SqliteDocStore(store.path)


def beside(store):
    """A second store of a file."""
    return SqliteDocStore(store.path) if isinstance(store, SqliteDocStore) else None


WAYS = {one.__name__: one for one in stores() if one not in (PostgresDocStore, SqliteDocStore)} | {
    f"MemoryDocStore, {bm25}, {kernels}": partial(MemoryDocStore, bm25, kernels)
    for bm25 in ("okapi", "lucene")
    for kernels in NAMES
}
WAYS |= {f"SqliteDocStore, {kernels}": partial(in_file, kernels=kernels) for kernels in NAMES}


def test_the_stores_are_found():
    assert [one.__name__ for one in stores()] == ["MemoryDocStore", "PostgresDocStore", "SqliteDocStore"]
    assert not any(map(inspect.isabstract, stores()))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("promise", DocStoreContract.names())
def test_stores_keep_the_contract(way, promise):
    contract = DocStoreContract()
    contract.make_store, contract.reopen, contract.open_beside = WAYS[way], reopened, beside
    contract.make_reference = partial(MemoryDocStore, "lucene" if "lucene" in way else "okapi", "plain")
    getattr(contract, promise)()


class TestSubclass(DocStoreContract):
    """As the documents tell people to test a store of their own."""

    def make_store(self):
        return MemoryDocStore()


def test_the_contract_tells_what_a_store_does_not_keep():
    class Forgetful(MemoryDocStore):
        def delete(self, identifiers):
            return 0

    with pytest.raises(DocStoreError, match="the store breaks the contract: removed should be 1, is 0"):
        DocStoreContract.run(Forgetful)

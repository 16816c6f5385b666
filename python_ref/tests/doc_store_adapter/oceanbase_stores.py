"""Stores in OceanBase for tests, each with its own collection, with connections that can be cut."""

import uuid
from contextlib import suppress

import pymysql

from hybrid_search.doc_store_adapter.oceanbase.oceanbase_connection import OceanBaseConnection
from hybrid_search.doc_store_adapter.oceanbase.oceanbase_doc_store import OceanBaseDocStore
from hybrid_search.errors import DocStoreError


class OceanBaseStores:
    """Makes stores; their collections are removed at the end.

    Args:
        url: of the database.
    """

    def __init__(self, url):
        self.url = url
        self._stores = []

    def make(self, collection=None, **options):
        """Return a store; an empty one unless a collection is named."""
        store = OceanBaseDocStore(self.url, collection or f"t{uuid.uuid4().hex}", **options)
        self._stores.append(store)
        return store

    def beside(self, store):
        """Return another store of the same collection."""
        return self.make(store.collection)

    def reopened(self, store):
        """Return a new store of the collection of a closed one."""
        store.close()
        return self.beside(store)

    def drop(self):
        """Remove the collections of one test."""
        for name in {store.collection for store in self._stores}:
            with suppress(DocStoreError):
                OceanBaseDocStore(self.url, name, migrate=False).drop()
        for store in self._stores:
            store.close()
        self._stores.clear()


def cut(store):
    """Cut the idle connections of a store, as a server does when it stops."""
    for connection in store._database._pool._idle:
        connection._connection._sock.shutdown(2)


def losing_commits(monkeypatch, is_done):
    """Lose the responses to commits, after or before they were carried out; return a function that ends this."""
    plain = OceanBaseConnection.run_text

    def run_text(self, text):
        if text == "commit":
            if is_done:
                plain(self, text)
            self.close()
            raise pymysql.OperationalError(2013, "Lost connection to MySQL server during query")
        return plain(self, text)

    monkeypatch.setattr(OceanBaseConnection, "run_text", run_text)
    return lambda: monkeypatch.setattr(OceanBaseConnection, "run_text", plain)

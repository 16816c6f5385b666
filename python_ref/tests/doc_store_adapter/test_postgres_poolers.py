"""All kinds of connections through a pooler in transaction mode, which may change with each transaction (PG-3)."""

import psycopg
import pytest

from conformance.engines.pooler import pooled, program
from hybrid_search.doc_store_adapter.postgres.postgres_doc_store import PostgresDocStore

pytestmark = pytest.mark.engines

TURNS = 12
"""psycopg prepares a statement once it was used five times."""


class Pool:
    """A pool like psycopg_pool's, of one connection."""

    def __init__(self, url):
        self._connection = psycopg.connect(url)

    def getconn(self):
        return self._connection

    def putconn(self, connection):
        pass

    def close(self):
        self._connection.close()


@pytest.fixture(scope="module")
def pooler(postgres_url):
    """The address of a pooler with one connection to the server."""
    if program() is None:
        pytest.skip("PgBouncer is not installed: bin/setup installs it on Debian")
    with pooled(postgres_url, connections=1) as url:
        yield url


@pytest.mark.parametrize("connect", [str, psycopg.connect, Pool], ids=["url", "connection", "pool"])
def test_collections_behind_a_pooler_stay_separate(collections, pooler, connect):
    given = [connect(pooler) for _ in range(2)]
    stores = [PostgresDocStore(connection, collections.name()) for connection in given]
    for turn in range(TURNS):
        for place, store in enumerate(stores):
            document = {"id": str(turn), "content_ltks": f"text of {place}", "q_2_vec": [1.0, float(place)]}
            assert store.insert([document]) == 1
            assert store.get(str(turn)) == document
    for store in stores:
        assert store.count() == TURNS
        store.close()
    for connection in given:
        if not isinstance(connection, str):
            connection.close()

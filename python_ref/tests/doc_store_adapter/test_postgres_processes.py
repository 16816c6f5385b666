"""Threads, processes, pools and connections of the caller (PG-3)."""

import os
import threading
import time

import psycopg
import pytest

from hybrid_search.doc_store_adapter.memory.memory_doc_store import MemoryDocStore
from hybrid_search.doc_store_adapter.postgres.postgres_doc_store import PostgresDocStore
from hybrid_search.errors import DocStoreError
from hybrid_search.query_builder.expressions import MatchTextExpr
from hybrid_search.query_builder.tree import Term

pytestmark = pytest.mark.engines

WRITERS, TURNS = 4, 8


class Pool:
    """A pool like psycopg_pool's, of one connection."""

    def __init__(self, url):
        self.connection = psycopg.connect(url)
        self.lent = 0

    def getconn(self):
        self.lent += 1
        return self.connection

    def putconn(self, connection):
        assert connection is self.connection
        self.lent -= 1


def test_updates_of_many_writers_lose_nothing(collections):
    store = collections.make()
    store.insert([{"id": "shared", "content_ltks": "start"}])
    wrong = []

    def write(writer):
        own = collections.beside(store)
        try:
            for turn in range(TURNS):
                own.update([{"id": "shared", f"w{writer}_int": turn, "content_ltks": f"of {writer}"}])
                own.upsert([{"id": f"{writer} {turn}", "content_ltks": "shared words of all"}])
        except Exception as problem:
            wrong.append(problem)

    threads = [threading.Thread(target=write, args=(writer,)) for writer in range(WRITERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    found = store.get("shared")
    assert [found[f"w{writer}_int"] for writer in range(WRITERS)] == [TURNS - 1] * WRITERS
    memory = MemoryDocStore()
    memory.insert([store.get(identifier) for identifier, _ in store.rank([])])
    expr = MatchTextExpr((("content_ltks", 1.0),), Term("of"), 100)
    assert store.rank([expr]) == memory.rank([expr])
    assert store.generation == 1 + 2 * WRITERS * TURNS


def test_a_search_reads_one_state(collections):
    """Batches have two documents: no search finds only one of them."""
    store = collections.make(connections=2)
    done = threading.Event()

    def write():
        for turn in range(30):
            ids = [f"{turn} a", f"{turn} b"]
            store.insert([{"id": one, "content_ltks": "pair"} for one in ids])
            if turn % 2:
                store.delete(ids)
        done.set()

    writer = threading.Thread(target=write)
    writer.start()
    expr = MatchTextExpr((("content_ltks", 1.0),), Term("pair"), 100)
    while not done.is_set():
        assert store.search(match_exprs=[expr], limit=0).total % 2 == 0
    writer.join()
    assert store.count() == 30


def test_the_callers_connection_stays_unchanged(collections):
    with psycopg.connect(collections.url) as connection:
        store = PostgresDocStore(connection, collections.name())
        store.insert([{"id": "1"}])
        assert not connection.autocommit
        store.close()
        connection.execute("create temporary table own (number integer)")
        with pytest.raises(DocStoreError, match="is closed"):
            store.count()
        with pytest.raises(DocStoreError, match="that is in a transaction, which must be ended first"):
            PostgresDocStore(connection, store.collection)
        assert connection.execute("select count(*) from own").fetchone() == (0,)
        connection.rollback()
        assert PostgresDocStore(connection, store.collection).count() == 1


def test_connections_of_a_pool_are_returned(collections):
    pool = Pool(collections.url)
    store = PostgresDocStore(pool, collections.name())
    store.insert([{"id": "1"}])
    with pytest.raises(Exception, match="already stored"):
        store.insert([{"id": "1"}])
    assert store.count() == 1
    store.close()
    assert pool.lent == 0
    assert not pool.connection.autocommit
    assert not pool.connection.closed
    pool.connection.close()


def test_a_pool_without_a_free_connection_is_an_error_of_the_store(collections):
    class Other:
        """A foreign object."""

        def __repr__(self):
            return "SECRET"

    class Lending:
        given_back = 0

        def __init__(self, lent):
            self.lent = lent

        def getconn(self):
            if isinstance(self.lent, Exception):
                raise self.lent
            return self.lent

        def putconn(self, connection):
            self.given_back += 1

    other = Lending(Other())
    with pytest.raises(DocStoreError, match=r"was lent a value of the type \S+Other by the pool, not a connection of"):
        PostgresDocStore(other, collections.name())
    assert other.given_back == 1
    with pytest.raises(DocStoreError, match="was lent no connection by the pool: the pool is closed"):
        PostgresDocStore(Lending(ValueError("the pool is closed")), collections.name())
    none = r"has no free connection: the pool lent none within 30\.0 seconds$"
    with pytest.raises(DocStoreError, match=none):
        PostgresDocStore(Lending(TimeoutError("couldn't get a connection after 1 sec")), collections.name())


def test_a_pool_is_waited_for_only_up_to_the_timeout(collections):
    class Patient(Pool):
        """A pool that would wait for ever."""

        def getconn(self):
            free.wait()
            return super().getconn()

    class Asked(Pool):
        """As psycopg_pool's."""

        timeout = 30.0

        def getconn(self, timeout=None):
            waited.append(timeout)
            if timeout < 30.0:
                raise TimeoutError
            return super().getconn()

    free, waited = threading.Event(), []
    none = r"has no free connection: the pool lent none within 0\.5 seconds$"
    pools = [Patient(collections.url), Asked(collections.url)]
    for pool in pools:
        with pytest.raises(DocStoreError, match=none):
            PostgresDocStore(pool, collections.name(), timeout=0.5)
    free.set()
    for pool in pools:
        assert PostgresDocStore(pool, collections.name(), timeout=60.0).count() == 0
    assert waited[:2] == [0.5, 30.0]  # its own limit applies if it is shorter
    while pools[0].lent:  # a connection that came too late is returned
        time.sleep(0.01)
    for pool in pools:
        pool.connection.close()


def test_the_number_of_connections_is_limited(collections):
    store = collections.make(connections=1, timeout=1.0)
    with (
        store._database.reading(),
        pytest.raises(DocStoreError, match=r"has no free connection: all 1 were in use for 1\.0 seconds"),
    ):
        store.count()
    assert store.count() == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_child_has_its_own_connections(collections):
    store = collections.make()
    store.insert([{"id": "1"}])
    child = os.fork()
    if child == 0:
        try:
            store.insert([{"id": "child"}])
            os._exit(0 if store.count() == 2 else 1)
        except BaseException:
            os._exit(2)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    assert store.count() == 2


def test_a_writer_that_waits_too_long_raises_an_error(collections):
    store = collections.make()
    other = collections.beside(store, timeout=1.0)
    with store._database.writing():
        began = time.monotonic()
        with pytest.raises(DocStoreError, match=r"did not answer within 1\.0 seconds"):
            other.insert([{"id": "1"}])
        assert other.count() == 0
        assert time.monotonic() - began < 20
    assert other.insert([{"id": "1"}]) == 1

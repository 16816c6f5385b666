"""Servers that stop, refuse or are unavailable (PG-4)."""

import socket
import threading
import time
from contextlib import contextmanager

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from hybrid_search.doc_store_adapter.postgres.postgres_doc_store import PostgresDocStore
from hybrid_search.doc_store_adapter.postgres.postgres_watch import PATIENCE
from hybrid_search.errors import DocStoreError, UnknownOutcomeError
from python_ref.tests.doc_store_adapter.postgres_stores import Between

pytestmark = pytest.mark.engines

SECRET = "no-word-for-others"
TIMEOUT = 1.0


@pytest.fixture
def between(collections):
    way = Between(collections.url)
    yield way
    way.close()


def test_a_store_continues_after_its_idle_connections_were_closed(collections):
    store = collections.make()
    for turn in range(3):
        store.insert([{"id": str(turn)}])
        assert collections.cut(store) == 1
    assert store.count() == 3


def test_a_connection_lost_during_a_batch_leaves_nothing_of_it(collections):
    store = collections.make()
    store.insert([{"id": "1", "content_ltks": "a"}])
    with (
        pytest.raises(DocStoreError, match="lost its connection; nothing of a batch is stored"),
        store._database.writing() as tables,
    ):
        _remove(tables, lambda: collections.cut(store))
    assert store.get("1") == {"id": "1", "content_ltks": "a"}
    assert store.generation == 1


def _remove(tables, then):
    """Remove a document, and again after another change."""
    tables.connection.run("remove_documents", [0])
    then()
    tables.connection.run("remove_documents", [0])


@pytest.mark.parametrize("connect", [str, psycopg.connect], ids=["url", "connection"])
def test_a_refused_batch_does_not_stop_later_ones(collections, connect, capfd):
    """This holds for any number of batches stored before on the same connection."""
    given = connect(collections.url)
    store = PostgresDocStore(given, collections.name())
    collections.refuse(store, "refused")
    stored = 0
    for batches in range(11):
        for turn in [*range(batches), "refused", *range(10)]:
            document = {"id": str(turn), "content_ltks": f"solar {turn} {batches}", "q_2_vec": [1.0, 0.5]}
            if turn == "refused":
                with pytest.raises(DocStoreError, match=r"failed: this id is refused$"):
                    store.insert([document, {"id": "other"}])
            else:
                stored += store.upsert([document])
    assert store.generation == stored == 110  # an unchanged document is not stored again
    assert store.count() == 10
    store.close()
    if connect is not str:
        given.close()
    assert capfd.readouterr().err == ""


def test_a_commit_without_a_response_is_an_unknown_outcome(collections, between):
    store = collections.make(url=between.url)
    between.lose_answers_to(b"commit\0")
    with pytest.raises(UnknownOutcomeError, match="whether the batch is stored is not known"):
        store.insert([{"id": "1"}])
    between.lose_answers_to(None)
    store.upsert([{"id": "1"}])
    assert store.count() == 1


SILENT = {
    "a new connection": b"",
    "a search": b"read only",
    "the rows of a batch": b"copy ",
    "the end of the rows": b"PGCOPY",
    "a statement of a batch": b"change_fields",
}


@pytest.mark.parametrize("moment", SILENT)
def test_a_server_that_stops_responding_is_waited_for_only_up_to_the_timeout(collections, between, moment):
    """The call ends and the store continues, at every request that stays without a response."""
    store = collections.make(url=between.url, timeout=TIMEOUT)
    calls = {
        "a new connection": lambda: collections.make(store.collection, between.url, timeout=TIMEOUT),
        "a search": store.search,
    }
    call = calls.get(moment, lambda: store.insert([{"id": "1", "content_ltks": "a", "q_2_vec": [1, 2]}]))
    told = store._database.statements.text("change_fields") if moment == "a statement of a batch" else ""
    between.fall_silent_from(told.encode() or SILENT[moment])
    with within(TIMEOUT), pytest.raises(DocStoreError, match=r"did not answer within (1\.0|2\.0) seconds") as problem:
        call()
    assert not isinstance(problem.value, UnknownOutcomeError)
    between.fall_silent_from(None)
    assert store.count() == 0
    assert store.insert([{"id": "1"}]) == 1


def test_a_commit_to_a_silent_server_is_an_unknown_outcome(collections, between):
    store = collections.make(url=between.url, timeout=TIMEOUT)
    between.fall_silent_from(b"commit\0")
    with within(TIMEOUT), pytest.raises(UnknownOutcomeError, match="whether the batch is stored is not known"):
        store.insert([{"id": "1"}])
    between.fall_silent_from(None)
    assert store.upsert([{"id": "1"}]) == 1
    assert store.count() == 1


def test_the_callers_connection_is_closed_when_its_server_stops_responding(collections, between):
    class Pool:
        """A pool like psycopg_pool's, which replaces a connection that is returned closed."""

        def __init__(self):
            self.lent = psycopg.connect(between.url)
            self.came_back_closed = []

        def getconn(self):
            return self.lent

        def putconn(self, connection):
            self.came_back_closed.append(connection.closed)

    pool = Pool()
    store = PostgresDocStore(pool, collections.name(), timeout=TIMEOUT)
    between.fall_silent_from(b"read only")
    with within(TIMEOUT), pytest.raises(DocStoreError, match="did not answer"):
        store.count()
    assert pool.came_back_closed == [False, True]
    with pytest.raises(DocStoreError, match=r"was given a connection that is closed$"):
        store.count()


@contextmanager
def within(timeout):
    """A limit for busy machines, not much longer than a timeout."""
    began = time.monotonic()
    yield
    assert time.monotonic() - began < timeout + PATIENCE + 10.0


def test_a_missing_server_is_reported_without_the_password(collections):
    for change in ({"port": 1}, {"dbname": "no such database"}):
        place = make_conninfo(collections.url, password=SECRET, **change)
        with pytest.raises(DocStoreError, match="cannot be reached") as problem:
            PostgresDocStore(place)
        assert SECRET not in str(problem.value)
    with pytest.raises(DocStoreError, match="the text of the connection is not one that PostgreSQL accepts") as problem:
        PostgresDocStore(f"postgresql://user:{SECRET}@host/?no=such")
    assert SECRET not in str(problem.value)
    assert problem.value.__cause__ is None


def test_a_read_only_role_can_read(collections):
    store = collections.make()
    store.insert([{"id": "1", "content_ltks": "a"}])
    role = f"reader_{store.collection[-32:]}"
    with psycopg.connect(collections.url, autocommit=True) as connection:
        if not connection.execute("select rolcreaterole from pg_roles where rolname = current_user").fetchone()[0]:
            pytest.skip("the role of the tests may not make others")
        names = sql.Identifier(role), sql.Identifier(store.collection)
        connection.execute(sql.SQL("create role {} login").format(names[0]))
        try:
            connection.execute(sql.SQL("grant usage on schema {} to {}").format(names[1], names[0]))
            connection.execute(sql.SQL("grant select on all tables in schema {} to {}").format(names[1], names[0]))
            own = psycopg.connect(collections.url)
            own.execute(sql.SQL("set session authorization {}").format(names[0]))
            own.commit()
            reader = PostgresDocStore(own, store.collection)
            assert reader.get("1") == store.get("1")
            with pytest.raises(DocStoreError, match="the user has not the right to do so"):
                reader.insert([{"id": "2"}])
            own.close()
        finally:
            connection.execute(sql.SQL("drop owned by {}").format(names[0]))
            connection.execute(sql.SQL("drop role {}").format(names[0]))
    assert store.count() == 1


def test_timeouts_of_a_role_do_not_end_the_wait_for_another_writer(collections):
    """`alter role … set` states settings with which a session begins, like options of the connection."""
    store = collections.make()
    hasty = "-c statement_timeout=100 -c lock_timeout=100"
    url = make_conninfo(collections.url, options=hasty)
    other = collections.beside(store, url=url, timeout=20.0)
    with store._database.writing():
        ending = threading.Timer(0.5, lambda: None)
        waiting = threading.Thread(target=lambda: other.insert([{"id": "1"}]))
        ending.start()
        waiting.start()
        ending.join()
        assert waiting.is_alive()
    waiting.join()
    assert store.count() == 1


def test_opening_a_store_has_its_own_timeout_too(collections):
    store = collections.make()
    url = make_conninfo(collections.url, options="-c statement_timeout=100 -c lock_timeout=100")
    opened = []
    with psycopg.connect(collections.url) as connection:
        connection.execute(sql.SQL("lock table {}").format(sql.Identifier(store.collection, "meta")))
        opening = threading.Thread(target=lambda: opened.append(collections.beside(store, url=url, timeout=20.0)))
        opening.start()
        opening.join(0.5)
        assert opening.is_alive()
    opening.join()
    assert opened[0].count() == 0


@pytest.fixture
def silent():
    """The port of a server that accepts connections, and never responds."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening.getsockname()[1]


@pytest.mark.parametrize("own", [None, 2])
def test_a_silent_server_is_abandoned_for_the_next_one(collections, silent, own):
    told = conninfo_to_dict(collections.url)
    ports = {"host": f"127.0.0.1,{told['host']}", "port": f"{silent},{told['port']}"}
    place = make_conninfo(collections.url, **ports, **({"connect_timeout": own} if own else {}))
    began = time.monotonic()
    store = PostgresDocStore(place, collections.name(), timeout=60.0 if own else 6.0)
    assert store.insert([{"id": "1"}]) == 1
    assert time.monotonic() - began > 2 * 0.9
    store.close()


def test_a_read_only_server_is_abandoned_for_the_next_one(collections):
    """Two addresses of one server, one of which begins read-only transactions, as a standby does."""
    told = conninfo_to_dict(collections.url)
    hosts = {"host": f"{told['host']},{told['host']}", "port": f"{told['port']},{told['port']}"}
    standby = "-c default_transaction_read_only=on"
    with pytest.raises(DocStoreError, match=r"cannot be reached: .*session is (?:not )?read-only"):
        PostgresDocStore(make_conninfo(collections.url, options=standby, target_session_attrs="read-write", **hosts))
    store = PostgresDocStore(
        make_conninfo(collections.url, target_session_attrs="read-write", **hosts), collections.name()
    )
    assert store.count() == 0
    store.close()


def test_a_slow_statement_is_cancelled(collections):
    store = collections.make(timeout=1.0)
    with (
        pytest.raises(DocStoreError, match=r"did not answer within 1\.0 seconds"),
        store._database.reading() as tables,
    ):
        tables.connection.run_text("select pg_sleep(20)")
    assert store.count() == 0

"""Approximate neighbours are returned only on request (PG-6)."""

import random

import pytest

from hybrid_search.doc_store_adapter.memory.memory_doc_store import MemoryDocStore
from hybrid_search.errors import InvalidInputError
from hybrid_search.query_builder.expressions import MatchDenseExpr

pytestmark = pytest.mark.engines

COUNT = 3000
FIELD = "q_8_vec"


@pytest.fixture
def stores(collections):
    """One of each kind, with the same documents."""
    if collections.extension() < (0, 8):
        pytest.skip("the server's pgvector is older than 0.8, which approximate neighbours need")
    source = random.Random(2)
    documents = [
        {"id": f"{place:04}", FIELD: [source.gauss(0, 1) for _ in range(8)], "kb_id": str(place % 3)}
        for place in range(COUNT)
    ]
    documents += [{"id": "zero", FIELD: [0.0] * 8}, {"id": "huge", FIELD: [1e140] * 8}]
    memory, exact = MemoryDocStore(), collections.make()
    for each in (memory, exact):
        each.insert(documents)
    exact.build_index(FIELD)
    exact.build_index(FIELD)  # it exists already
    collections.rows("analyze")
    return memory, exact, collections.beside(exact, dense="hnsw")


def scans(collections, store, call):
    """Return the number of scans of the index of neighbours for a call."""

    def scanned():
        connection, _ = store._database._pool.take()
        connection.execute("select pg_stat_force_next_flush()")
        store._database._pool.give(connection)
        return collections.rows(
            "select idx_scan from pg_stat_user_indexes where schemaname = %s and indexrelname like 'approximate%%'",
            store.collection,
        )[0][0]

    before = scanned()
    call()
    return scanned() - before


def asked(place, topn=50):
    source = random.Random(1000 + place)
    return MatchDenseExpr(FIELD, tuple(source.gauss(0, 1) for _ in range(8)), topn=topn)


def test_an_approximate_store_does_not_promise_exact_dense_results(stores):
    _, exact, approximate = stores
    assert exact.exact_dense
    assert not approximate.exact_dense


def test_exact_searches_do_not_use_the_index(stores, collections):
    memory, exact, _ = stores
    for place in range(5):
        assert exact.rank([asked(place)]) == memory.rank([asked(place)])
    assert scans(collections, exact, lambda: exact.rank([asked(6)])) == 0


def test_found_documents_have_exact_cosines(stores, collections):
    memory, _, approximate = stores
    assert scans(collections, approximate, lambda: approximate.rank([asked(0)])) > 0
    found = wanted = 0
    for place in range(10):
        exact = dict(memory.rank([asked(place, COUNT + 2)]))
        nearest = memory.rank([asked(place)])
        got = approximate.rank([asked(place)])
        assert all(exact[identifier] == cosine for identifier, cosine in got)
        found += len({identifier for identifier, _ in got} & {identifier for identifier, _ in nearest})
        wanted += len(nearest)
    assert found >= 0.9 * wanted


def test_more_documents_are_found_than_the_index_explores_at_first(stores):
    _, _, approximate = stores
    assert len(approximate.rank([asked(3, 2000)])) == 2000


def test_searches_with_filters_are_exact(stores, collections):
    memory, _, approximate = stores
    for wanted in ({"kb_id": "1"}, {"id": [f"{place:04}" for place in range(20)]}):
        assert approximate.rank([asked(1)], wanted) == memory.rank([asked(1)], wanted)
    assert scans(collections, approximate, lambda: approximate.rank([asked(7)], {"kb_id": "2"})) == 0


@pytest.mark.parametrize(
    ("field", "options"),
    [("q_9_vec", {}), ("q_2001_vec", {}), ("kb_id", {}), (FIELD, {"m": 1}), (FIELD, {"m": 50, "ef_construction": 60})],
)
def test_options_that_pgvector_does_not_accept_are_refused(collections, field, options):
    store = collections.make()
    store.insert([{"id": "1", FIELD: [1.0] * 8}])
    with pytest.raises(InvalidInputError):
        store.build_index(field, **options)

"""A store in OceanBase returns the results of one in memory, unless the engine must choose candidates."""

import random

import pytest

from hybrid_search.adapter_kit import DocStoreContract, MatchBm25fExpr, MatchDenseExpr, MatchTextExpr
from hybrid_search.doc_store_adapter.filters.filters import Filters
from hybrid_search.doc_store_adapter.memory.memory_doc_store import MemoryDocStore
from hybrid_search.doc_store_adapter.oceanbase import oceanbase_candidates, oceanbase_vectors
from hybrid_search.doc_store_adapter.queries.match_exprs import MatchExprs
from hybrid_search.errors import DocStoreError, InvalidInputError, UnknownOutcomeError
from hybrid_search.query_builder.tree import AnyOf, Phrase, Term
from python_ref.tests.doc_store_adapter import random_stores
from python_ref.tests.doc_store_adapter.oceanbase_stores import OceanBaseStores, cut, losing_commits
from python_ref.tests.rounds import seeds

pytestmark = pytest.mark.engines


@pytest.fixture
def stores(oceanbase_url):
    """Makes stores in OceanBase, and removes them at the end."""
    made = OceanBaseStores(oceanbase_url)
    yield made
    made.drop()


@pytest.mark.parametrize(
    "promise",
    [
        pytest.param(name, marks=pytest.mark.nightly) if name == "test_listing_has_no_end" else name
        for name in DocStoreContract.names()
    ],
)
def test_the_store_fulfils_the_contract_as_declared(stores, promise, monkeypatch):
    contract = DocStoreContract()
    contract.make_store, contract.reopen, contract.open_beside = stores.make, stores.reopened, stores.beside
    contract.make_reference = lambda: MemoryDocStore("lucene", "plain")
    contract.lose_connection = lambda store: (cut(store), lambda: None)[1]
    contract.lose_answer = lambda store: losing_commits(monkeypatch, is_done=True)
    getattr(contract, promise)()


@pytest.mark.parametrize("seed", seeds(1, 2))
def test_results_equal_those_of_memory(stores, seed, monkeypatch):
    if seed:
        monkeypatch.setattr(oceanbase_vectors, "MORE", 1)
    source = random.Random(seed)
    random_stores.hold_alike(stores.make(), MemoryDocStore("lucene"), source, batches=5)


def test_candidates_are_the_best_hits_of_the_engine(stores, monkeypatch):
    monkeypatch.setattr(oceanbase_candidates, "CANDIDATES", 5)
    store, memory = stores.make(), MemoryDocStore("lucene")
    words = [f"w{place}" for place in range(9)]
    source = random.Random(7)
    documents = [{"id": f"{place:03}", "content_ltks": " ".join(source.choices(words, k=9))} for place in range(90)]
    for each in (store, memory):
        each.insert([*documents, {"id": "best", "content_ltks": "6-2-1 w1 w2"}])
    tree = AnyOf((Term("6-2-1"), Phrase(("w1", "w2"), 1), Term("w3")))
    for expr in (
        MatchTextExpr((("content_ltks", 2.0),), tree, 10),
        MatchBm25fExpr([("content_ltks", 1.0)], ["6-2-1", "w1"], 10),
    ):
        expected = dict(memory.rank([_whole(expr)]))
        found = store.rank([expr])
        assert found[0][0] == "best"
        assert all(expected[identifier] == score for identifier, score in found)


def _whole(expr):
    return expr.with_topn(100) if isinstance(expr, MatchTextExpr) else MatchBm25fExpr(expr.fields, expr.tokens, 100)


def test_the_total_is_counted_even_if_only_the_head_is_ranked(stores, monkeypatch):
    monkeypatch.setattr(oceanbase_candidates, "CANDIDATES", 5)
    monkeypatch.setattr(oceanbase_candidates, "MORE", 0)
    store = stores.make()
    store.insert([{"id": f"{place:03}", "content_ltks": "x y", "kb_id": f"k{place % 2}"} for place in range(40)])
    with store._reading() as tables:
        expr = MatchBm25fExpr([("content_ltks", 1.0)], ["x"], 1000)
        for filters, total in (({}, 40), ({"kb_id": "k1"}, 20)):
            candidates = oceanbase_candidates.OceanBaseCandidates(tables, MatchExprs([expr]).text, Filters(filters))
            assert candidates.head().total == total


def test_identifiers_are_matched_whole(stores):
    store = stores.make()
    store.insert(
        [{"id": text, "content_ltks": f"rule {text}"} for text in ("6-2-1", "2-6-1", "6 2 1", "c++", "c", "C")]
    )
    for text in ("6-2-1", "2-6-1", "c++", "c", "C"):
        assert [identifier for identifier, _ in store.rank([MatchTextExpr((("content_ltks", 1.0),), Term(text))])] == [
            text
        ]


def test_filters_compare_long_values_exactly(stores):
    store, memory = stores.make(), MemoryDocStore("lucene")
    base = "x" * 600
    documents = [
        {"id": end, "metadata": {"k": base + end, "n": 10 ** (3000 + place)}} for place, end in enumerate("abc")
    ]
    for each in (store, memory):
        each.insert([*documents, {"id": "short", "metadata": {"k": "x" * 20, "n": 5}}])
    for filters in (
        {"metadata.k": {"gt": base + "a"}}, {"metadata.k": {"lt": "y"}}, {"metadata.k": {"ends_with": "b"}},
        {"metadata.k": {"contains": "xb"}}, {"metadata.k": base + "c"}, {"metadata.n": {"gte": 1e308}},
        {"metadata.n": {"lt": 6}}, {"content_ltks": {"exists": False}},
        {"not": {"metadata.k": {"starts_with": base[:200]}}}, {"metadata.k": {"starts_with": "x", "gte": ""}},
    ):  # fmt: skip
        assert store.rank([], filters) == memory.rank([], filters), filters


def test_a_vector_index_is_used_if_it_exists(stores):
    store = stores.make(dense="hnsw")
    assert not store.exact_dense
    with pytest.raises(InvalidInputError, match=r"^field must be a field of which vectors are stored"):
        store.build_index("q_8_vec")
    source = random.Random(3)
    store.insert([{"id": f"{place:03}", "q_8_vec": [source.random() for _ in range(8)]} for place in range(200)])
    expr = MatchDenseExpr("q_8_vec", tuple(source.random() for _ in range(8)), topn=10)
    exact = store.rank([expr])
    store.build_index("q_8_vec")
    store.build_index("q_8_vec")
    found = store.rank([expr])
    assert len({identifier for identifier, _ in found} & {identifier for identifier, _ in exact}) >= 8
    assert all(dict(exact).get(identifier, score) == score for identifier, score in found)


@pytest.mark.parametrize("is_done", [True, False])
def test_a_commit_without_a_response_is_reported_as_unknown(stores, monkeypatch, is_done):
    store = stores.make()
    mend = losing_commits(monkeypatch, is_done)
    with pytest.raises(
        UnknownOutcomeError, match="did not confirm the commit: whether the batch is stored is not known"
    ):
        store.insert([{"id": "a", "content_ltks": "x"}])
    mend()
    assert store.count() == int(is_done)
    store.upsert([{"id": "a", "content_ltks": "x"}])
    assert store.count() == 1


def test_other_tables_are_refused_and_missing_tables_are_reported(stores):
    store = stores.make()
    with pytest.raises(DocStoreError, match=r'^the collection "absent" does not exist; a store with migrate makes it$'):
        stores.make("absent", migrate=False)
    with store._database._lent() as connection:
        connection.run_text(f"update {store.collection}_meta set version = 7")
    with pytest.raises(DocStoreError, match=r"has the schema version 7, and this version of the library reads 1$"):
        store.count()
    with store._database._lent() as connection:
        connection.run_text(f"drop table {store.collection}_meta")
        connection.run_text(f"create table {store.collection}_meta (x int)")
    with pytest.raises(DocStoreError, match=r"holds other tables than a collection has$"):
        stores.make(store.collection)


def test_a_closed_store_raises_an_error(stores):
    store = stores.make()
    store.close()
    with pytest.raises(DocStoreError, match=r"is closed$"):
        store.count()

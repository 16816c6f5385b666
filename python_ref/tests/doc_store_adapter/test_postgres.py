"""A store in PostgreSQL returns the bits of one in memory, after any changes."""

import random
import struct

import psycopg
import pytest

from hybrid_search.adapter_kit import DocStoreContract
from hybrid_search.base.kernels import INCLUDED
from hybrid_search.doc_store_adapter.documents.stored_document import LONGEST_IDENTIFIER
from hybrid_search.doc_store_adapter.memory.memory_doc_store import MemoryDocStore
from hybrid_search.doc_store_adapter.postgres import postgres_screen
from hybrid_search.index import Index
from hybrid_search.query_builder.expressions import MatchDenseExpr, MatchTextExpr
from hybrid_search.query_builder.tree import Phrase, Term
from python_ref.tests.doc_store_adapter import random_stores
from python_ref.tests.doc_store_adapter.postgres_stores import Between
from python_ref.tests.rounds import seeds

pytestmark = pytest.mark.engines

CONTENTS = ("documents", "terms", "postings", "frequencies", "vectors")
HOSTILE = (
    "'; drop schema public cascade; --", '"', "\\", "%s %d %%", "$1", "{schema}", "$name", "\0", "\1", "a\0b",
    "' OR '1'='1", "x" * 5000, "太" * 5000, "&& | !", "_exists_:id", "null", "$.*", "\U0001f600",
)  # fmt: skip


def test_a_batch_needs_few_round_trips(collections):
    """Ruby needs as many; statements without a response are sent together with those that need one."""
    between = Between(collections.url)
    store = collections.make(url=between.url)
    texts = [{"id": str(number), "content_ltks": f"solar {number}", "title_tks": "of all"} for number in range(3)]
    documents = [{**document, "q_2_vec": [1.0, 2.0]} for document in texts]
    batches = {
        "insert of texts": (store.insert, texts),
        "insert": (store.insert, [{**document, "id": f"{document['id']} too"} for document in documents]),
        "update": (store.update, [{"id": "1", "content_ltks": "water"}]),
        "upsert": (store.upsert, documents),
        "delete": (store.delete, ["0", "1"]),
    }
    waited = {}
    for name, (change, given) in batches.items():
        before = between.round_trips
        change(given)
        waited[name] = between.round_trips - before
    between.close()
    assert waited == {"insert of texts": 5, "insert": 7, "update": 6, "upsert": 8, "delete": 6}


@pytest.mark.parametrize("is_supported", [True, False])
def test_removed_terms_leave_no_rows(collections, is_supported, monkeypatch):
    """Also with a libpq that waits for each response. Dead rows would count as documents with a term (DOC-3)."""
    monkeypatch.setattr(psycopg.Pipeline, "is_supported", lambda: is_supported)
    store = collections.make()
    store.insert([{"id": str(number), "content_ltks": f"solar word{number}"} for number in range(2500)])
    store.update([{"id": "1", "content_ltks": "water"}])
    store.delete([str(number) for number in range(2, 2500)])
    assert [collections.rows_of(store, table) for table in ("terms", "postings", "frequencies")] == [3, 1, 1]
    memory = MemoryDocStore()
    memory.insert([{"id": "0", "content_ltks": "solar word0"}, {"id": "1", "content_ltks": "water"}])
    for word in ("solar", "water", "word1"):
        expr = MatchTextExpr((("content_ltks", 1.0),), Term(word), 10)
        assert store.rank([expr]) == memory.rank([expr])


@pytest.mark.usefixtures("blocks")
@pytest.mark.parametrize("kernels", INCLUDED)
@pytest.mark.parametrize("seed", seeds(1, 3))
def test_results_equal_those_of_memory(collections, kernels, seed):
    source = random.Random(seed)
    bm25 = source.choice(["okapi", "lucene"])
    memory, store = MemoryDocStore(bm25), collections.make(bm25=bm25, kernels=kernels)
    random_stores.hold_alike(store, memory, source, batches=12)
    store.delete([identifier for identifier, _ in memory.rank([])])
    assert {table: collections.rows_of(store, table) for table in CONTENTS} == dict.fromkeys(CONTENTS, 0)


@pytest.mark.parametrize(
    "kernels", [pytest.param(one, marks=pytest.mark.nightly) if one == "plain" else one for one in INCLUDED]
)
@pytest.mark.parametrize("promise", DocStoreContract.names())
def test_the_store_fulfils_the_contract(collections, promise, kernels, monkeypatch):
    between = Between(collections.url)
    contract = DocStoreContract()
    contract.make_store = lambda: collections.make(url=between.url, kernels=kernels)
    contract.open_beside = collections.beside

    def reopen(store):
        store.close()
        return collections.beside(store)

    def lose_connection(store):
        assert collections.cut(store)
        return lambda: None

    def lose_answer(store):
        between.lose_answers_to(b"commit\0")
        return lambda: between.lose_answers_to(None)

    contract.reopen, contract.lose_connection, contract.lose_answer = reopen, lose_connection, lose_answer
    try:
        getattr(contract, promise)()
    finally:
        between.close()


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_texts_of_users_do_not_change_the_meaning_of_statements(collections, text):
    named = text[:LONGEST_IDENTIFIER]
    documents = [
        {
            "id": identifier,
            "content_ltks": f"{one.replace(' ', '')} shared",
            f"{one}_kwd": [one],
            "kb_id": identifier,
            "metadata": {"plain": one, one.replace(".", ""): "there"},
        }
        for identifier, one in (("plain", "ordinary"), (named, text))
    ]
    store, memory = collections.make(), MemoryDocStore()
    for each in (store, memory):
        each.insert(documents)
        each.keep_vector_model("q_2_vec", text)
    filters = [
        {"kb_id": named},
        {"kb_id": [named, text, "other"]},
        {f"{text}_kwd": text},
        {f"{text}_kwd": {"exists": True}},
        {f"metadata.{text.replace('.', '')}": "there"},
        {"metadata.plain": {"gte": text, "lt": text + "\0"}},
        {"must_not": {"exists": f"{text}_kwd"}},
        {"id": named},
        {"id": text},
        {"not": {"metadata.plain": {"lte": text}}},
    ]
    for wanted in filters:
        assert store.rank([], wanted) == memory.rank([], wanted), wanted
    fields = (("content_ltks", 1.0), (f"{text}_kwd", 2.0))
    for node in (Term(text), Phrase((text, "shared"), 1), Term("shared")):
        assert store.rank([MatchTextExpr(fields, node, 10)]) == memory.rank([MatchTextExpr(fields, node, 10)])
    assert store.get(named) == memory.get(named) is not None
    assert store.get(text) == memory.get(text)
    assert store.vector_fields() == memory.vector_fields()
    assert store.stats() == memory.stats()


def test_filters_work_with_values_that_engines_cannot_represent(collections):
    values = [
        0, -0.0, 0.0, 1, 1.0, True, False, "1", "true", 1e16, 10**16, 10**16 + 1, 2**53, 2**53 + 1, float(2**53),
        2.0**70, 2**70, 1180591620717411300000, 5e-324, 1.7976931348623157e308, 0.1, 0.30000000000000004, -(10**40),
        10**4000, "", "\0", "\1", "\1\2", "\2", "a", "a\0", [], [1, "1"], [[1]], {"a": 1}, [True, None], 10**400,
    ]  # fmt: skip
    store, memory = collections.make(), MemoryDocStore()
    documents = [{"id": f"{place:03}", "metadata": {"x": value}} for place, value in enumerate(values)]
    store.insert(documents)
    memory.insert(documents)
    singles = [value for value in values if not isinstance(value, (list, dict)) and value not in (10**400, 10**4000)]
    wanted = [{"metadata.x": value} for value in singles]
    wanted += [{"metadata.x": values} for values in (singles[:4], singles[4:9], [])]
    bounds = [value for value in singles if not isinstance(value, bool)]
    wanted += [{"metadata.x": {name: value}} for value in bounds for name in ("gt", "gte", "lt", "lte")]
    wanted += [{"not": {"metadata.x": {"gte": value, "exists": True}}} for value in bounds[::3]]
    wanted += [{"metadata.x": {"in": singles[::2], "gt": 0}}, {"metadata.x": {"exists": False}}]
    for one in wanted:
        assert store.rank([], one) == memory.rank([], one), one


def test_vectors_of_every_size_are_compared_exactly(collections, monkeypatch):
    source = random.Random(5)
    store, memory = collections.make(), MemoryDocStore()
    vectors = [[source.uniform(-1, 1) for _ in range(4)] for _ in range(60)]
    vectors += [[struct.unpack("f", struct.pack("f", one))[0] for one in vector] for vector in vectors[:20]]
    vectors += [
        [0.0] * 4,
        [1e-300] * 4,
        [1e-40, 0.0, 0.0, 1e-45],
        [1e150, 0.0, 1e150, 1.0],
        [3e38, 1e38, 0.0, 0.0],
        [-0.0] * 4,
    ]
    vectors += [[0.5, 0.5, 0.5, 0.5]] * 30  # more with the same cosine than are requested beyond the limit
    documents = [{"id": f"{place:03}", "q_4_vec": vector} for place, vector in enumerate(vectors)]
    for each in (store, memory):
        each.insert(documents)
    assert all(store.get(one["id"])["q_4_vec"] == one["q_4_vec"] for one in documents)
    monkeypatch.setattr(postgres_screen, "MORE", 2)
    for vector in (*vectors[::7], [0.5] * 4, [1e-12, 0.0, 0.0, 0.0], [1e-45, 1.0, 0.0, 0.0], [0.0] * 4, [1e140] * 4):
        for topn in (0, 1, 5, 200):
            for least in (None, 0.9, -1.0):
                expr = MatchDenseExpr("q_4_vec", tuple(vector), topn=topn, extra_options={"similarity": least})
                for filters in ({}, {"id": [one["id"] for one in documents[::3]]}):
                    got, expected = store.rank([expr], filters), memory.rank([expr], filters)
                    assert random_stores.exact(got) == random_stores.exact(expected), (vector, topn, least)


@pytest.mark.parametrize("dimension", [2001, 16_001])
def test_vectors_with_many_components_are_found(collections, dimension):
    source = random.Random(1)
    store, memory = collections.make(), MemoryDocStore()
    field = f"q_{dimension}_vec"
    documents = [{"id": f"{place}", field: [source.random() for _ in range(dimension)]} for place in range(5)]
    for each in (store, memory):
        each.insert(documents)
    expr = MatchDenseExpr(field, tuple(documents[2][field]), topn=3)
    assert store.rank([expr]) == memory.rank([expr])


def test_an_index_uses_the_store(collections):
    index = Index(store=collections.make(), embedding=lambda texts: [[1.0, float(len(text))] for text in texts])
    memory = Index(embedding=lambda texts: [[1.0, float(len(text))] for text in texts])
    records = [
        {"id": str(place), "title": f"t{place}", "content": f"solar power {'panel ' * place}"} for place in range(9)
    ]
    for each in (index, memory):
        each.add(records)
    got, expected = index.search("solar panel", limit=5), memory.search("solar panel", limit=5)
    assert [(one.id, one.score) for one in got.hits] == [(one.id, one.score) for one in expected.hits]

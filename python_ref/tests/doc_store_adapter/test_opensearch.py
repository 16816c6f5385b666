"""A store in OpenSearch finds the documents that one in memory finds, and returns them with the same bits."""

import dataclasses
import random

import pytest

from hybrid_search.adapter_kit import DocStoreContract, MatchDenseExpr, MatchTextExpr
from hybrid_search.doc_store_adapter.memory.memory_doc_store import MemoryDocStore
from hybrid_search.errors import DocStoreError, InvalidInputError
from hybrid_search.query_builder.builder import QueryBuilder
from hybrid_search.query_builder.tree import Phrase, Term
from hybrid_search.retriever.retriever import Retriever
from python_ref.tests.doc_store_adapter import random_stores
from python_ref.tests.rounds import seeds

pytestmark = pytest.mark.engines

CLOSE = 1e-5


def switch(store, fault):
    setattr(store.faulty, fault, True)
    return lambda: setattr(store.faulty, fault, False)


@pytest.mark.parametrize(
    "promise",
    [
        pytest.param(name, marks=pytest.mark.nightly) if name == "test_listing_has_no_end" else name
        for name in DocStoreContract.names()
    ],
)
def test_the_store_fulfils_the_contract_as_declared(indexes, promise):
    contract = DocStoreContract()
    contract.make_store, contract.reopen, contract.open_beside = indexes.make, indexes.beside, indexes.beside
    contract.lose_connection = lambda store: switch(store, "cuts")
    contract.answer_in_part = lambda store: switch(store, "shortens")
    contract.lose_answer = lambda store: switch(store, "loses")
    getattr(contract, promise)()


@pytest.mark.parametrize("dense", ["approximate", "exact"])
@pytest.mark.parametrize("seed", seeds(1, 2))
def test_the_store_finds_the_same_documents_as_memory(indexes, dense, seed):
    source = random.Random(seed)
    memory, store = MemoryDocStore("lucene"), indexes.make(dense=dense, shards=2)
    for _ in range(6):
        method, argument = random_stores.change(source, [identifier for identifier, _ in memory.rank([])])
        assert told(store, method, argument) == told(memory, method, argument)
        for _ in range(12):
            wanted = whole(random_stores.search(source))
            if not any(repeats(getattr(expr, "tree", None)) for expr in wanted["match_exprs"]):
                check(store, memory, wanted)
    for identifier, _ in memory.rank([]):
        assert random_stores.exact(store.get(identifier)) == random_stores.exact(memory.get(identifier))


def told(store, method, argument):
    """Return the result of a change, or its error."""
    try:
        return getattr(store, method)(argument)
    except InvalidInputError as problem:
        return str(problem)


def repeats(node):
    """Whether a query has a phrase with slop and a repeated token: engines match them by another rule."""
    if isinstance(node, Phrase):
        return node.slop > 0 and len(set(node.tokens)) < len(node.tokens)
    children = getattr(node, "children", None) or [getattr(node, "child", None)]
    return any(repeats(child) for child in children if child is not None)


def whole(wanted):
    """Return a search without a limit, because the engine's scores decide which hits are within one."""
    exprs = []
    for expr in wanted["match_exprs"]:
        dense = isinstance(expr, MatchDenseExpr)
        exprs.append(dataclasses.replace(expr, topn=100) if dense else expr.with_topn(100))
    return {**wanted, "match_exprs": exprs, "limit": 100}


def check(store, memory, wanted):
    """Check for equal documents, values and counts, nearly equal cosines, and the same order without engine scores."""
    found, expected = store.search(**wanted), memory.search(**wanted)
    assert found.total == expected.total, wanted
    assert sorted(found.ids) == sorted(expected.ids), wanted
    assert random_stores.exact(dict(sorted(found.fields.items()))) == random_stores.exact(
        dict(sorted(expected.fields.items()))
    )
    assert random_stores.exact(dict(found.aggs)) == random_stores.exact(dict(expected.aggs))
    assert dict(found.highlight) == dict(expected.highlight)
    exprs = wanted["match_exprs"]
    if not exprs:
        assert list(found.ids) == list(expected.ids)
    elif len(exprs) == 1 and isinstance(exprs[0], MatchDenseExpr):
        assert all(abs(found.scores[one] - expected.scores[one]) < CLOSE for one in found.ids)


HOSTILE = [
    "a OR _exists_:id", '"', "\\", "&& ||", "%", "*", "x:y", "\0", "[1 TO 2]", "x" * 5_000, "é" * 9_000, "..", "\u2028",
    "/.*/", "\t", "a\nb", "&#39;", "\U0001f600",
]  # fmt: skip


def test_hostile_texts_are_treated_only_as_text(indexes):
    memory, store = MemoryDocStore("lucene"), indexes.make()
    documents = [
        {"id": f"{place}{text[:80]}", "content_ltks": f"a {text} b", "important_kwd": [text], "metadata": {"k": text}}
        for place, text in enumerate(HOSTILE)
    ]
    documents.append({"id": "plain", "content_ltks": "solar", "kb_id": "k"})
    for each in (memory, store):
        each.insert(documents)
    for text in HOSTILE:
        for tree in (Term(text), Phrase(("a", text)), Phrase((text, "b"), 2)):
            for field in ("content_ltks", "important_kwd"):
                expr = MatchTextExpr(((field, 1.0),), tree)
                assert same_ids(store, [expr]) == same_ids(memory, [expr]), (text, tree, field)
        for filters in ({"metadata.k": text}, {"id": {"gte": text}}, {"important_kwd": {"lt": text}}, {text: text}):
            assert same_ids(store, [], filters) == same_ids(memory, [], filters), filters


def same_ids(store, exprs, filters=None):
    """Return the result of a search."""
    return sorted(identifier for identifier, _ in store.rank(exprs, filters))


@pytest.mark.parametrize("question", [*HOSTILE, "solar panels OR wind", "太阳能 怎么 安装"])
def test_questions_of_any_kind_return_a_result(indexes, question):
    store = indexes.make()
    store.insert([{"id": "a", "content_ltks": "solar panel", "content_with_weight": "Solar panels"}])
    retriever = Retriever(store, QueryBuilder(), vector_similarity_weight=0)
    found = [chunk.chunk_id for chunk in retriever.retrieve(question).chunks]
    assert found == (["a"] if "solar" in question else [])
    assert retriever.retrieve(question, filters={"kb_id": question}).chunks == ()


def test_documents_that_an_engine_cannot_store_are_refused_before_anything_is_stored(indexes):
    store = indexes.make()
    for bad in ({"id": "x" * 513}, {"id": "b", "q_16001_vec": [1.0] * 16_001}):
        with pytest.raises(InvalidInputError, match=r"documents\[1\]\.\w+ must have at most"):
            store.insert([{"id": "a"}, bad])
    assert store.count() == 0
    assert store.get("x" * 513) is None
    assert store.delete(["x" * 513, "none"]) == 0


def test_a_removed_and_recreated_index_is_searched_as_a_new_one(indexes):
    store = indexes.make()
    near = MatchDenseExpr("q_2_vec", (1.0, 0.0), topn=5)
    store.insert([{"id": "a", "q_2_vec": [1.0, 0.0], "content_ltks": "solar"}])
    assert [one for one, _ in store.rank([near])] == ["a"]
    generation = store.generation
    indexes.ask("DELETE", f"/{store._index.name}-000001")
    for ask in (lambda: store.generation, store.health, store.count):
        with pytest.raises(DocStoreError, match=r"no (such )?index"):
            ask()
    with pytest.raises(DocStoreError):
        store.insert([{"id": "b", "q_2_vec": [1.0, 0.0]}])
    other = indexes.beside(store)
    assert store.generation != generation
    assert store.rank([near]) == []
    assert store.insert([{"id": "b", "q_2_vec": [1.0, 0.0], "content_ltks": "wind"}]) == 1
    assert [one for one, _ in store.rank([near])] == [one for one, _ in other.rank([near])] == ["b"]

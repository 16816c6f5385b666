"""The fast form of storing and finding documents returns the results of the plain form (DOC-1 … DOC-3)."""

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hybrid_search.accelerated import fast_inverted_index
from hybrid_search.accelerated.fast_document_index import FEWEST_DEAD_SLOTS
from hybrid_search.accelerated.filter_masks import MOST_FILTER_MASKS
from hybrid_search.base import numeric
from hybrid_search.base.kernels import INCLUDED
from hybrid_search.doc_store_adapter.memory.memory_doc_store import MemoryDocStore
from hybrid_search.errors import HybridSearchError
from hybrid_search.fusion.fusion_expr import FusionExpr
from hybrid_search.query_builder.expressions import MatchDenseExpr, MatchTextExpr
from hybrid_search.query_builder.tree import AnyOf, Boost, Group, Phrase, Term
from python_ref.tests.rounds import examples

WORDS = "abcdefgh"


def stores(bm25="okapi"):
    return [MemoryDocStore(bm25, name) for name in INCLUDED]


def told(method, *arguments, **options):
    """Return the result of a call, with the bits of its floats, or its error."""
    try:
        found = method(*arguments, **options)
    except HybridSearchError as error:
        return repr(error)
    if not hasattr(found, "ids"):
        return repr(found)
    seen = [name for name in vars(found) if name not in ("prepared", "dense_scores")]
    cosines = found.dense_scores and sorted(found.dense_scores.cosines.items())
    return repr([[(name, getattr(found, name)) for name in seen], cosines])


@st.composite
def trees(draw, depth=0):
    kind = draw(st.sampled_from(["term", "phrase", "any_of", "boost", "group"] if depth < 3 else ["term", "phrase"]))
    if kind == "term":
        return Term(draw(st.sampled_from([*WORDS, "a b", "", "zz"])))
    if kind == "phrase":
        return Phrase(tuple(draw(st.lists(st.sampled_from(WORDS), max_size=4))), draw(st.integers(0, 4)))
    if kind == "any_of":
        return AnyOf(tuple(draw(st.lists(trees(depth + 1), max_size=4))))
    if kind == "boost":
        return Boost(draw(trees(depth + 1)), draw(st.sampled_from([0.0, 0.1, 0.7, 1.0, 2.5])))
    return Group(draw(trees(depth + 1)))


TEXTS = st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)
DOCUMENTS = st.lists(
    st.fixed_dictionaries(
        {},
        optional={
            "title_tks": TEXTS,
            "content_ltks": TEXTS,
            "important_kwd": st.lists(st.sampled_from(["a", "b", "a b", "c d"]), max_size=3),
            "kb_id": st.sampled_from(["k1", "k2"]),
            "q_3_vec": st.lists(st.sampled_from([-1.0, 0.0, 0.1, 0.5, 1.0, 3.0, 1e-170]), min_size=3, max_size=3),
        },
    ),
    max_size=12,
).map(lambda documents: [{"id": f"d{place}", **fields} for place, fields in enumerate(documents)])
SOME_IDS = st.lists(st.sampled_from([f"d{place}" for place in range(9)]), max_size=4, unique=True)
FIELDS = (("title_tks", 10.0), ("important_kwd", 3.0), ("content_ltks", 1.0))


@settings(max_examples=examples(40, 120), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(DOCUMENTS, min_size=1, max_size=3),
    SOME_IDS,
    trees(),
    st.sampled_from([None, 1, 2, 0.3, 0.5, 1.0]),
    st.integers(0, 6),
    st.sampled_from([None, {"kb_id": "k1"}, {"id": ["d0", "d2"]}, {"must_not": {"exists": "title_tks"}}]),
    st.sampled_from(["okapi", "lucene"]),
    st.lists(st.sampled_from([-1.0, 0.0, 0.1, 0.7]), min_size=3, max_size=3),
)
def test_both_kernels_return_the_same_results(batches, removed, tree, minimum, topn, filters, bm25, vector):
    text = MatchTextExpr(FIELDS, tree, topn, {} if minimum is None else {"minimum_should_match": minimum})
    one_field = MatchTextExpr(FIELDS[2:], tree, topn)
    dense = MatchDenseExpr("q_3_vec", tuple(vector), topn=topn, extra_options={"similarity": -0.5})
    fused = [text, dense, FusionExpr("weighted_sum", 5)]
    seen = []
    for store in stores(bm25):
        answers = [told(store.insert, batches[0])]
        for batch in batches[1:]:
            stored = [document for document in batch if store.get(document["id"]) is not None]
            answers += [told(store.delete, removed), told(store.update, stored), told(store.insert, batch)]
            answers.append(told(store.upsert, [*stored[:2], *batch[-3:]]))
        answers += [told(store.rank, exprs, filters) for exprs in ([], [text], [one_field], [dense], fused)]
        answers.append(
            told(
                store.search, ["id", "title_tks", "q_3_vec", "q_3_vec"], filters, fused, [["kb_id", "desc"]], 4, 1,
                agg_fields=["kb_id"], highlight_fields=["content_ltks"], keywords=["a", "b"],
            )
        )  # fmt: skip
        answers += [told(store.search, match_exprs=[dense]), told(store.get, "d1"), store.health()]
        seen.append(answers)
    assert seen[0] == seen[1]


@pytest.mark.parametrize("single", [True, False])
def test_the_screened_dense_leg_is_exact(single):
    random_numbers = random.Random(7)

    def component() -> float:
        value = random_numbers.gauss(0.0, 1.0)
        return numeric.from_bits(numeric.to_bits(value)[:8] + "00000000") if single else value

    documents = []
    for place in range(400):
        vector = [component() for _ in range(24)] if place % 10 != 9 else documents[-1]["q_24_vec"]
        if place % 100 == 3:
            vector = [value * (2.0**-110 if single else 2.0**-550) for value in vector]
        documents.append({"id": f"{place:04}", "q_24_vec": vector})
    plain, fast = stores()
    plain.insert(documents)
    fast.insert(documents)
    for topn in (1, 2, 10, 50, 500):
        expr = MatchDenseExpr("q_24_vec", tuple(component() for _ in range(24)), topn=topn)
        assert fast.dense_leg(expr) == plain.dense_leg(expr)


def test_a_common_and_a_rare_term_are_found_among_many_documents():
    draw = random.Random(3)
    vocabulary = [f"w{place}" for place in range(40)]
    weights = [1.0 / (place + 1) for place in range(40)]
    texts = [draw.choices(vocabulary, weights, k=draw.randint(1, 30)) for _ in range(3000)]
    documents = [{"id": f"{place:05}", "content_ltks": " ".join(tokens)} for place, tokens in enumerate(texts)]
    plain, fast = stores()
    plain.insert(documents)
    fast.insert(documents)
    whole = MatchTextExpr((("content_ltks", 2.0),), AnyOf(tuple(map(Term, ("w0", "w5", "w30", "w1")))), topn=3000)
    ranking = plain.text_leg(whole)
    for topn in (1, 7, 10, 100, 1024, 3000):
        assert fast.text_leg(whole.with_topn(topn)) == ranking[:topn]


def test_removed_documents_free_their_slots():
    store = MemoryDocStore(kernels="fast")
    size = FEWEST_DEAD_SLOTS + 10
    store.insert([{"id": f"{place}", "content_ltks": f"x w{place}", "kb_id": "k"} for place in range(size)])
    expr = MatchTextExpr((("content_ltks", 1.0),), Term("x"))
    assert len(store.rank([], {"kb_id": "k"})) == size
    store.delete([f"{place}" for place in range(5, size)])
    assert store._snapshot._documents._table.living.limit == 5
    assert [identifier for identifier, _ in store.text_leg(expr)] == ["0", "1", "2", "3", "4"]
    assert len(store.rank([], {"kb_id": "k"})) == 5


def test_filters_cache_a_limited_number_of_masks_and_see_new_documents():
    store = MemoryDocStore(kernels="fast")
    store.insert([{"id": f"{place}", "n": place} for place in range(MOST_FILTER_MASKS + 5)])
    for place in range(MOST_FILTER_MASKS + 5):
        assert store.rank([], {"n": place}) == [(f"{place}", 0.0)]
    assert len(store._snapshot._documents._masks._masks) == MOST_FILTER_MASKS
    store.insert([{"id": "new", "n": MOST_FILTER_MASKS}])
    assert [identifier for identifier, _ in store.rank([], {"n": MOST_FILTER_MASKS})] == [f"{MOST_FILTER_MASKS}", "new"]


@pytest.mark.parametrize("longest", [0, 1 << 60])
def test_tokens_are_the_same_whether_they_are_sorted_or_appended_one_by_one(longest, monkeypatch):
    source = random.Random(5)
    bodies = [" ".join(source.choices(WORDS, k=source.choice([0, 1, 40]))) for _ in range(60)]
    documents = [
        {
            "id": f"d{place}",
            "content_ltks": body,
            "content_sm_ltks": body if place % 3 else "a b",
            "tag_kwd": ["a b", "c"],
        }
        for place, body in enumerate(bodies)
    ]
    plain, fast = stores()
    monkeypatch.setattr(fast_inverted_index, "FEWEST_SORTED", longest)
    for store in (plain, fast):
        store.insert(documents[:40])
        store.delete(["d3", "d30"])
        store.insert(documents[40:])
    for field in ("content_ltks", "content_sm_ltks", "tag_kwd"):
        for tree in (*map(Term, WORDS), Phrase(("a", "b"), 0), Phrase(("b", "a"), 2)):
            query = MatchTextExpr(((field, 1.0),), tree, 100)
            assert told(fast.search, match_exprs=[query], limit=100) == told(
                plain.search, match_exprs=[query], limit=100
            )


def test_a_batch_is_sorted_only_from_a_minimum_number_of_tokens():
    for count in (fast_inverted_index.FEWEST_SORTED - 1, fast_inverted_index.FEWEST_SORTED):
        plain, fast = stores()
        body = " ".join(f"w{place % 97}" for place in range(count))
        for store in (plain, fast):
            store.insert([{"id": "a", "content_ltks": body, "content_sm_ltks": body}])
            store.insert([{"id": "b", "content_ltks": f"{body} w5", "content_sm_ltks": body}])
        query = MatchTextExpr((("content_ltks", 1.0), ("content_sm_ltks", 2.0)), AnyOf((Term("w5"), Term("w96"))), 10)
        assert told(fast.search, match_exprs=[query]) == told(plain.search, match_exprs=[query])

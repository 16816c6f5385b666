import math
import random
from collections import Counter
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rank_bm25 import BM25Okapi

from hybrid_search import numeric, ordering
from hybrid_search.doc_store_adapter import stored_document
from hybrid_search.doc_store_adapter.bm25 import Bm25
from hybrid_search.doc_store_adapter.contract import DocStoreContract
from hybrid_search.doc_store_adapter.filter_masks import MOST_FILTER_MASKS
from hybrid_search.doc_store_adapter.filters import Filters
from hybrid_search.doc_store_adapter.memory import MemoryDocStore
from hybrid_search.doc_store_adapter.memory_snapshot import FEWEST_DEAD_SLOTS
from hybrid_search.doc_store_adapter.phrase_matcher import exact_frequency, sloppy_frequency
from hybrid_search.doc_store_adapter.query_clauses import QueryClauses
from hybrid_search.errors import DocStoreError
from hybrid_search.expressions import MatchDenseExpr, MatchTextExpr
from hybrid_search.query_builder.tree import AnyOf, Boost, Group, Phrase, Term

WORDS = "abcdefgh"
Ranking = list[tuple[str, float]]


class SimpleSearch:
    """The rules of DOC-3 in their plainest form: every document is looked at, every sum is written out."""

    def __init__(self, documents: list[dict[str, Any]], variant: str = "okapi") -> None:
        self.documents = documents
        self.bm25 = Bm25.of(variant)

    def text_leg(self, expr: MatchTextExpr, filters: dict[str, Any] | None = None) -> Ranking:
        query = QueryClauses(expr.tree, expr.extra_options.get("minimum_should_match"))
        ranking = []
        for document in self.documents:
            matched = set()
            total = 0.0
            for place, clause in enumerate(query.clauses):
                scores = []
                for field, boost in expr.fields:
                    frequency = self.frequency(document, field, clause.tokens, clause.slop)
                    if frequency > 0:
                        scores.append(boost * self.score(document, field, clause.tokens, frequency))
                if scores:
                    matched.add(place)
                    total = total + clause.boost * max(scores)
            alternatives = sum(1 for alternative in query.alternatives if matched.intersection(alternative))
            if matched and alternatives >= query.required and self.passes(document, filters):
                ranking.append((document["id"], total))
        return ordering.rank(ranking)[: expr.topn]

    def dense_leg(self, expr: MatchDenseExpr, filters: dict[str, Any] | None = None) -> Ranking:
        scored = [
            (document["id"], numeric.cosine(expr.vector, document[expr.field]))
            for document in self.documents
            if expr.field in document and self.passes(document, filters)
        ]
        lowest = expr.extra_options.get("similarity", -math.inf)
        return ordering.rank([pair for pair in scored if pair[1] >= lowest])[: expr.topn]

    def passes(self, document: dict[str, Any], filters: dict[str, Any] | None) -> bool:
        return Filters(filters).accepts(document["id"], document, document)

    def tokens(self, document: dict[str, Any], field: str) -> list[str] | None:
        return stored_document.tokens(field, document[field]) if field in document else None

    def frequency(self, document: dict[str, Any], field: str, tokens: tuple[str, ...], slop: int) -> float:
        stored = self.tokens(document, field) or []
        if stored_document.is_keyword_field(field):
            tokens = (" ".join(tokens),)
        positions = [[place for place, other in enumerate(stored) if other == token] for token in tokens]
        if not all(positions):
            return 0
        if len(tokens) == 1:
            return len(positions[0])
        if slop == 0:
            return exact_frequency(positions)
        return sloppy_frequency(positions, slop, len(set(tokens)) < len(tokens))

    def score(self, document: dict[str, Any], field: str, tokens: tuple[str, ...], frequency: float) -> float:
        every = [tokens for tokens in (self.tokens(other, field) for other in self.documents) if tokens is not None]
        holding: dict[str, int] = {}
        for stored in every:
            for token in set(stored):
                holding[token] = holding.get(token, 0) + 1
        if stored_document.is_keyword_field(field):
            tokens = (" ".join(tokens),)
        idf = 0.0
        for token in tokens:
            raw = self.bm25.raw_idf(len(every), holding[token])
            if raw < 0 and self.bm25.variant == "okapi":
                raw = self.bm25.epsilon * self.bm25.average_idf(len(every), Counter(holding.values()))
            idf = idf + raw
        average = sum(map(len, every)) / len(every)
        score: float = self.bm25.score(idf, frequency, len(self.tokens(document, field) or []), average)
        return score


class TestMemoryDocStore(DocStoreContract):
    def make_store(self) -> MemoryDocStore:
        return MemoryDocStore()


class TestMemoryDocStoreWithLucene(DocStoreContract):
    def make_store(self) -> MemoryDocStore:
        return MemoryDocStore(bm25="lucene")


def test_the_contract_tells_what_a_store_does_not_keep():
    class Forgetful(MemoryDocStore):
        def delete(self, identifiers):
            return 0

    with pytest.raises(DocStoreError, match="the store breaks the contract: removed should be 1, is 0"):
        DocStoreContract.run(Forgetful)


def corpus(seed: int, size: int) -> list[list[str]]:
    random_numbers = random.Random(seed)
    vocabulary = [f"w{place}" for place in range(40)]
    weights = [1.0 / (place + 1) for place in range(40)]
    return [random_numbers.choices(vocabulary, weights, k=random_numbers.randint(1, 30)) for _ in range(size)]


@pytest.mark.parametrize("seed", range(6))
def test_scores_equal_rank_bm25(seed):
    texts = corpus(seed, 60)
    store = MemoryDocStore()
    store.insert([{"id": f"{place:03}", "content_ltks": " ".join(tokens)} for place, tokens in enumerate(texts)])
    package = BM25Okapi(texts)
    floored = 0
    for word in [f"w{place}" for place in range(40)]:
        query = [word, "w39", "w38", "nowhere"]
        expr = MatchTextExpr((("content_ltks", 1.0),), AnyOf(tuple(map(Term, query))), topn=1000)
        ours = dict(store.text_leg(expr))
        theirs = package.get_scores(query).tolist()
        below_zero = any(2 * sum(term in tokens for tokens in texts) > len(texts) for term in query)
        floored += below_zero
        for place, score in enumerate(theirs):
            ulps = numeric.ulp_distance(ours.get(f"{place:03}", 0.0), score)
            assert ulps <= (16 if below_zero else 0), (word, place)
    assert floored


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


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    DOCUMENTS,
    trees(),
    st.sampled_from([None, 1, 2, 0.3, 0.5, 1.0]),
    st.integers(0, 6),
    st.sampled_from([None, {"kb_id": "k1"}, {"id": ["d0", "d2"]}]),
    st.sampled_from(["okapi", "lucene"]),
    st.lists(st.sampled_from([-1.0, 0.0, 0.1, 0.7]), min_size=3, max_size=3),
    st.randoms(use_true_random=False),
)
def test_the_indexes_give_what_the_rules_say(documents, tree, minimum, topn, filters, variant, vector, shuffler):
    fields = (("title_tks", 10.0), ("important_kwd", 3.0), ("content_ltks", 1.0))
    text = MatchTextExpr(fields, tree, topn, {} if minimum is None else {"minimum_should_match": minimum})
    one_field = MatchTextExpr(fields[2:], tree, topn)
    dense = MatchDenseExpr("q_3_vec", tuple(vector), topn=topn, extra_options={"similarity": -0.5})
    shuffled = list(documents)
    shuffler.shuffle(shuffled)
    store = MemoryDocStore(bm25=variant)
    store.insert([{"id": "gone", "content_ltks": "a b c", "q_3_vec": [1.0, 1.0, 1.0]}])
    store.insert(shuffled)
    store.delete(["gone"])
    simple = SimpleSearch(documents, variant)
    assert store.text_leg(text, filters) == simple.text_leg(text, filters)
    assert store.text_leg(one_field, filters) == simple.text_leg(one_field, filters)
    assert store.dense_leg(dense, filters) == simple.dense_leg(dense, filters)


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
    store = MemoryDocStore()
    store.insert(documents)
    for topn in (1, 2, 10, 50, 500):
        expr = MatchDenseExpr("q_24_vec", tuple(component() for _ in range(24)), topn=topn)
        assert store.dense_leg(expr) == SimpleSearch(documents).dense_leg(expr)


def test_a_common_and_a_rare_term_among_many_documents():
    texts = corpus(3, 3000)
    documents = [{"id": f"{place:05}", "content_ltks": " ".join(tokens)} for place, tokens in enumerate(texts)]
    store = MemoryDocStore()
    store.insert(documents)
    whole = MatchTextExpr((("content_ltks", 2.0),), AnyOf(tuple(map(Term, ("w0", "w5", "w30", "w1")))), topn=3000)
    ranking = store.text_leg(whole)
    for topn in (1, 7, 10, 100, 1024):
        assert store.text_leg(whole.with_topn(topn)) == ranking[:topn]


def test_removed_documents_make_room():
    store = MemoryDocStore()
    size = FEWEST_DEAD_SLOTS + 10
    store.insert([{"id": f"{place}", "content_ltks": f"x w{place}", "kb_id": "k"} for place in range(size)])
    expr = MatchTextExpr((("content_ltks", 1.0),), Term("x"))
    assert len(store.rank([], {"kb_id": "k"})) == size
    store.delete([f"{place}" for place in range(5, size)])
    assert store._snapshot._table.living.limit == 5
    assert [identifier for identifier, _ in store.text_leg(expr)] == ["0", "1", "2", "3", "4"]
    assert len(store.rank([], {"kb_id": "k"})) == 5


def test_filters_remember_only_so_much_and_see_new_documents():
    store = MemoryDocStore()
    store.insert([{"id": f"{place}", "n": place} for place in range(MOST_FILTER_MASKS + 5)])
    for place in range(MOST_FILTER_MASKS + 5):
        assert store.rank([], {"n": place}) == [(f"{place}", 0.0)]
    assert len(store._snapshot._masks._masks) == MOST_FILTER_MASKS
    store.insert([{"id": "new", "n": MOST_FILTER_MASKS}])
    assert [identifier for identifier, _ in store.rank([], {"n": MOST_FILTER_MASKS})] == [f"{MOST_FILTER_MASKS}", "new"]

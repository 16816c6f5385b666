import random

import pytest
from rank_bm25 import BM25Okapi

from hybrid_search.base import numeric
from hybrid_search.base.kernels import INCLUDED
from hybrid_search.doc_store_adapter.memory.memory_doc_store import MemoryDocStore
from hybrid_search.errors import InvalidInputError
from hybrid_search.query_builder.expressions import MatchTextExpr
from hybrid_search.query_builder.tree import AnyOf, Term
from python_ref.tests.rounds import seeds


def test_unknown_options_are_refused():
    with pytest.raises(InvalidInputError, match='unknown option "kernel"; did you mean "kernels"'):
        MemoryDocStore(kernel="plain")
    with pytest.raises(InvalidInputError, match='unknown kernels "plan"; did you mean "plain"'):
        MemoryDocStore(kernels="plan")


def corpus(seed: int, size: int) -> list[list[str]]:
    random_numbers = random.Random(seed)
    vocabulary = [f"w{place}" for place in range(40)]
    weights = [1.0 / (place + 1) for place in range(40)]
    return [random_numbers.choices(vocabulary, weights, k=random_numbers.randint(1, 30)) for _ in range(size)]


@pytest.mark.parametrize("kernels", INCLUDED)
@pytest.mark.parametrize("seed", seeds(2, 6))
def test_scores_equal_rank_bm25(seed, kernels):
    texts = corpus(seed, 60)
    store = MemoryDocStore(kernels=kernels)
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

"""The cosines of the store equal those of the reranker, and are used only for their vector."""

import dataclasses
import random

from hybrid_search.base import numeric
from hybrid_search.doc_store_adapter.dense_scores import DenseScores
from hybrid_search.doc_store_adapter.memory.memory_doc_store import MemoryDocStore
from hybrid_search.fusion.fusion_expr import FusionExpr
from hybrid_search.query_builder.builder import QueryBuilder
from hybrid_search.query_builder.expressions import MatchDenseExpr, MatchTextExpr
from hybrid_search.query_builder.tree import Term
from hybrid_search.reranker.reranker import Reranker

DIMENSION = 6
FIELD = f"q_{DIMENSION}_vec"


def found(draw, topn):
    store = MemoryDocStore()
    for number in range(60):
        fields = {"id": f"d{number:02}", "content_ltks": draw.choice(["red wine", "red car", "wine"])}
        if draw.random() < 0.9:
            fields[FIELD] = [draw.choice([0.0, draw.uniform(-1, 1)]) for _ in range(DIMENSION)]
        store.insert([fields])
    vector = tuple(draw.uniform(-1, 1) for _ in range(DIMENSION))
    text = MatchTextExpr((("content_ltks", 1.0),), Term("red"), 60)
    dense = MatchDenseExpr(FIELD, vector, topn=topn)
    return store.search(match_exprs=[text, dense, FusionExpr("rrf", 60)], limit=60)


def test_dense_scores_change_no_bit_of_an_outcome():
    reranker = Reranker(QueryBuilder())
    for seed in range(10):
        result = found(random.Random(seed), topn=20)
        assert 0 < len(result.dense_scores.cosines) <= 20 < len(result.ids)
        plain = dataclasses.replace(result, dense_scores=None)
        assert reranker.rerank_by_hybrid(result, "red wine") == reranker.rerank_by_hybrid(plain, "red wine")
        for identifier, cosine in result.dense_scores.cosines.items():
            expected = numeric.cosine(result.fields[identifier][FIELD], result.query_vector)
            assert numeric.to_bits(cosine) == numeric.to_bits(expected)


def test_dense_scores_are_used_only_for_their_vector_and_for_selected_vectors():
    reranker = Reranker(QueryBuilder())
    result = found(random.Random(1), topn=60)
    wrong = DenseScores(result.query_vector, dict.fromkeys(result.ids, 9.0))
    believed = reranker.rerank_by_hybrid(dataclasses.replace(result, dense_scores=wrong), "red")
    assert set(believed.vector_similarity) == {9.0, 0.0}
    other = dataclasses.replace(result, query_vector=[1.0] * DIMENSION, dense_scores=wrong)
    bare = dataclasses.replace(other, dense_scores=None)
    assert reranker.rerank_by_hybrid(other, "red") == reranker.rerank_by_hybrid(bare, "red")
    unselected = dataclasses.replace(result, fields={name: {} for name in result.ids}, dense_scores=wrong)
    assert set(reranker.rerank_by_hybrid(unselected, "red").vector_similarity) == {0.0}

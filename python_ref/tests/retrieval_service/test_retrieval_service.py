"""The retrieval service in use: the rule tables, threads, depth."""

import random
import threading
import time

import pytest

from conformance.implementations.python import corpora
from hybrid_search.doc_store_adapter.memory.memory_doc_store import MemoryDocStore
from hybrid_search.embedding.cache import EmbeddingCache
from hybrid_search.retrieval_service.retrieval_service import RetrievalService

SEED = "MisraC++ 2008 Rule 6-2-1 这个规则 怎么修改"
RIGHT = "cxx-6-2-1"
METHODS = ("semantic_search", "full_text_search", "keyword_search", "hybrid_search")
WEIGHTED = {
    "reranking_enable": True,
    "reranking_mode": "weighted_score",
    "weights": {"vector_setting": {"vector_weight": 0.3}, "keyword_setting": {"keyword_weight": 0.7}},
}


@pytest.fixture(scope="module")
def collection():
    return corpora.load("rule_table")


@pytest.fixture(scope="module")
def service(collection):
    return RetrievalService(collection.store(), embedding=collection.embedding())


def table(explain):
    """Return the rows of a result as a readable table."""
    lines = [f"{explain['search_method']}: {explain['formula']}", "place  doc_id         keyword   vector    score"]
    for row in explain["rows"]:
        scores = (row["keyword_score"], row["vector_score"], row["score"])
        shown = "  ".join("      -" if score is None else f"{score:7.4f}" for score in scores)
        lines.append(f"{row['place']:5}  {row['doc_id']:12}  {shown}")
    return "\n".join(lines)


def test_the_right_row_is_first_by_keywords_and_vectors_but_not_by_vectors_alone(service, collection):
    assert len(collection.documents) >= 200
    dense = service.retrieve(SEED, top_k=200, explain=True)
    weighted = service.retrieve(SEED, search_method="hybrid_search", top_k=10, explain=True, **WEIGHTED)
    print(f"\n{SEED}\n{table({**dense.explain, 'rows': dense.explain['rows'][:10]})}\n{table(weighted.explain)}")
    rows = weighted.explain["rows"]
    assert [row["doc_id"] for row in dense.explain["rows"]].index(RIGHT) > 0
    assert rows[0]["doc_id"] == RIGHT
    assert rows[0]["score"] - rows[1]["score"] > 0.05
    for row in rows:
        assert row["score"] == 0.3 * row["vector_score"] + 0.7 * row["keyword_score"]


@pytest.mark.parametrize("reranked", [False, True])
@pytest.mark.parametrize("method", METHODS)
def test_a_larger_top_k_never_reorders_the_head(service, method, reranked):
    settings = {"search_method": method, **(WEIGHTED if reranked else {})}
    longest = [document.metadata for document in service.retrieve(SEED, top_k=200, **settings).documents]
    depths = range(1, 200, 50) if reranked or method == "keyword_search" else range(1, 200)
    for top_k in depths:
        found = service.retrieve(SEED, top_k=top_k, **settings)
        assert [document.metadata for document in found.documents] == longest[:top_k]


def test_both_legs_of_a_hybrid_search_run_at_the_same_time(collection):
    both = threading.Barrier(2, timeout=20)

    class MeetingStore(MemoryDocStore):
        def search(self, *arguments, **options):
            if options.get("match_exprs"):
                both.wait()  # passes once the other leg has arrived too
            return super().search(*arguments, **options)

    store = MeetingStore()
    store.insert([{"id": "a", "content_with_weight": "rule", "content_ltks": "rule", "q_2_vec": [1.0, 0.0]}])
    service = RetrievalService(store, embedding=lambda texts: [[1.0, 1.0] for _ in texts])
    found = service.retrieve("rule", search_method="hybrid_search")
    assert [document.doc_id for document in found.documents] == ["a"]
    assert not found.warnings


def test_query_vectors_are_cached(collection):
    cache = EmbeddingCache(collection.embedding())
    service = RetrievalService(collection.store(), embedding=cache)
    for _ in range(3):
        service.retrieve(SEED, search_method="hybrid_search", **WEIGHTED)
    assert cache.misses == 1
    assert cache.hits >= 2


def test_eight_threads_get_the_same_results_as_one(service, collection):
    calls = [
        (query["text"], {"search_method": method, "top_k": 20, **(WEIGHTED if reranked else {})})
        for query in collection.queries[::8]
        for method in METHODS
        for reranked in (False, True)
    ]
    started = time.perf_counter()
    expected = [service.retrieve(query, **settings).to_dict() for query, settings in calls]
    alone = time.perf_counter() - started
    wrong, answered = [], []

    def work(seed):
        order = list(range(len(calls)))
        random.Random(seed).shuffle(order)
        for place in order:
            query, settings = calls[place]
            if service.retrieve(query, **settings).to_dict() != expected[place]:
                wrong.append((seed, calls[place]))
            answered.append(place)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    started = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    together = time.perf_counter() - started
    print(f"\n{len(calls) / alone:.0f} retrievals a second alone, {len(answered) / together:.0f} in 8 threads")
    assert wrong == []
    assert sorted(answered) == sorted(list(range(len(calls))) * 8)

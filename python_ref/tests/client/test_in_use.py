"""The clients where users put them: in the Retriever, the Reranker, Embedding and its cache."""

import threading
import time

import pytest

from conformance.tests.model_server import EMBEDDER
from hybrid_search.doc_store_adapter.memory.memory_doc_store import MemoryDocStore
from hybrid_search.embedding.cache import EmbeddingCache
from hybrid_search.embedding.embedding import Embedding
from hybrid_search.embedding.open_ai import OpenAiEmbedder
from hybrid_search.errors import EmbeddingError, RerankError
from hybrid_search.index import Index
from hybrid_search.reranker.http_reranker import HttpReranker

RECORDS = [
    {"id": "a", "content": "MISRA C++ 2008 Rule 6-2-1: assignment in expressions"},
    {"id": "b", "content": "MISRA C 2004 Rule 6-2: plain char"},
    {"id": "c", "content": "静态分析 规则 16-2-1"},
]


PATIENCE = 15.0
"""The seconds to wait for a call on a busy machine; a call that is not ended takes a minute."""


@pytest.fixture
def index(model_server) -> Index:
    embedder = OpenAiEmbedder(model_server.tell("index", []), "hashing", dimension=64)
    built = Index(store=MemoryDocStore(), embedding=Embedding(embedder), profile="ragflow")
    built.add(RECORDS)
    return built


def search(index: Index, model: HttpReranker, **options):
    started = time.monotonic()
    found = index.search("Rule 6-2-1 规则", min_score=0.0, rerank_model=model, **options)
    return found, time.monotonic() - started


def test_an_index_uses_embeddings_and_reranking_over_http(model_server, index):
    found, _ = search(index, HttpReranker(f"{model_server.tell('whole', [])}/rerank", "model"), explain=True)
    assert found.warnings == ()
    assert {hit.id for hit in found.hits} == {"a", "b", "c"}
    assert all(hit.scores.rerank is not None for hit in found)
    assert len(model_server.log("whole")) == 1


@pytest.mark.parametrize(
    ("name", "steps", "told"),
    [
        ("down", [{"reset": True}], "cut the connection"),
        ("slow", [{"delay": 60.0}], "did not answer before the deadline of 1.0 seconds"),
        ("silent_forever", [{"never": True}], "did not answer before the deadline of 1.0 seconds"),
        ("rubbish", [{"raw": "rubbish"}], "returned invalid JSON"),
    ],
)
def test_a_failing_service_costs_no_more_than_its_deadline(model_server, index, name, steps, told):
    plain = index.search("Rule 6-2-1 规则", min_score=0.0)
    model = HttpReranker(f"{model_server.tell(name, steps * 9)}/rerank", "model", deadline=1.0, max_retries=0)
    found, seconds = search(index, model)
    assert seconds < PATIENCE
    assert [hit.id for hit in found.hits] == [hit.id for hit in plain.hits]
    (warning,) = found.warnings
    assert warning.startswith("ranked without the rerank model: the rerank service at")
    assert told in warning
    with pytest.raises(RerankError, match=told):
        search(index, model, fail_open=False)


def test_rerank_timeout_ends_a_patient_client(model_server, index):
    url = model_server.tell("patient", [{"delay": 60.0}])
    found, seconds = search(index, HttpReranker(f"{url}/rerank", "model"), rerank_timeout=0.2)
    assert seconds < PATIENCE
    assert [thread.name for thread in threading.enumerate() if thread.name == "rerank model"] == []
    (warning,) = found.warnings
    assert warning == (
        f"ranked without the rerank model: the rerank service at {url}/rerank did not answer before the deadline of "
        "0.2 seconds"
    )


def test_a_cache_wraps_the_service(model_server):
    cache = EmbeddingCache(OpenAiEmbedder(model_server.tell("cached", []), "hashing"))
    assert list(cache.encode_queries("a red fox")) == EMBEDDER.encode_queries("a red fox")
    cache.encode_queries("a red fox")
    cache.encode(["b", "c"])
    cache.encode(["c", "b"])
    assert (cache.hits, cache.misses, len(model_server.log("cached"))) == (3, 3, 2)


def test_errors_of_the_service_are_not_cached(model_server):
    steps = [{"status": 401, "raw": '{"error": {"message": "no"}}'}]
    cache = EmbeddingCache(OpenAiEmbedder(model_server.tell("not_cached", steps), "hashing"))
    with pytest.raises(EmbeddingError, match='returned status 401: "no"'):
        cache.encode_queries("a")
    assert len(cache.encode_queries("a")) == 64

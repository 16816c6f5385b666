"""Rerank models by name (RNK-9): where names are accepted, and the models that they create."""

import asyncio

import pytest

from hybrid_search import AsyncIndex, ConfigurationError, Index, InvalidInputError, MemoryDocStore, RetrievalService
from hybrid_search.reranker import cross_encoder
from hybrid_search.reranker.named_models import NamedModels
from hybrid_search.reranker.rerank_choice import RERANK_KEY, RerankChoice

NOBODY = "tei/http://127.0.0.1:9/rerank"


@pytest.mark.parametrize("name", ["fastembed", "sentence-transformers/BAAI/bge-reranker-v2-m3"])
def test_a_missing_library_names_its_extra(monkeypatch, name):
    monkeypatch.setattr(cross_encoder.importlib.util, "find_spec", lambda wanted: None)
    extra = name.partition("/")[0]
    message = rf"the rerank model {extra} needs {extra}: pip install 'hybrid-search\[{extra}\]'"
    with pytest.raises(ConfigurationError, match=message):
        Index(rerank_model=name)


def test_a_model_is_created_once_for_all_searches():
    models = NamedModels()
    assert models.model(NOBODY) is models.model(NOBODY)
    assert models.options({"rerank_model": NOBODY, "limit": 3}) == {"rerank_model": models.model(NOBODY), "limit": 3}
    assert models.options({"limit": 3}) == {"limit": 3}


def test_names_are_accepted_by_searches_and_services():
    record = {"id": "1", "content": "red wine"}
    index = Index()
    index.add(record)
    warning = "ranked without the rerank model: the rerank service at http://127.0.0.1:9/rerank refused the connection"
    assert index.search("wine", rerank_model=NOBODY).warnings[0].startswith(warning)

    async def found():
        async with AsyncIndex(rerank_model=NOBODY) as awaited:
            await awaited.add(record)
            return await awaited.search("wine")

    assert asyncio.run(found()).warnings[0].startswith(warning)
    RetrievalService(MemoryDocStore(), models={"mine": NOBODY})
    with pytest.raises(InvalidInputError, match='unknown rerank model "bge-reranker"'):
        RetrievalService(MemoryDocStore(), models={"mine": "bge-reranker"})


def test_the_key_of_the_embedding_is_not_sent_to_another_owner(monkeypatch):
    asked = []
    monkeypatch.setattr("hybrid_search.reranker.http_reranker.HttpReranker", lambda *_, **given: asked.append(given))
    monkeypatch.setenv("HYBRID_SEARCH_API_KEY", "of the embedding")
    monkeypatch.delenv(RERANK_KEY, raising=False)
    RerankChoice.named("cohere").made()
    RerankChoice.named("jina", "http://127.0.0.1:9/rerank").made()
    monkeypatch.setenv(RERANK_KEY, "its own")
    RerankChoice.named("jina", "http://127.0.0.1:9/rerank").made()
    assert [given["api_key_env"] for given in asked] == [RERANK_KEY, "HYBRID_SEARCH_API_KEY", RERANK_KEY]

"""The libraries of models, really loading and running models from files (EMB-4, RNK-9)."""

import pytest

from hybrid_search import Embedding, Index
from hybrid_search.errors import EmbeddingError
from hybrid_search.reranker.rerank_choice import RerankChoice

from . import small_models
from .small_models import score_of, vector_of

TEXTS = ["red wine dark cellar", "motor oil car", "cat"]


def near(vectors, others):
    return all(vector == pytest.approx(other, abs=1e-5) for vector, other in zip(vectors, others, strict=True))


@pytest.fixture
def cache(tmp_path, monkeypatch):
    pytest.importorskip("fastembed", reason="the extra fastembed is not installed")
    pytest.importorskip("onnx", reason="the package onnx, which makes the models, is not installed")
    monkeypatch.setenv("FASTEMBED_CACHE_PATH", str(tmp_path))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    return tmp_path


def test_fastembed_embeds_with_prefixes(cache):
    small_models.onnx_snapshot(cache, "qdrant/all-MiniLM-L6-v2-onnx", "model.onnx", pairs=False)
    embedding = Embedding.named("fastembed/sentence-transformers/all-MiniLM-L6-v2")
    assert near(embedding.encode(TEXTS), [vector_of(text) for text in TEXTS])
    assert near([embedding.encode_queries("wine")], [vector_of("wine")])
    prefixed = Embedding.named(
        "fastembed/sentence-transformers/all-MiniLM-L6-v2", query_prefix="red ", passage_prefix="dark "
    )
    assert near([prefixed.encode_queries("wine")], [vector_of("red wine")])
    assert near(prefixed.encode(TEXTS), [vector_of(f"dark {text}") for text in TEXTS])
    with pytest.raises(EmbeddingError, match="cannot be loaded"):
        Embedding.named("fastembed/nobody/nothing").encode(TEXTS)


def test_a_cross_encoder_of_fastembed_reranks(cache):
    small_models.onnx_snapshot(cache, "Xenova/ms-marco-MiniLM-L-6-v2", "onnx/model.onnx", pairs=True)
    name = "fastembed/Xenova/ms-marco-MiniLM-L-6-v2"
    scores = [score_of("wine", text) for text in TEXTS]
    assert RerankChoice.named(name).made().similarity("wine", TEXTS) == pytest.approx(scores, abs=1e-5)
    index = Index(rerank_model=name)
    index.add([{"id": str(place), "content": f"{text} beer"} for place, text in enumerate(TEXTS)])
    page = index.search("beer")
    expected = sorted(range(3), key=lambda place: -score_of("beer", f"{TEXTS[place]} beer"))
    assert ([int(hit.id) for hit in page.hits], page.warnings) == (expected, ())
    assert (
        index.search("beer", rerank_model="fastembed/nobody/nothing")
        .warnings[0]
        .startswith("ranked without the rerank model: the cross-encoder cannot be loaded")
    )


def test_sentence_transformers_embed_and_rerank(tmp_path):
    library = pytest.importorskip("sentence_transformers", reason="the extra sentence-transformers is not installed")
    encoder, pairs = tmp_path / "encoder", tmp_path / "pairs"
    small_models.bert_folder(encoder, pairs=False)
    small_models.bert_folder(pairs, pairs=True)
    embedding = Embedding.named(f"sentence-transformers/{encoder}", query_prefix="red ")
    theirs = library.SentenceTransformer(str(encoder))
    assert near(embedding.encode(TEXTS), theirs.encode(TEXTS).tolist())
    assert near([embedding.encode_queries("wine")], theirs.encode(["red wine"]).tolist())
    scores = library.CrossEncoder(str(pairs)).predict([("wine", text) for text in TEXTS]).tolist()
    assert RerankChoice.named(f"sentence-transformers/{pairs}").made().similarity("wine", TEXTS) == pytest.approx(
        scores
    )
    index = Index(embedding=f"sentence-transformers/{encoder}", rerank_model=f"sentence-transformers/{pairs}")
    index.add([{"id": str(place), "content": text} for place, text in enumerate(TEXTS)])
    assert index.search("red wine").warnings == ()


def test_a_static_model_of_model2vec_embeds(tmp_path):
    pytest.importorskip("model2vec", reason="the extra model2vec is not installed")
    small_models.static_folder(tmp_path)
    index = Index(path=tmp_path / "x.hsx", embedding=f"model2vec/{tmp_path}", vector_similarity_weight=1.0)
    index.add([{"id": str(place), "content": text} for place, text in enumerate(TEXTS)])
    index.close()
    with Index(path=tmp_path / "x.hsx") as again:
        hit = again.search("red cellar", limit=1).hits[0]
        assert (hit.id, hit.scores.cosine is not None) == ("0", True)

"""Models of optional libraries: the error if a library is missing, and the calls if it is installed."""

import sys
import types

import numpy as np
import pytest

from hybrid_search.embedding.embedding import Embedding
from hybrid_search.embedding.local_models import Model2VecEmbedder, SentenceTransformerEmbedder
from hybrid_search.errors import ConfigurationError, EmbeddingError, InvalidInputError, RerankError
from hybrid_search.reranker.cross_encoder import CrossEncoderModel
from hybrid_search.reranker.rerank_model import RerankModel


class FakeCrossEncoder:
    """Scores a pair by the length of its text; its tokens are single characters."""

    def __init__(self, name, **options):
        if name == "missing":
            raise OSError("no such folder")
        self.options = options

    def predict(self, pairs, batch_size, show_progress_bar):
        assert (batch_size, show_progress_bar) == (2, False)
        return np.array([len(text) / 10 for _, text in pairs], dtype=np.float32)

    def tokenizer(self, text, add_special_tokens, return_offsets_mapping):
        assert (add_special_tokens, return_offsets_mapping) == (False, True)
        return {"offset_mapping": [(place, place + 1) for place, sign in enumerate(text) if sign != " "]}


class FakeEncoder:
    """Embeds each text as its length and a one."""

    def __init__(self, name, **options):
        if name == "missing":
            raise OSError("no such folder")

    @classmethod
    def from_pretrained(cls, name):
        return cls(name)

    def encode(self, texts, **_options):
        return np.array([[len(text), 1] for text in texts], dtype=np.float32)


@pytest.fixture
def libraries(monkeypatch):
    names = {"CrossEncoder": FakeCrossEncoder, "SentenceTransformer": FakeEncoder}
    monkeypatch.setitem(sys.modules, "sentence_transformers", types.SimpleNamespace(**names))
    monkeypatch.setitem(sys.modules, "model2vec", types.SimpleNamespace(StaticModel=FakeEncoder))


def test_a_missing_library_is_reported_with_the_extra_to_install(monkeypatch):
    for module in ("sentence_transformers", "model2vec"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ConfigurationError, match=r"pip install 'hybrid-search\[cross-encoder\]'"):
        CrossEncoderModel("some/model").similarity("q", ["a"])
    with pytest.raises(ConfigurationError, match=r"pip install 'hybrid-search\[sentence-transformers\]'"):
        SentenceTransformerEmbedder("some/model").encode_queries("a")
    with pytest.raises(ConfigurationError, match=r"pip install 'hybrid-search\[model2vec\]'"):
        Model2VecEmbedder("some/model").encode(["a"])
    scores, warning = RerankModel(CrossEncoderModel("some/model")).attempt("q", ["a"])
    assert scores is None
    assert "hybrid-search[cross-encoder]" in warning


def test_a_cross_encoder_scores_texts(libraries):
    model = CrossEncoderModel("some/model", batch_size=2, max_length=128, device="cpu")
    assert model.similarity("q", ["aaaaa", "a"]) == [0.5, pytest.approx(0.1)]
    assert model.similarity("q", []) == []
    assert model._encoder.options == {"max_length": 128, "device": "cpu"}
    assert model.truncate("abcdef", 3) == "abc"
    assert model.truncate("ab", 3) == "ab"
    assert [model.truncate("a bc ", length) for length in (1, 2, 3, 4)] == ["a", "a b", "a bc ", "a bc "]


def test_embedders_are_providers(libraries):
    embedding = Embedding(SentenceTransformerEmbedder("some/model", query_prefix="q: "))
    assert (embedding.model, embedding.encode_queries("ab"), embedding.encode(["ab"])) == (
        "some/model",
        [5.0, 1.0],
        [[2.0, 1.0]],
    )
    assert Embedding(Model2VecEmbedder("some/model")).encode(["ab", ""]) == [[2.0, 1.0], [0.0, 1.0]]


def test_models_that_cannot_be_loaded_are_reported(libraries):
    with pytest.raises(RerankError, match="the cross-encoder cannot be loaded: no such folder"):
        CrossEncoderModel("missing").similarity("q", ["a"])
    with pytest.raises(EmbeddingError, match="the embedding model cannot be loaded: no such folder"):
        SentenceTransformerEmbedder("missing").encode(["a"])
    with pytest.raises(EmbeddingError, match="the embedding model cannot be loaded: no such folder"):
        Model2VecEmbedder("missing").encode(["a"])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: CrossEncoderModel(""), "model must not be empty"),
        (lambda: CrossEncoderModel(None), "model must be a text, not null"),
        (lambda: CrossEncoderModel("m", max_length=7), "max_length must be an integer of at least 8, not 7"),
        (lambda: CrossEncoderModel("m", batchsize=7), 'did you mean "batch_size"'),
        (lambda: SentenceTransformerEmbedder("m", batch_size=0), "batch_size must be an integer of at least 1, not 0"),
        (lambda: Model2VecEmbedder("m", device="cpu"), 'unknown option "device"'),
    ],
)
def test_wrong_options_are_refused(make, message):
    with pytest.raises(InvalidInputError, match=message):
        make()

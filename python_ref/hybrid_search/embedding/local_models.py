"""Embedding models in this process: sentence-transformers and model2vec (EMB-2); Python only, optional extras."""

import importlib
from collections.abc import Sequence
from typing import Any

from hybrid_search.base import validation
from hybrid_search.base.process_lock import ProcessLock
from hybrid_search.errors import ConfigurationError, EmbeddingError, InvalidInputError


class SentenceTransformerEmbedder:
    """A provider for `Embedding`: a model of sentence-transformers, loaded when it is first asked.

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
            batch_size: how many texts it embeds at once, at least 1.
            device: "cpu", "cuda" …; none: what sentence-transformers picks.
            query_prefix: what stands before every query, for models that want it ("query: " …) and do not state it
                themselves; where it is empty the model's own prompt counts.
            passage_prefix: what stands before every other text, likewise.

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
        """The vector of one query.

        Raises:
            InvalidInputError: `text` is not a text of valid Unicode.
            ConfigurationError: sentence-transformers is not installed.
            EmbeddingError: the model cannot be loaded or failed.
        """
        return self._vectors([validation.text("text", text)], self._query_prefix, "encode_query")[0]

    def encode(self, texts: Sequence[str]) -> list[list[float]]:
        """The vectors of texts, in their order; errors as for `encode_queries`."""
        return self._vectors(validation.texts("texts", texts), self._passage_prefix, "encode_document")

    def _vectors(self, texts: list[str], prefix: str, method: str) -> list[list[float]]:
        """The vectors of texts, by a method that knows the prompts of the model where there is no prefix."""
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
    """A provider for `Embedding`: a static model of model2vec, small and fast, loaded when it is first asked."""

    @validation.known_options(("model",))
    def __init__(self, model: str) -> None:
        """Name a model; nothing is loaded yet.

        Args:
            model: a folder, or a name like `minishlab/potion-base-8M`.

        Raises:
            InvalidInputError: an option is unknown or not acceptable.
        """
        self._name = _model_name(model)
        self._lock = ProcessLock()
        self._model: Any = None

    @property
    def model(self) -> str:
        """The name of the model, for caches."""
        return self._name

    def encode(self, texts: Sequence[str]) -> list[list[float]]:
        """The vectors of texts, in their order; queries and passages are embedded alike.

        Raises:
            InvalidInputError: `texts` is not a list of texts of valid Unicode.
            ConfigurationError: model2vec is not installed.
            EmbeddingError: the model cannot be loaded or failed.
        """
        checked = validation.texts("texts", texts)
        with self._lock.mutex:
            if self._model is None:
                library = _library("model2vec", "Model2VecEmbedder", "model2vec")
                self._model = _guard("cannot be loaded", library.StaticModel.from_pretrained, self._name)
        return _plain(_guard("failed", self._model.encode, checked)) if checked else []


def _model_name(model: Any) -> str:
    if not validation.text("model", model):
        raise InvalidInputError("model must not be empty: it is a folder or the name of a model")
    return str(model)


def _library(module: str, what: str, extra: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError:
        raise ConfigurationError(f"{what} needs {extra}: pip install 'hybrid-search[{extra}]'") from None


def _guard(what: str, function: Any, *arguments: Any, **options: Any) -> Any:
    try:
        return function(*arguments, **options)
    except Exception as problem:
        raise EmbeddingError(f"the embedding model {what}: {validation.plain_message(problem)}") from problem


def _plain(vectors: Any) -> list[list[float]]:
    return [[float(component) for component in vector] for vector in vectors]

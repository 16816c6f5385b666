"""Runs cross-encoders of sentence-transformers and fastembed in this process (RNK-4, RNK-9); Python only."""

import importlib
import importlib.util
from collections.abc import Sequence
from typing import Any

from hybrid_search.base import validation
from hybrid_search.base.process_lock import ProcessLock
from hybrid_search.embedding.model_names import FASTEMBED, SENTENCE_TRANSFORMERS
from hybrid_search.errors import ConfigurationError, InvalidInputError, RerankError

OPTIONS = ("model", "batch_size", "max_length", "device")
MODULES = {FASTEMBED: "fastembed", SENTENCE_TRANSFORMERS: "sentence_transformers"}
"""Family → the module of its library."""


class CrossEncoderModel:
    """A cross-encoder, loaded on first use; one thread at a time uses it."""

    @validation.known_options(OPTIONS)
    def __init__(
        self,
        model: str,
        batch_size: int = 32,
        max_length: int | None = None,
        device: str | None = None,
    ) -> None:
        """Name a model; it is not loaded yet.

        Args:
            model: a folder, or a name like `BAAI/bge-reranker-v2-m3`.
            batch_size: the number of pairs in a batch, at least 1.
            max_length: the maximum number of tokens of a pair that the model reads, at least 8; `None` means the
                model's own number.
            device: "cpu", "cuda" …; `None` lets sentence-transformers choose.

        Raises:
            InvalidInputError: an option is unknown or not acceptable.
        """
        self._name = validation.text("model", model)
        if not self._name:
            raise InvalidInputError("model must not be empty: it is a folder or the name of a cross-encoder")
        self._batch_size = validation.integer("batch_size", batch_size, 1)
        self._max_length = None if max_length is None else validation.integer("max_length", max_length, 8)
        self._device = None if device is None else validation.text("device", device)
        self._lock = ProcessLock()
        self._encoder: Any = None

    def __repr__(self) -> str:
        return f"CrossEncoderModel {self._name}"

    @property
    def model(self) -> str:
        """The name of the model."""
        return self._name

    def load(self) -> None:
        """Load the model now rather than on first use.

        Raises:
            ConfigurationError: sentence-transformers is not installed.
            RerankError: the model cannot be loaded.
        """
        with self._lock.mutex:
            self._loaded()

    def similarity(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return the model's scores of the texts, in their order; the caller scales them (RNK-3).

        Raises:
            InvalidInputError: an argument is not acceptable.
            ConfigurationError: sentence-transformers is not installed.
            RerankError: the model cannot be loaded or failed.
        """
        query = validation.text("query", query)
        checked = validation.texts("texts", texts)
        if not checked:
            return []
        with self._lock.mutex:
            encoder = self._loaded()
            pairs = [(query, text) for text in checked]
            scores = _guard("failed", encoder.predict, pairs, batch_size=self._batch_size, show_progress_bar=False)
        return [float(score) for score in scores]

    def truncate(self, text: str, length: int) -> str:
        """Return the text cut to `length` of the model's own tokens; a shorter text is returned unchanged (CNV-5).

        Raises:
            InvalidInputError: an argument is not acceptable.
            ConfigurationError: sentence-transformers is not installed.
            RerankError: the model cannot be loaded or failed.
        """
        text = validation.text("text", text)
        length = validation.integer("length", length, 1)
        with self._lock.mutex:
            tokenizer = self._loaded().tokenizer
            encoded = _guard("failed", tokenizer, text, add_special_tokens=False, return_offsets_mapping=True)
        offsets = encoded["offset_mapping"]
        return text if len(offsets) <= length else text[: offsets[length - 1][1]]

    def _loaded(self) -> Any:
        if self._encoder is None:
            try:
                library = importlib.import_module("sentence_transformers")
            except ImportError:
                raise ConfigurationError(
                    "CrossEncoderModel needs sentence-transformers: pip install 'hybrid-search[cross-encoder]'"
                ) from None
            options = {"max_length": self._max_length, "device": self._device}
            given = {name: value for name, value in options.items() if value is not None}
            self._encoder = _guard("cannot be loaded", library.CrossEncoder, self._name, **given)
        return self._encoder


class FastEmbedCrossEncoder:
    """A cross-encoder of fastembed: an ONNX model, without torch, loaded on first use.

    One thread at a time uses it.
    """

    def __init__(self, model: str, batch_size: int = 32) -> None:
        """Name a model; nothing is loaded yet.

        Args:
            model: a name that fastembed knows, like `BAAI/bge-reranker-base`.
            batch_size: the number of pairs in one batch.
        """
        self._name = model
        self._batch_size = batch_size
        self._lock = ProcessLock()
        self._encoder: Any = None

    def __repr__(self) -> str:
        return f"FastEmbedCrossEncoder {self._name}"

    @property
    def model(self) -> str:
        """The name of the model."""
        return self._name

    def similarity(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return the model's scores of the texts, in their order; the caller scales them (RNK-3).

        Raises:
            ConfigurationError: fastembed is not installed.
            RerankError: the model cannot be loaded or failed.
        """
        if not texts:
            return []
        with self._lock.mutex:
            encoder = self._loaded()
            scores = _guard("failed", lambda: list(encoder.rerank(query, list(texts), batch_size=self._batch_size)))
        return [float(score) for score in scores]

    def load(self) -> None:
        """Load the model now rather than on first use; errors as for `similarity`."""
        with self._lock.mutex:
            self._loaded()

    def _loaded(self) -> Any:
        if self._encoder is None:
            try:
                library = importlib.import_module("fastembed.rerank.cross_encoder")
            except ImportError:
                raise _missing(FASTEMBED) from None
            self._encoder = _guard("cannot be loaded", library.TextCrossEncoder, model_name=self._name)
        return self._encoder


def named(family: str, model: str) -> CrossEncoderModel | FastEmbedCrossEncoder:
    """Return the cross-encoder of a family, whose library must be installed.

    Raises:
        ConfigurationError: the library is not installed; the message names the extra.
    """
    if importlib.util.find_spec(MODULES[family]) is None:
        raise _missing(family)
    return FastEmbedCrossEncoder(model) if family == FASTEMBED else CrossEncoderModel(model)


def _missing(family: str) -> ConfigurationError:
    return ConfigurationError(f"the rerank model {family} needs {family}: pip install 'hybrid-search[{family}]'")


def _guard(what: str, function: Any, *arguments: Any, **options: Any) -> Any:
    try:
        return function(*arguments, **options)
    except Exception as problem:
        raise RerankError(f"the cross-encoder {what}: {validation.plain_message(problem)}") from problem

"""Texts to vectors, whoever makes them (EMB-1, EMB-2)."""

from collections.abc import Callable, Sequence
from typing import Any, Unpack

import numpy as np

from hybrid_search import _awaitable as awaitable
from hybrid_search import _collaborators as collaborators
from hybrid_search import _numeric as numeric
from hybrid_search import _validation as validation
from hybrid_search._process_lock import ProcessLock
from hybrid_search.errors import EmbeddingError, HybridSearchError
from hybrid_search.expressions import MatchDenseExpr
from hybrid_search.protocols import Embedder

METHODS = ("encode", "encode_queries")
"""What is called of a provider that is an object."""


class Embedding:
    """Checked access to an embedding provider.

    A provider is a callable from a list of texts to as many vectors, or an object with `encode(texts)` or
    `encode_queries(text)` or both. In spite of its name `encode_queries` is called with one text, and returns one
    vector, or a list of that one vector. Numpy arrays are accepted for lists. Vectors must be one-dimensional, finite,
    not zero, with a squared norm that neither overflows nor is 0, and all of one length.

    Safe to use from several threads when the provider is.
    """

    def __init__(
        self,
        provider: Embedder,
        model: str | None = None,
        dimension: int | None = None,
        **unknown: Unpack[validation.NoOptions],
    ) -> None:
        """Wrap a provider.

        Args:
            provider: see above.
            model: the name of the model; taken from the provider, else empty, when not given.
            dimension: how many components every vector has; taken from the provider, else from its first vector.
            unknown: refused.

        Raises:
            InvalidInputError: the provider is not a callable and has neither method, or has to be awaited (ASY-1); or
                an option is wrong.
        """
        validation.known("option", unknown, ("provider", "model", "dimension"))
        if not collaborators.able(provider, METHODS):
            raise validation.fail("provider", provider, "a callable or an object with encode or encode_queries")
        awaitable.refuse("provider", provider, METHODS)
        model = _told(provider, "model", str) if model is None else model
        dimension = _told(provider, "dimension", int) if dimension is None else dimension
        self._provider: Any = provider
        self._model = "" if model is None else validation.text("model", model)
        self._dimension = None if dimension is None else validation.integer("dimension", dimension, 1)
        self._lock = ProcessLock()

    @property
    def model(self) -> str:
        """The name of the model; may be empty."""
        return self._model

    @property
    def dimension(self) -> int | None:
        """How many components every vector has; none until it is known."""
        return self._dimension

    def encode_queries(self, text: str) -> list[float]:
        """The vector of one query.

        Raises:
            InvalidInputError: `text` is not a text of valid Unicode.
            EmbeddingError: the provider failed or gave an unusable vector.
        """
        validation.text("text", text)
        if _has(self._provider, "encode_queries"):
            return self._checked("the query's vector", self._query(text))
        return self._encode([text], "the query's vector")[0]

    def encode(self, texts: Sequence[str]) -> list[list[float]]:
        """The vectors of texts, in their order; the provider is not asked for no texts.

        Raises:
            InvalidInputError: `texts` is not a list of texts of valid Unicode.
            EmbeddingError: the provider failed, or gave another number of vectors or an unusable one.
        """
        checked = validation.texts("texts", texts)
        return self._encode(checked) if checked else []

    def match_dense(self, text: str, topk: int, similarity: float) -> MatchDenseExpr:
        """The nearest-neighbour query for a text.

        Args:
            text: the query.
            topk: how many documents at the most; at least 1.
            similarity: the lowest cosine that counts, -1 to 1.

        Raises:
            InvalidInputError: an argument is not acceptable.
            EmbeddingError: the provider failed or gave an unusable vector.
        """
        topk = validation.integer("topk", topk, 1)
        similarity = validation.number("similarity", similarity, -1.0, 1.0)
        vector = self.encode_queries(text)
        return MatchDenseExpr(
            f"q_{len(vector)}_vec", tuple(vector), "float", "cosine", topk, {"similarity": similarity}
        )

    def _encode(self, texts: list[str], name: str | None = None) -> list[list[float]]:
        if _has(self._provider, "encode"):
            answer = self._call(self._provider.encode, texts)
        elif callable(self._provider):
            answer = self._call(self._provider, texts)
        else:
            answer = [self._query(text) for text in texts]
        if isinstance(answer, np.ndarray):
            answer = answer.tolist()
        if not isinstance(answer, (list, tuple)):
            raise validation.fail("the embedding provider's answer", answer, "a list of vectors", EmbeddingError)
        if len(answer) != len(texts):
            raise EmbeddingError(f"the embedding provider gave {len(answer)} vectors for {len(texts)} texts")
        return [self._checked(name or f"vectors[{index}]", vector) for index, vector in enumerate(answer)]

    def _query(self, text: str) -> Any:
        """Return the provider's answer for one query; of a list of one vector, that vector."""
        answer = self._call(self._provider.encode_queries, text)
        return answer[0] if _is_list(answer) and len(answer) == 1 and _is_list(answer[0]) else answer

    def _call(self, function: Callable[[Any], Any], argument: Any) -> Any:
        try:
            answer = function(argument)
        except HybridSearchError:
            raise
        except Exception as problem:
            raise EmbeddingError(f"the embedding provider failed: {validation.foreign_error(problem)}") from problem
        awaitable.refuse_answer("the embedding provider", answer, EmbeddingError)
        return answer

    def _checked(self, name: str, value: Any) -> list[float]:
        vector = validation.vector(name, value, error=EmbeddingError)
        if numeric.dot(vector, vector) == 0.0:
            raise EmbeddingError(f"{name} must not be zero: its squared norm is 0")
        with self._lock.mutex:
            if self._dimension is None:
                self._dimension = len(vector)
        if len(vector) != self._dimension:
            raise EmbeddingError(f"{name} must have {self._dimension} components, not {len(vector)}")
        return vector


def _told(provider: Any, name: str, kind: type) -> Any:
    """What a provider tells of itself; an attribute of another type is one of its own."""
    value = getattr(provider, name, None)
    return value if isinstance(value, kind) else None


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple)) or (isinstance(value, np.ndarray) and value.ndim > 0)


def _has(provider: Any, method: str) -> bool:
    return callable(getattr(provider, method, None))

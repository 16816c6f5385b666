"""Turns texts into vectors with any embedding provider (EMB-1, EMB-2)."""

from collections.abc import Sequence
from typing import Any, TypedDict, Unpack

from hybrid_search.base import numeric, validation
from hybrid_search.base.process_lock import ProcessLock
from hybrid_search.embedding import provider as embedding_provider
from hybrid_search.embedding.embedding_choice import OPTIONS, EmbeddingChoice
from hybrid_search.errors import EmbeddingError
from hybrid_search.protocols import Embedder
from hybrid_search.query_builder.expressions import MatchDenseExpr

LARGE_ENOUGH = 1e-150
"""The square of a component of this size is above 0."""


class EmbeddingOptions(TypedDict, total=False):
    """The options of a named model.

    Attributes:
        dimension: the number of components, for hashing and openai.
        url: the address of the service, for openai.
        query_prefix: replaces the prefix that the model is known to need; "" means no prefix.
        passage_prefix: likewise.
    """

    dimension: int
    url: str
    query_prefix: str
    passage_prefix: str


class Embedding:
    """Checked access to an embedding provider.

    A provider is a callable that maps a list of texts to the same number of vectors, or an object with `encode(texts)`
    or `encode_queries(text)` or both. In spite of its name `encode_queries` is called with one text, and returns one
    vector, or a list of that one vector. Objects of other libraries are accepted unchanged: of sentence-transformers
    (`encode_document` and `encode_query`, which know the prompts of a model, before `encode`), LangChain
    (`embed_documents`, `embed_query`), LlamaIndex (`get_text_embedding_batch`, `get_query_embedding`) and fastembed
    (`passage_embed` or `embed`, `query_embed`). Arrays and generators are accepted for lists. Vectors must be
    one-dimensional, finite, not zero, with a squared norm that neither overflows nor is 0, and all of one length.

    If a provider has an attribute `needs_model` that is false, its vectors cost nothing, and an index stores the
    records in larger batches (IDX-3).

    Safe to use from several threads if the provider is.
    """

    @validation.known_options(("provider", "model", "dimension"))
    def __init__(
        self,
        provider: Embedder,
        model: str | None = None,
        dimension: int | None = None,
    ) -> None:
        """Wrap a provider.

        Args:
            provider: see above.
            model: the name of the model; default: the provider's `model` or `model_name`, or an empty name.
            dimension: the number of components of every vector; default: that of the provider, or of its first vector.

        Raises:
            InvalidInputError: the provider is not a callable and has none of the methods, or must be awaited (ASY-1);
                or an option is wrong.
        """
        accepted = embedding_provider.accept("provider", provider)
        model = accepted.model if model is None else model
        dimension = accepted.told("dimension", int) if dimension is None else dimension
        self._provider = accepted
        self._model = "" if model is None else validation.text("model", model)
        self._dimension = None if dimension is None else validation.integer("dimension", dimension, 1)
        self._lock = ProcessLock()

    @classmethod
    def named(cls, name: str, **options: Unpack[EmbeddingOptions]) -> "Embedding":
        """Return the embedding of a model by its name (EMB-4).

        Args:
            name: a family, and after a slash a model: "fastembed", "sentence-transformers/BAAI/bge-m3",
                "openai/text-embedding-3-small" …
            options: see `EmbeddingOptions`.

        Raises:
            InvalidInputError: an unknown name or option, or one that the family does not have.
            ConfigurationError: the library of the family is not installed; the message names the extra.
        """
        validation.known("option", options, OPTIONS)
        made = cls.chosen(EmbeddingChoice.named(name, **options))
        assert made is not None, "every family embeds"
        return made

    @classmethod
    def chosen(cls, choice: EmbeddingChoice | None) -> "Embedding | None":
        """Return the embedding of a choice that a file states, `None` without one.

        Raises:
            ConfigurationError: its library is not installed; the message names the extra.
        """
        provider = None if choice is None else choice.provider()
        return None if provider is None else cls(provider)

    @property
    def model(self) -> str:
        """The name of the model; may be empty."""
        return self._model

    @property
    def dimension(self) -> int | None:
        """Return the number of components of every vector; `None` until it is known."""
        return self._dimension

    @property
    def needs_model(self) -> bool:
        """Whether a model makes the vectors, which takes time or money; a `HashingEmbedder` needs none."""
        return self._provider.needs_model

    def encode_queries(self, text: str) -> list[float]:
        """Return the vector of one query.

        Raises:
            InvalidInputError: `text` is not a text of valid Unicode.
            EmbeddingError: the provider failed or returned an unusable vector.
        """
        validation.text("text", text)
        if self._provider.has_questions:
            return self._checked("the query's vector", self._provider.of_a_question(text))
        return self._encode([text], "the query's vector")[0]

    def encode(self, texts: Sequence[str]) -> list[list[float]]:
        """Return the vectors of texts, in their order; without texts the provider is not called.

        Raises:
            InvalidInputError: `texts` is not a list of texts of valid Unicode.
            EmbeddingError: the provider failed, or returned another number of vectors or an unusable one.
        """
        checked = validation.texts("texts", texts)
        return self._encode(checked) if checked else []

    def match_dense(self, text: str, topk: int, similarity: float) -> MatchDenseExpr:
        """Return the nearest-neighbour query for a text.

        Args:
            text: the query.
            topk: the maximum number of documents, at least 1.
            similarity: the lowest cosine of a match, -1 to 1.

        Raises:
            InvalidInputError: an argument is not acceptable.
            EmbeddingError: the provider failed or returned an unusable vector.
        """
        topk = validation.integer("topk", topk, 1)
        similarity = validation.number("similarity", similarity, -1.0, 1.0)
        vector = self.encode_queries(text)
        return MatchDenseExpr(
            f"q_{len(vector)}_vec", tuple(vector), "float", "cosine", topk, {"similarity": similarity}
        )

    def _encode(self, texts: list[str], name: str | None = None) -> list[list[float]]:
        answer = self._provider.of_texts(texts)
        if not isinstance(answer, (list, tuple)):
            raise validation.fail("the embedding provider's answer", answer, "a list of vectors", EmbeddingError)
        if len(answer) != len(texts):
            raise EmbeddingError(f"the embedding provider gave {len(answer)} vectors for {len(texts)} texts")
        return [self._checked(name or f"vectors[{index}]", vector) for index, vector in enumerate(answer)]

    def _checked(self, name: str, value: Any) -> list[float]:
        vector = validation.vector(name, value, error=EmbeddingError)
        if _is_zero(vector):
            raise EmbeddingError(f"{name} must not be zero: its squared norm is 0")
        with self._lock.mutex:
            if self._dimension is None:
                self._dimension = len(vector)
        if len(vector) != self._dimension:
            raise EmbeddingError(f"{name} must have {self._dimension} components, not {len(vector)}")
        return vector


def _is_zero(vector: list[float]) -> bool:
    """Return whether the squared norm of a vector is 0: of zeros, and of components whose squares are too small."""
    first = next(filter(None, vector), 0.0)
    return abs(first) < LARGE_ENOUGH and numeric.dot(vector, vector) == 0.0

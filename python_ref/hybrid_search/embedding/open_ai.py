"""An embedding provider behind HTTP: the endpoint that OpenAI made common (EMB-2)."""

import base64
import binascii
import struct
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn, Unpack

from hybrid_search.base import validation
from hybrid_search.client.deadline import Deadline
from hybrid_search.client.endpoint import Endpoint
from hybrid_search.client.http_client import DEFAULTS, ConnectionOptions, HttpClient
from hybrid_search.errors import DimensionMismatchError, EmbeddingError, InvalidInputError

OPTIONS = (
    "base_url",
    "model",
    "dimension",
    "batch_size",
    "encoding_format",
    "query_prefix",
    "passage_prefix",
    "extra",
    *DEFAULTS,
)
OWN_FIELDS = ("model", "input", "encoding_format")
PER_CHARACTER = 16
"""The maximum memory, in bytes, that decoding takes for each character of base64."""

FORMATS = ("float", "base64")


class OpenAiEmbedder:
    """A provider for `Embedding`: posts {model, input, encoding_format} to `{base_url}/embeddings`.

    OpenAI, vLLM, Text Embeddings Inference, Ollama and many more serve it. Safe to use from several threads.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        dimension: int | None = None,
        batch_size: int = 32,
        encoding_format: str = "float",
        query_prefix: str = "",
        passage_prefix: str = "",
        extra: Mapping[str, Any] | None = None,
        **options: Unpack[ConnectionOptions],
    ) -> None:
        """Make a client; nothing is called yet.

        Args:
            base_url: the address without `/embeddings`: `https://api.openai.com/v1`, `http://localhost:8000/v1` …
            model: the name of the model.
            dimension: the number of components that every vector must have; `None`: that of the first vector is used.
            batch_size: the maximum number of texts in one request, at least 1.
            encoding_format: "float", or "base64" (32-bit floats), which is shorter and much faster to read.
            query_prefix: the text before every query, for models that need one ("query: " …).
            passage_prefix: the text before every other text.
            extra: additional fields of each request, plain data; `{"dimensions": 256}` asks OpenAI for shorter vectors.
            options: see `ConnectionOptions`.

        Raises:
            InvalidInputError: an option is unknown or not acceptable.
        """
        validation.known("option", options, OPTIONS)
        Endpoint("base_url", base_url)
        path, question_mark, query = validation.text("base_url", base_url).partition("?")
        self._endpoint = Endpoint("base_url", f"{path.rstrip('/')}/embeddings{question_mark}{query}")
        self._model = validation.text("model", model)
        self._dimension = None if dimension is None else validation.integer("dimension", dimension, 1)
        self._batch_size = validation.integer("batch_size", batch_size, 1)
        self._encoding_format = validation.choice("encoding_format", encoding_format, FORMATS)
        self._query_prefix = validation.text("query_prefix", query_prefix)
        self._passage_prefix = validation.text("passage_prefix", passage_prefix)
        self._extra = HttpClient.plain("extra", {} if extra is None else extra)
        for name in self._extra:
            if name in OWN_FIELDS:
                raise InvalidInputError(f"extra must not hold {validation.describe(name)}: the client sets it")
        self._client = HttpClient("the embedding service", self._endpoint, EmbeddingError, **options)

    def __repr__(self) -> str:
        return f"OpenAiEmbedder {self._endpoint.shown}"

    @property
    def model(self) -> str:
        """The name of the model, for caches."""
        return self._model

    @property
    def dimension(self) -> int | None:
        """Return the number of components that every vector must have; `None` unless it was given."""
        return self._dimension

    def encode_queries(self, text: str) -> list[float]:
        """Return the vector of one query.

        Raises:
            InvalidInputError: `text` is not a text of valid Unicode.
            ConfigurationError: a key is configured but missing.
            EmbeddingError: the service failed or was late, or returned no usable vector.
        """
        return self._vectors([self._query_prefix + validation.text("text", text)])[0]

    def encode(self, texts: Sequence[str]) -> list[list[float]]:
        """Return the vectors of texts, in their order; without texts the service is not called.

        Raises:
            InvalidInputError: `texts` is not a list of texts of valid Unicode.
            ConfigurationError: a key is configured but missing.
            EmbeddingError: the service failed or was late, or did not return one usable vector for each text.
        """
        return self._vectors([self._passage_prefix + text for text in validation.texts("texts", texts)])

    def read(self, answer: Any, count: int) -> list[list[float]]:
        """Return the vectors of a response, one for each text, in the order of the texts.

        Args:
            answer: the response of the service, as plain data, in any order.
            count: the number of texts that were sent.

        Raises:
            EmbeddingError: the data is not one usable vector for each text.
        """
        data = answer.get("data") if isinstance(answer, dict) else None
        if not isinstance(data, list):
            self._fail("returned no list of data")
        self._check_memory(data)
        vectors: dict[int, list[float]] = {}
        for place, entry in enumerate(data):
            if not isinstance(entry, dict):
                self._fail(f"returned data that is not an object: data[{place}]")
            index = self._index(f"data[{place}].index", entry.get("index"), count)
            if index in vectors:
                self._fail(f"returned two vectors for the text of index {index}")
            vectors[index] = self._vector(f"data[{place}].embedding", entry.get("embedding"))
        for index in range(count):
            if index not in vectors:
                self._fail(f"returned {len(vectors)} vectors for {count} texts: index {index} is missing")
        return [vectors[index] for index in range(count)]

    def _check_memory(self, data: list[Any]) -> None:
        """Refuse base64 whose components would take more memory than responses may; those in JSON have been counted."""
        embeddings = [entry.get("embedding") for entry in data if isinstance(entry, dict)]
        characters = sum(len(embedding) for embedding in embeddings if isinstance(embedding, str))  # whole numbers
        if PER_CHARACTER * characters > self._client.most_memory:
            self._fail("returned vectors that would take too much memory")

    def _vectors(self, texts: list[str]) -> list[list[float]]:
        deadline = self._client.deadline_from_now()
        vectors: list[list[float]] = []
        for start in range(0, len(texts), self._batch_size):
            vectors += self._batch(texts[start : start + self._batch_size], deadline)
        return vectors

    def _batch(self, texts: list[str], deadline: Deadline) -> list[list[float]]:
        payload = {"model": self._model, "input": texts, "encoding_format": self._encoding_format, **self._extra}
        post = self._client.post_json
        vectors: list[list[float]] = post(payload, deadline, lambda answer: self.read(answer, len(texts)))
        return vectors

    def _index(self, name: str, value: Any, count: int) -> int:
        try:
            return validation.integer(name, value, 0, count - 1)
        except InvalidInputError as problem:
            self._fail(f"returned unusable data: {problem}")

    def _vector(self, name: str, value: Any) -> list[float]:
        components = self._decoded(name, value) if isinstance(value, str) else value
        try:
            return validation.vector(name, components, self._dimension, EmbeddingError)
        except (EmbeddingError, DimensionMismatchError) as problem:
            self._fail(f"returned unusable data: {problem}")

    def _decoded(self, name: str, value: str) -> list[float]:
        """Return the components in base64 text: 32-bit floats, the lowest byte first."""
        try:
            packed = base64.b64decode(value, validate=True)
        except (binascii.Error, ValueError):
            packed = b""
        if not packed or len(packed) % 4 or base64.b64encode(packed).decode("ascii") != value:
            self._fail(f"returned unusable data: {name} is not base64 of 32-bit floats")
        return list(struct.unpack(f"<{len(packed) // 4}f", packed))

    def _fail(self, problem: str) -> NoReturn:
        raise EmbeddingError(f"the embedding service at {self._endpoint.shown} {problem}")

"""Calls a rerank model over HTTP (RNK-4), as Jina, Cohere, vLLM and Text Embeddings Inference serve it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn, Unpack

from hybrid_search.base import validation
from hybrid_search.client.deadline import Deadline
from hybrid_search.client.endpoint import Endpoint
from hybrid_search.client.http_client import DEFAULTS, ConnectionOptions, HttpClient
from hybrid_search.errors import InvalidInputError, RerankError

OPTIONS = ("url", "model", "shape", "batch_size", "extra", *DEFAULTS)
SHAPES = ("standard", "tei")
OWN_FIELDS = {"standard": ("model", "query", "documents", "top_n"), "tei": ("query", "texts")}


class HttpReranker:
    """A model for `Reranker.rerank_by_model`, `PartialRerank` and all other places that take a rerank model.

    Its scores are the service's own, in the order of the texts; the caller scales them (RNK-3). Safe to share between
    threads.

    Two shapes of requests are known:
        standard: sends {model, query, documents, top_n}, receives {results: [{index, relevance_score}, …]}.
        tei: sends {query, texts}, receives [{index, score}, …], as Text Embeddings Inference does.
    """

    def __init__(
        self,
        url: str,
        model: str = "",
        *,
        shape: str = "standard",
        batch_size: int = 64,
        extra: Mapping[str, Any] | None = None,
        **options: Unpack[ConnectionOptions],
    ) -> None:
        """Make a client; the service is not called yet.

        Args:
            url: the whole address: `https://api.cohere.com/v2/rerank`, `http://localhost:8000/v1/rerank` …
            model: the name of the model, required by the standard shape.
            shape: "standard" or "tei".
            batch_size: the maximum number of texts in a request, at least 1; many servers of the tei shape accept at
                most 32.
            extra: further fields of each request, plain data.
            options: see `ConnectionOptions`.

        Raises:
            InvalidInputError: an option is unknown or not acceptable.
        """
        validation.known("option", options, OPTIONS)
        self._endpoint = Endpoint("url", url)
        self._model = validation.text("model", model)
        self._shape = validation.choice("shape", shape, SHAPES)
        if self._shape == "standard" and not self._model:
            raise InvalidInputError("model must not be empty: the standard shape names the model in each request")
        self._batch_size = validation.integer("batch_size", batch_size, 1)
        self._extra = HttpClient.plain("extra", {} if extra is None else extra)
        for name in self._extra:
            if name in OWN_FIELDS[self._shape]:
                raise InvalidInputError(f"extra must not hold {validation.describe(name)}: the client sets it")
        self._client = HttpClient("the rerank service", self._endpoint, RerankError, **options)

    def __repr__(self) -> str:
        return f"HttpReranker {self._endpoint.shown}"

    @property
    def model(self) -> str:
        """The name of the model; may be empty."""
        return self._model

    def similarity(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return the service's scores of the texts, in their order; without texts the service is not called.

        Raises:
            InvalidInputError: an argument is not acceptable.
            ConfigurationError: a key is configured but missing.
            RerankError: the service failed or was late, or its results are not one finite score for each text.
        """
        return self._scores(query, texts, self._client.deadline_from_now())

    def limited_to(self, seconds: float) -> Callable[[str, Sequence[str]], list[float]]:
        """Return the same as `similarity`, for calls that together end within `seconds` from now (RNK-7).

        Args:
            seconds: the time limit, in addition to the option `deadline`.
        """
        deadline = self._client.deadline_from_now(seconds)
        return lambda query, texts: self._scores(query, texts, deadline)

    def read(self, answer: Any, count: int) -> list[float]:
        """Return the scores of a response, one for each text, in any order of its results.

        Args:
            answer: the response of the service, as plain data.
            count: the number of texts that were sent to it.

        Raises:
            RerankError: the results are not one finite score for each text.
        """
        inner = answer.get("results") if isinstance(answer, dict) else None
        results = inner if self._shape == "standard" else answer
        if not isinstance(results, list):
            self._fail("returned no list of results")
        field = "relevance_score" if self._shape == "standard" else "score"
        scores: dict[int, float] = {}
        for place, result in enumerate(results):
            if not isinstance(result, dict):
                self._fail(f"returned a result that is not an object: results[{place}]")
            index = self._checked(validation.integer, f"results[{place}].index", result.get("index"), 0, count - 1)
            if index in scores:
                self._fail(f"returned two results for the text of index {index}")
            scores[index] = self._checked(validation.number, f"results[{place}].{field}", result.get(field))
        for index in range(count):
            if index not in scores:
                self._fail(f"returned {len(scores)} results for {count} texts: index {index} is missing")
        return [scores[index] for index in range(count)]

    def _scores(self, query: str, texts: Sequence[str], deadline: Deadline) -> list[float]:
        query = validation.text("query", query)
        checked = validation.texts("texts", texts)
        scores: list[float] = []
        for start in range(0, len(checked), self._batch_size):
            batch = checked[start : start + self._batch_size]
            scores += self._batch(query, batch, deadline)
        return scores

    def _batch(self, query: str, texts: list[str], deadline: Deadline) -> list[float]:
        payload = self._payload(query, texts)
        scores: list[float] = self._client.post_json(payload, deadline, lambda answer: self.read(answer, len(texts)))
        return scores

    def _payload(self, query: str, texts: list[str]) -> dict[str, Any]:
        if self._shape == "tei":
            return {"query": query, "texts": texts, **self._extra}
        return {"model": self._model, "query": query, "documents": texts, "top_n": len(texts), **self._extra}

    def _checked(self, check: Callable[..., Any], *arguments: Any) -> Any:
        try:
            return check(*arguments)
        except InvalidInputError as problem:
            self._fail(f"returned an unusable result: {problem}")

    def _fail(self, problem: str) -> NoReturn:
        raise RerankError(f"the rerank service at {self._endpoint.shown} {problem}")

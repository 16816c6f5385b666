"""Operations of what network clients decide without a network (RNK-4, EMB-2)."""

from typing import Any

from conformance.implementations.python.registry import Trace, operation
from hybrid_search.embedding.open_ai import OpenAiEmbedder
from hybrid_search.errors import HybridSearchError
from hybrid_search.network.api_key import ApiKey
from hybrid_search.network.endpoint import Endpoint
from hybrid_search.network.retry_policy import RetryPolicy
from hybrid_search.network.timing import Timing
from hybrid_search.reranker.http_reranker import HttpReranker


@operation("network.delays", {"max_retries": 2, "backoff": 0.5, "max_backoff": 8.0, "now": 0.0, "chance": 0.0})
def delays(params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """How long to wait after failed attempts: [attempt, Retry-After]."""
    timing = Timing(now=lambda: float(params["now"]), chance=lambda: float(params["chance"]))
    policy = RetryPolicy(params["max_retries"], params["backoff"], params["max_backoff"], timing)
    return [policy.delay(attempt, retry_after) for attempt, retry_after in given["failed"]]


@operation("network.retryable")
def retryable(_params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """Whether a call that got a status may be repeated."""
    return [RetryPolicy.is_retryable(status) for status in given["statuses"]]


@operation("network.endpoint")
def endpoint(_params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """The parts of an address."""
    read = Endpoint("url", given["url"])
    return {
        "secure": read.secure,
        "host": read.host,
        "port": read.port,
        "authority": read.authority,
        "target": read.target,
        "shown": read.shown,
    }


@operation("network.api_key", {"api_key_header": "Authorization"})
def api_key(params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """The header that carries a key; `raise` in its place makes the callable fail."""

    def give() -> Any:
        if given["key"] == "raise":
            raise RuntimeError("secret words")
        return given["key"]

    read = ApiKey(give, None, params["api_key_header"])
    return read.headers(read.read())


@operation("network.key_shown")
def key_shown(_params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """Which texts show a key, or enough of it."""
    return [ApiKey.is_in(given["key"], text) for text in given["texts"]]


@operation("network.rerank_answer", {"shape": "standard"})
def rerank_answer(params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """The scores in a rerank service's answer."""
    client = HttpReranker("http://localhost/rerank", "model", shape=params["shape"])
    return client.read(given["answer"], given["count"])


@operation("network.embedding_answer", {"dimension": None})
def embedding_answer(params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """The vectors in an embedding service's answer."""
    client = OpenAiEmbedder("http://localhost/v1/", "model", dimension=params["dimension"])
    return client.read(given["answer"], given["count"])


@operation("network.options", {"options": {}})
def options(params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """What the clients' constructors make of options: true, or class and message of the error."""
    made: dict[str, Any] = {}
    for name, client in (("reranker", HttpReranker), ("embedder", OpenAiEmbedder)):
        try:
            client(given["url"], given["model"], **params["options"])
            made[name] = True
        except HybridSearchError as problem:
            made[name] = [type(problem).__name__, str(problem)]
    return made

"""Operations of what network clients decide without a network (RNK-4, EMB-2, OS-3)."""

import os
from typing import Any
from unittest import mock

from conformance.implementations.python import log_lines
from conformance.implementations.python.registry import Trace, operation
from conformance.implementations.python.scripted_service import ScriptedService
from hybrid_search.client.answer_json import AnswerJson
from hybrid_search.client.api_key import ApiKey
from hybrid_search.client.endpoint import Endpoint
from hybrid_search.client.exchange_error import ExchangeError
from hybrid_search.client.response_reader import ResponseReader
from hybrid_search.client.retry_policy import RetryPolicy
from hybrid_search.client.service_words import ServiceWords
from hybrid_search.client.timing import Timing
from hybrid_search.doc_store_adapter.opensearch.opensearch_addresses import OpenSearchAddresses
from hybrid_search.embedding.open_ai import OpenAiEmbedder
from hybrid_search.errors import HybridSearchError
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
    """The header that carries a key; `raise` in its place makes the callable fail.

    A case without a `key` has no callable; its key may be in the `variable` of an `environment`.
    """

    def give() -> Any:
        if given["key"] == "raise":
            raise RuntimeError("secret words")
        return given["key"]

    with mock.patch.dict(os.environ, given.get("environment", {})):
        read = ApiKey(give if "key" in given else None, given.get("variable"), params["api_key_header"])
        return read.headers(read.read())


@operation("network.addresses", {"count": 3})
def addresses(params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """The places that each `choose` of a number gives, after `fail` or `succeed` of a place, or `wait` of seconds."""
    seconds = [0.0]
    chosen = OpenSearchAddresses(params["count"], lambda: seconds[0])

    def step(method: str, argument: Any) -> Any:
        if method == "choose":
            return [chosen.choose() for _ in range(argument)]
        if method == "wait":
            seconds[0] += argument
            return None
        return {"fail": chosen.fail, "succeed": chosen.succeed}[method](argument)

    return [step(*each) for each in given["turns"]]


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


@operation("network.response", {"max_response_bytes": 1000})
def response(params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """What is read from the bytes of an answer; all outcomes if it matters how they are split.

    A piece is a text, `{"hex": …}` or `{"repeat": [text, times]}`.
    """
    pieces = [_bytes(piece) for piece in given["pieces"]]
    whole = b"".join(pieces)
    splits = [pieces, [whole], _cut(whole, 1), _cut(whole, 7)]
    outcomes = [_read_response(split, params["max_response_bytes"]) for split in splits]
    return outcomes[0] if outcomes == outcomes[:1] * len(outcomes) else outcomes


def _cut(whole: bytes, size: int) -> list[bytes]:
    return [whole[start : start + size] for start in range(0, len(whole), size)]


def _read_response(pieces: list[bytes], max_response_bytes: int) -> Any:
    waiting = [piece for piece in reversed(pieces) if piece]

    def read(most: int) -> bytes:
        piece = waiting.pop() if waiting else b""
        if piece[most:]:
            waiting.append(piece[most:])
        return piece[:most]

    try:
        answer = ResponseReader(read, max_response_bytes).answer()
    except ExchangeError as problem:
        return {"problem": problem.problem, "retryable": problem.retryable}
    body = answer.body.decode("utf-8", "surrogateescape")
    return {"status": answer.status, "retry_after": answer.retry_after, "body": body}


def _bytes(piece: Any) -> bytes:
    if isinstance(piece, str):
        return piece.encode("utf-8")
    return bytes.fromhex(piece["hex"]) if "hex" in piece else piece["repeat"][0].encode("utf-8") * piece["repeat"][1]


@operation("network.answer_json", {"max_response_bytes": 33_554_432})
def answer_json(params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """The value of the JSON in a body; pieces as for `network.response`."""
    body = bytearray().join(_bytes(piece) for piece in given["pieces"])
    try:
        return {"value": AnswerJson.parse(body, params["max_response_bytes"])}
    except ExchangeError as problem:
        return {"problem": problem.problem, "retryable": problem.retryable}


@operation("network.secrets")
def secrets(_params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """What of an address must not be shown."""
    return Endpoint("url", given["url"]).secrets


@operation("network.service_words")
def service_words(_params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """What a service says of an error; pieces as for `network.response`."""
    body = bytearray().join(_bytes(piece) for piece in given["pieces"])
    return ServiceWords.find(body, given["secrets"])


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


@operation("network.calls", {"options": {}, "key": None, "chance": 0.0})
def calls(params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """What a client makes of the `answers` of a service, and what it sends (see `ScriptedService`).

    The `client` is an embedder or a reranker; each of `calls` is a method and its arguments, those of `limited_to`
    followed by those of each call of what it gives.
    """
    service = ScriptedService(given["answers"])
    options = {**params["options"], "timing": service.timing(params["chance"])}
    if params["key"] is not None:
        options["api_key"] = lambda: params["key"]
    made = {"embedder": OpenAiEmbedder, "reranker": HttpReranker}[given["client"]]
    client: Any = made(given["url"], given["model"], **options)
    client._client._exchange = service
    with log_lines.kept() as lines:
        answers = [_called(client, *call) for call in given["calls"]]
    target = client._endpoint.target
    return {"target": target, "answers": answers, "sent": service.sent, "slept": service.slept, "lines": lines}


def _called(client: Any, method: str, *arguments: Any) -> Any:
    try:
        if method == "limited_to":
            limited = client.limited_to(arguments[0])
            return [limited(*each) for each in arguments[1:]]
        return getattr(client, method)(*arguments)
    except HybridSearchError as problem:
        return {"error": type(problem).__name__, "message": str(problem)}

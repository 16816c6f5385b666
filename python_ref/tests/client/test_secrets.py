"""No key is in any message, traceback or local variable of a traceback, for any response of the service."""

import json
import logging
import traceback

import pytest

from hybrid_search.embedding.open_ai import OpenAiEmbedder
from hybrid_search.errors import ConfigurationError, HybridSearchError
from hybrid_search.reranker.http_reranker import HttpReranker
from hybrid_search.reranker.rerank_model import RerankModel

from .raw_server import answer, raw_server, request, told

KEY = "sk-Very.Secret-0123456789"
IN_QUERY = "query/Secret+ABC"
ENCODED = "query%2FSecret%2BABC"
PACKAGE = "hybrid_search/"


def shown(problem):
    """Return everything visible of an error and its causes: the messages and the local variables of our frames."""
    told = []
    waiting = [problem]
    while waiting:
        current = waiting.pop()
        if current is None:
            continue
        told += [str(current), repr(current), repr(vars(current)), *traceback.format_exception(current)]
        told += [
            f"{frame.f_code.co_qualname}: {frame.f_locals!r}"
            for frame, _ in traceback.walk_tb(current.__traceback__)
            if PACKAGE in frame.f_code.co_filename
        ]
        waiting += [current.__cause__, current.__context__]
    return "\n".join(told)


def pieces(secret):
    return {secret[start : start + 6] for start in range(len(secret) - 5)}


def assert_hidden(problem):
    everything = shown(problem)
    assert "post_json" in everything or isinstance(problem, ConfigurationError)
    assert [piece for secret in (KEY, IN_QUERY, ENCODED) for piece in pieces(secret) if piece in everything] == []


def body(value):
    return json.dumps(value).encode()


BROKEN = [
    answer("401 No", body({"error": {"message": f"Incorrect key {KEY}"}})),
    answer("403 No", body({"detail": f"unknown key {IN_QUERY}"})),
    answer("403 No", body({"message": f"unknown key {ENCODED[:14]}…"})),
    answer("500 No", body({"error": KEY})),
    answer("500 No", KEY.encode()),
    answer("302 No", fields=f"Location: http://elsewhere/?key={KEY}\r\n"),
    answer("200 OK", KEY.encode()),
    answer("200 OK", body({KEY: IN_QUERY})),
    answer("200 OK", body({"results": [{"index": 0, "relevance_score": KEY}]})),
    answer("200 OK", body({"results": [{"index": IN_QUERY, "relevance_score": 1}]})),
    answer("200 OK", body({"data": [{"index": 0, "embedding": [KEY]}]})),
    answer("200 OK", body({"data": [{"index": 0, "embedding": KEY}]})),
    f"HTTP/1.1 200 OK\r\nX: {KEY}\0\r\n\r\n".encode(),
    f"HTTP/1.1 200 {KEY}\r\nContent-Length: 99\r\n\r\n{KEY}".encode(),
]


def callers(port):
    address = f"http://127.0.0.1:{port}/v1?key={ENCODED}&version=2"
    options = {"api_key": lambda: KEY, "deadline": 5.0, "max_retries": 1, "backoff": 0.0}
    reranker = HttpReranker(address, "model", **options)
    yield lambda: reranker.similarity("q", ["a"])
    yield lambda: RerankModel(reranker, fail_open=False).scores("q", ["a"])
    yield lambda: OpenAiEmbedder(address, "model", **options).encode(["a"])


@pytest.mark.parametrize("sent", BROKEN, ids=range(len(BROKEN)))
def test_no_key_is_shown_for_any_response(sent, caplog):
    caplog.set_level(logging.DEBUG, "hybrid_search")
    with raw_server(told(sent)) as port:
        for call in callers(port):
            with pytest.raises(HybridSearchError) as problem:
                call()
            assert_hidden(problem.value)
    assert [piece for secret in (KEY, IN_QUERY, ENCODED) for piece in pieces(secret) if piece in caplog.text] == []
    assert "attempt 2 follows" in caplog.text or not sent.startswith(b"HTTP/1.1 500")


def test_the_check_finds_keys_in_local_variables_of_the_library():
    model = RerankModel(lambda query, texts: {"here": KEY}, fail_open=False)
    with pytest.raises(HybridSearchError) as problem:
        model.scores("q", ["a"])
    assert KEY in shown(problem.value)


def test_the_key_and_the_query_are_sent_to_the_service():
    seen = []

    def act(connection):
        seen.append(request(connection).decode())
        connection.sendall(answer("200 OK", body({"results": [{"index": 0, "relevance_score": 1}]})))
        connection.close()

    with raw_server(act) as port:
        next(callers(port))()
    assert seen[0].startswith(f"POST /v1?key={ENCODED}&version=2 HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n")
    assert f"\r\nAuthorization: Bearer {KEY}\r\n" in seen[0]


def test_other_messages_of_the_service_are_shown():
    with raw_server(told(answer("403 No", body({"detail": "version 2 is gone"})))) as port:
        for call in callers(port):
            with pytest.raises(HybridSearchError, match='returned status 403: "version 2 is gone"'):
                call()


def test_no_failing_callable_and_no_bad_key_is_shown():
    def fail():
        key = KEY
        raise RuntimeError(f"cannot decrypt {key}")

    for give in (fail, lambda: KEY + "\n", lambda: [KEY]):
        with pytest.raises(ConfigurationError) as problem:
            HttpReranker("http://127.0.0.1:9/", "model", api_key=give).similarity("q", ["a"])
        assert_hidden(problem.value)


def test_an_invalid_key_of_the_environment_is_not_shown(monkeypatch):
    monkeypatch.setenv("SERVICE_TEST_KEY", KEY + " é")
    with pytest.raises(ConfigurationError) as problem:
        HttpReranker("http://127.0.0.1:9/", "model", api_key_env="SERVICE_TEST_KEY").similarity("q", ["a"])
    assert_hidden(problem.value)

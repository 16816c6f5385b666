"""Scenarios for the clients of both languages: the behaviour of the server, and the expected outcome."""

from dataclasses import dataclass, field
from typing import Any

TEXTS = ["a red fox", "the dog", "规则 6-2-1", "fox 🦊 red", "", "red"]
BUSY = {"status": 503, "raw": '{"error": {"message": "busy"}}'}
QUICK = {"backoff": 0.0, "read_timeout": 5.0}
SECRET = "sk-Very.Secret-qzjxkvwpyh"  # no digits, which could be part of a duration


@dataclass(frozen=True)
class Scenario:
    """One call of a client.

    Attributes:
        name: unique, also what the server knows it by.
        kind: reranker, tei, embedder, partial (a partial rerank by the HTTP reranker) or many (eight threads).
        steps: the actions of the server for its requests, one after the other.
        options: of the client.
        requests: the number that the server must have received.
        error: the text that the error, or the warning, must contain; `None`: no error.
        seconds: the longest duration of the call.
        key: whether the client is given a key.
        texts: the texts to send.
        scheme: of the address.
    """

    name: str
    kind: str = "reranker"
    steps: list[dict[str, Any]] = field(default_factory=list)
    options: dict[str, Any] = field(default_factory=dict)
    requests: int = 1
    error: str | None = None
    seconds: float = 15.0
    key: bool = False
    texts: list[str] = field(default_factory=lambda: list(TEXTS))
    scheme: str = "http"


def results(*pairs: tuple[Any, Any]) -> dict[str, str]:
    """Return a step that responds with these results, values as JSON text."""
    entries = ",".join(f'{{"index":{index},"relevance_score":{score}}}' for index, score in pairs)
    return {"raw": f'{{"results":[{entries}]}}'}


GOOD = [
    Scenario("plain"),
    Scenario("no_texts", texts=[], requests=0),
    Scenario("batches", options={"batch_size": 2}, requests=3),
    Scenario("batches_with_a_rest", options={"batch_size": 4}, requests=2),
    Scenario("reordered", steps=[{"reversed": True}] * 2, options={"batch_size": 3}, requests=2),
    Scenario("tei", "tei", options={"batch_size": 4}, requests=2),
    Scenario("tei_reordered", "tei", [{"reversed": True}]),
    Scenario("embeddings", "embedder", options={"batch_size": 4}, requests=2),
    Scenario("embeddings_reordered", "embedder", [{"reversed": True}]),
    Scenario("embeddings_base64", "embedder", options={"encoding_format": "base64", "dimension": 64}),
    Scenario("embeddings_prefixed", "embedder", options={"passage_prefix": "passage: "}),
    Scenario("extra_fields", options={"extra": {"return_documents": False, "user": "é"}}),
    Scenario("slowly_but_in_time", steps=[{"drip": 0.0005}], options=QUICK),
    Scenario("retried_after_429", steps=[{"status": 429, "headers": {"Retry-After": "0"}}], options=QUICK, requests=2),
    Scenario("retried_after_5xx", steps=[{"status": 500}, BUSY], options=QUICK, requests=3),
    Scenario("retried_after_reset", steps=[{"reset": True}], options=QUICK, requests=2),
    Scenario("retried_after_cut", steps=[{"cut": 20}], options=QUICK, requests=2),
    Scenario("retried_after_silence", steps=[{"never": True}], options={**QUICK, "read_timeout": 0.3}, requests=2),
    Scenario("retried_in_second_batch", steps=[{}, BUSY], options={**QUICK, "batch_size": 3}, requests=3),
    Scenario("with_a_key", key=True),
    Scenario("with_a_key_in_its_own_header", key=True, options={"api_key_header": "Api-Key"}),
    Scenario("eight_threads_two_places", "many", [{"delay": 0.03}] * 8, {"max_concurrency": 2}, 8),
    Scenario("partial", "partial"),
    Scenario("partial_linear", "partial", options={"batch_size": 2}, requests=3),
]

NO_RETRY = {"max_retries": 0}
BAD = [
    Scenario("always_busy", steps=[BUSY] * 9, options=QUICK, requests=3, error='status 503: "busy", 3 attempts'),
    Scenario("busy_once_too_often", steps=[BUSY] * 2, options={**QUICK, "max_retries": 1}, requests=2, error="503"),
    Scenario("never_retried", steps=[BUSY], options={**QUICK, **NO_RETRY}, error='status 503: "busy"'),
    Scenario("refused", steps=[{"status": 400, "raw": '{"detail": "no model"}'}], error='status 400: "no model"'),
    Scenario("forbidden", steps=[{"status": 403, "raw": "<html>"}], error="returned status 403"),
    Scenario(
        "redirected", steps=[{"status": 307, "headers": {"Location": "/plain/rerank"}}], error="redirects are not"
    ),
    Scenario(
        "told_to_wait_too_long", steps=[{"status": 429, "headers": {"Retry-After": "100"}}], error="429, too late"
    ),
    Scenario(
        "told_to_wait_until_a_late_date",
        steps=[{"status": 503, "headers": {"Retry-After": "Fri, 31 Dec 2100 23:59:59 GMT"}}],
        error="503, too late",
    ),
    Scenario("reset", steps=[{"reset": True}] * 3, options=QUICK, requests=3, error="cut the connection, 3 attempts"),
    Scenario("cut", steps=[{"cut": 40}] * 3, options=QUICK, requests=3, error="cut the connection, 3 attempts"),
    Scenario(
        "silent",
        steps=[{"never": True}] * 2,
        options={"read_timeout": 0.2, "max_retries": 1, "backoff": 0.0},
        requests=2,
        error="did not answer within 0.2 seconds, 2 attempts",
    ),
    Scenario("late", steps=[{"delay": 60.0}], options={"deadline": 1.0}, error="before the deadline"),
    Scenario("drop_by_drop", steps=[{"drip": 0.05}], options={"deadline": 1.0}, error="before the deadline"),
    Scenario(
        "late_in_second_batch",
        steps=[{}, {"delay": 60.0}],
        options={"deadline": 2.0, "batch_size": 3},
        requests=2,
        error="before the deadline",
    ),
    Scenario(
        "header_drop_by_drop",
        steps=[{"noise": "HTTP/1.1 200 OK\r\nX: " + "y" * 99, "drip": 0.05}],
        options={"deadline": 1.0},
        error="before the deadline",
    ),
    Scenario("no_http", steps=[{"noise": "what?\r\n\r\n"}], error="returned invalid HTTP"),
    Scenario("huge", steps=[{"huge": 200_000}], options={"max_response_bytes": 1000}, error="more than 1000 bytes"),
    Scenario("html", steps=[{"raw": "<html></html>"}], error="returned invalid JSON"),
    Scenario("nothing", steps=[{"raw": ""}], error="returned invalid JSON"),
    Scenario("half_of_json", steps=[{"raw": '{"results": [{"ind'}], error="returned invalid JSON"),
    Scenario("not_a_number", steps=[results((0, "NaN"))], texts=["a"], error="returned invalid JSON"),
    Scenario("infinite", steps=[results((0, "1e999"))], texts=["a"], error="must be a finite number, not inf"),
    Scenario("text_as_score", steps=[results((0, '"0.5"'))], texts=["a"], error='must be a finite number, not "0.5"'),
    Scenario("too_few", steps=[results((0, 0.5))], texts=["a", "b"], error="index 1 is missing"),
    Scenario("too_many", steps=[results((0, 0.5), (1, 0.5))], texts=["a"], error="results[1].index"),
    Scenario("twice", steps=[results((0, 0.5), (0, 0.5))], texts=["a", "b"], error="two results"),
    Scenario("out_of_range", steps=[results((0, 0.5), (7, 0.5))], texts=["a", "b"], error="from 0 to 1, not 7"),
    Scenario("embeddings_too_few", "embedder", [{"raw": '{"data":[]}'}], texts=["a"], error="index 0 is missing"),
    Scenario("embeddings_of_another_length", "embedder", options={"dimension": 3}, texts=["a"], error="3 components"),
    Scenario("embeddings_refused", "embedder", [{"status": 404}], error="the embedding service at"),
    Scenario("key_in_the_words", key=True, steps=[{"key": True}], error="returned status 401"),
    Scenario(
        "key_in_the_words_of_500",
        key=True,
        steps=[{"key": True, "status": 500}] * 3,
        options=QUICK,
        requests=3,
        error="returned status 500, 3 attempts",
    ),
    Scenario("no_tls", scheme="https", requests=0, error="failed the TLS handshake"),
    Scenario("partial_busy", "partial", [BUSY] * 3, QUICK, 3, "without the rerank model: the rerank service at"),
    Scenario("partial_late", "partial", [{"delay": 60.0}], {"deadline": 1.0}, 1, "before the deadline"),
    Scenario("partial_rubbish", "partial", [{"raw": "[]"}], error="returned no list of results"),
]

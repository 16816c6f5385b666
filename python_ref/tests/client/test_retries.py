"""The pauses before a call is repeated, by a clock that tests control."""

import threading
import time

import pytest

from hybrid_search.client.timing import Timing
from hybrid_search.errors import ConfigurationError, InvalidInputError, RerankError
from hybrid_search.reranker.http_reranker import HttpReranker


class HeldClock:
    """A clock that advances only while a caller sleeps."""

    def __init__(self) -> None:
        self.seconds = 1000.0
        self.slept: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.seconds += seconds

    def timing(self) -> Timing:
        return Timing(clock=lambda: self.seconds, now=lambda: 1445412480.0, sleep=self.sleep, chance=lambda: 0.5)


def reranker(model_server, name, steps, clock, **options):
    url = model_server.tell(name, steps)
    return HttpReranker(f"{url}/rerank", "model", timing=clock.timing(), **options)


def test_waits_double_up_to_a_bound(model_server):
    clock = HeldClock()
    model = reranker(model_server, "doubling", [{"status": 503}] * 5, clock, max_retries=5, max_backoff=3.0)
    assert len(model.similarity("q", ["a"])) == 1
    assert clock.slept == [0.375, 0.75, 1.5, 2.25, 2.25]


def test_retry_after_takes_precedence(model_server):
    clock = HeldClock()
    steps = [
        {"status": 429, "headers": {"Retry-After": "7"}},
        {"status": 503, "headers": {"Retry-After": "Wed, 21 Oct 2015 07:28:03 GMT"}},
        {"status": 503, "headers": {"Retry-After": "soon"}},
    ]
    assert len(reranker(model_server, "asked_to_wait", steps, clock, max_retries=3).similarity("q", ["a"])) == 1
    assert clock.slept == [7.0, 3.0, 1.5]


def test_no_wait_exceeds_the_deadline(model_server):
    clock = HeldClock()
    steps = [{"status": 503, "headers": {"Retry-After": "6"}}] * 9
    model = reranker(model_server, "beyond", steps, clock, max_retries=9, deadline=15.0)
    with pytest.raises(RerankError, match="status 503, 3 attempts, too late for another"):
        model.similarity("q", ["a"])
    assert clock.slept == [6.0, 6.0]


def test_the_deadline_covers_all_batches(model_server):
    clock = HeldClock()
    wait = {"status": 503, "headers": {"Retry-After": "6"}}
    model = reranker(model_server, "all_batches", [wait, {}, wait, {}, wait], clock, batch_size=1, deadline=15.0)
    with pytest.raises(RerankError, match="status 503, too late for another"):
        model.similarity("q", ["a", "b", "c"])
    assert clock.slept == [6.0, 6.0]


def test_a_closed_port_fails_at_once():
    model = HttpReranker("http://127.0.0.1:9/rerank", "model", backoff=0.001)
    started = time.monotonic()
    with pytest.raises(RerankError, match=r"at http://127\.0\.0\.1:9/rerank refused the connection, 3 attempts"):
        model.similarity("q", ["a"])
    assert time.monotonic() - started < 10.0


def test_an_unknown_host_is_reported(monkeypatch):
    def unknown(*_arguments, **_options):
        raise OSError("no such host")

    monkeypatch.setattr("socket.getaddrinfo", unknown)
    with pytest.raises(RerankError, match="cannot be found: its host name has no address, 2 attempts"):
        HttpReranker("http://nowhere/rerank", "model", backoff=0.0, max_retries=1).similarity("q", ["a"])


def test_keys_are_read_from_the_environment_for_every_call(model_server, monkeypatch):
    url = model_server.tell("environment", [])
    model = HttpReranker(f"{url}/rerank", "model", api_key_env="SERVICE_TEST_KEY")
    with pytest.raises(ConfigurationError, match="the environment variable SERVICE_TEST_KEY is not set"):
        model.similarity("q", ["a"])
    for key in ("first-key", "second-key"):
        monkeypatch.setenv("SERVICE_TEST_KEY", key)
        model.similarity("q", ["a"])
    assert [entry["authorization"] for entry in model_server.log("environment")] == [
        "Bearer first-key",
        "Bearer second-key",
    ]
    assert "second-key" not in repr(model) + repr(vars(model)) + repr(vars(model._client))


def test_no_request_is_sent_without_a_key(model_server):
    url = model_server.tell("no_key", [])
    for key in (None, "", "a\r\nX-Other: b", 5):
        with pytest.raises(ConfigurationError, match="the key must be a text"):
            HttpReranker(f"{url}/rerank", "model", api_key=lambda key=key: key).similarity("q", ["a"])
    assert model_server.log("no_key") == []


def test_a_key_given_as_text_is_refused():
    with pytest.raises(InvalidInputError, match="api_key must be a callable") as problem:
        HttpReranker("http://h/rerank", "model", api_key="sk-secret-secret")
    assert "secret-secret" not in str(problem.value)


def test_a_call_without_a_free_slot_ends_at_its_deadline(model_server):
    url = model_server.tell("one_place", [{"delay": 0.6}])
    model = HttpReranker(f"{url}/rerank", "model", max_concurrency=1, deadline=5.0)
    first = threading.Thread(target=model.similarity, args=("q", ["a"]))
    first.start()
    while not model_server.log("one_place"):
        time.sleep(0.01)
    with pytest.raises(RerankError, match="had 1 call under way until the deadline"):
        model.limited_to(0.1)("q", ["a"])
    first.join()
    assert len(model.similarity("q", ["a"])) == 1

"""Concurrent calls are limited, slots are assigned in the order of arrival, and no request starts too late."""

import threading
import time

import pytest

from hybrid_search.client.concurrency_bound import ConcurrencyBound
from hybrid_search.errors import RerankError
from hybrid_search.reranker.http_reranker import HttpReranker

from .raw_server import raw_server


def test_slots_are_assigned_in_the_order_of_arrival():
    bound = ConcurrencyBound(1)
    assert bound.enter(0.0)
    order = []

    def wait(number):
        assert bound.enter(10.0)
        order.append(number)
        bound.leave()

    threads = []
    for number in range(8):
        threads.append(threading.Thread(target=wait, args=(number,)))
        threads[-1].start()
        while len(bound._waiting) <= number:
            time.sleep(0.001)
    bound.leave()
    for thread in threads:
        thread.join()
    assert order == list(range(8))
    assert bound.enter(0.0)
    assert not bound.enter(0.0)


def test_a_caller_that_gives_up_takes_no_slot():
    bound = ConcurrencyBound(1)
    assert bound.enter(0.0)
    assert not bound.enter(0.01)
    bound.leave()
    assert bound.enter(0.0)
    assert not bound.enter(-5.0)


def test_many_callers_get_only_the_available_slots():
    bound = ConcurrencyBound(3)
    lock = threading.Lock()
    inside, most, entered = [], [], []

    def run():
        for _ in range(50):
            if bound.enter(0.002):
                with lock:
                    inside.append(1)
                    most.append(len(inside))
                time.sleep(0.0005)
                with lock:
                    inside.pop()
                    entered.append(1)
                bound.leave()

    threads = [threading.Thread(target=run) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert max(most) == 3
    assert len(entered) > 50
    assert [bound.enter(0.0) for _ in range(4)] == [True, True, True, False]


def test_callers_that_wait_until_the_deadline_send_no_request():
    accepted = []
    with raw_server(accepted.append) as port:
        model = HttpReranker(f"http://127.0.0.1:{port}/", "model", max_concurrency=4, max_retries=0)
        call = model.limited_to(0.5)
        problems = []

        def run():
            with pytest.raises(RerankError) as problem:
                call("q", ["a"])
            problems.append(str(problem.value).split("/ ", 1)[1])

        threads = [threading.Thread(target=run) for _ in range(40)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    waited = "had 4 calls under way until the deadline"
    late = "did not answer before the deadline of 0.5 seconds"
    assert sorted(problems) == [late] * 4 + [waited] * 36
    assert len(accepted) == 4


def test_a_call_with_too_little_time_left_is_not_sent():
    accepted = []
    with raw_server(accepted.append) as port:
        model = HttpReranker(f"http://127.0.0.1:{port}/", "model")
        late = model.limited_to(0.05)
        time.sleep(0.0495)
        with pytest.raises(RerankError, match=r"did not answer before the deadline of 0\.05 seconds"):
            late("q", ["a"])
    assert accepted == []

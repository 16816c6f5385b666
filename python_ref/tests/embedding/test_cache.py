import threading

import pytest

from hybrid_search.embedding.cache import EmbeddingCache
from hybrid_search.errors import EmbeddingError

WAIT = 10


class Gate:
    """A provider that waits for permission to respond, and records the texts that it was asked for."""

    def __init__(self):
        self.asked = []
        self.entered = threading.Semaphore(0)
        self.open = threading.Event()
        self.failures = 0

    def __call__(self, texts):
        self.asked.append(list(texts))
        self.entered.release()
        assert self.open.wait(WAIT)
        if self.failures:
            self.failures -= 1
            raise RuntimeError("down")
        return [[float(len(text)), 1.0] for text in texts]


def run(count, work):
    results = [None] * count

    def one(place):
        try:
            results[place] = work()
        except EmbeddingError as error:
            results[place] = error

    threads = [threading.Thread(target=one, args=(place,), daemon=True) for place in range(count)]
    for thread in threads:
        thread.start()
    return threads, results


def test_a_key_is_computed_once_at_a_time_and_waiting_callers_count_as_hits():
    gate = Gate()
    cache = EmbeddingCache(gate)
    threads, results = run(8, lambda: cache.encode_queries("abc"))
    assert gate.entered.acquire(timeout=WAIT)
    gate.open.set()
    for thread in threads:
        thread.join(WAIT)
    assert gate.asked == [["abc"]]
    assert results == [(3.0, 1.0)] * 8
    assert (cache.hits, cache.misses) == (7, 1)


def test_callers_with_crossing_batches_do_not_deadlock():
    gate = Gate()
    gate.open.set()
    cache = EmbeddingCache(gate, capacity=3)
    texts = ["a", "bb", "ccc", "dddd"]
    orders = [texts[shift:] + texts[:shift] for shift in range(4)]
    turn = iter(orders * 5)
    lock = threading.Lock()

    def work():
        with lock:
            order = next(turn)
        return order, cache.encode(order)

    threads, results = run(20, work)
    for thread in threads:
        thread.join(WAIT)
        assert not thread.is_alive()
    for order, vectors in results:
        assert vectors == [(float(len(text)), 1.0) for text in order]
    assert cache.hits + cache.misses == 80


def test_after_a_failure_one_of_the_waiting_callers_tries_again():
    gate = Gate()
    gate.failures = 1
    cache = EmbeddingCache(gate)
    threads, results = run(4, lambda: cache.encode_queries("abc"))
    assert gate.entered.acquire(timeout=WAIT)
    gate.open.set()
    for thread in threads:
        thread.join(WAIT)
    failed = [result for result in results if isinstance(result, EmbeddingError)]
    assert len(failed) == 1
    assert results.count((3.0, 1.0)) == 3
    assert (cache.hits, cache.misses) == (2, 2)


def test_vectors_are_frozen():
    cache = EmbeddingCache(lambda texts: [[1.0, 2.0] for _ in texts])
    with pytest.raises(TypeError):
        cache.encode_queries("a")[0] = 5.0
    assert cache.encode(["a"]) == [(1.0, 2.0)]

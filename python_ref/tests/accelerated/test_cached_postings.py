"""The cache of postings: what it holds, what it removes, and what it counts."""

import random
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from hybrid_search.accelerated import cached_postings
from hybrid_search.accelerated.cached_postings import CachedPostings
from hybrid_search.accelerated.posting import Posting

SLOTS = 8
BYTES = 2 * 8 * SLOTS


def posting(all_slots=SLOTS):
    return Posting(np.arange(SLOTS), np.full(SLOTS, 0.5), all_slots)


def kept(cache, keys):
    return [key for key in keys if cache.find(key)[0]]


def test_a_key_without_documents_is_cached_too():
    cache = CachedPostings(BYTES)
    assert cache.find("a") == (False, None)
    cache.keep("a", None, 0)
    assert cache.find("a") == (True, None)


def test_postings_that_were_used_last_stay():
    cache = CachedPostings(3 * BYTES)
    for key in "abc":
        cache.keep(key, posting(), 0)
    assert cache.find("a")[0]
    cache.keep("d", posting(), 0)
    assert kept(cache, "abcd") == ["a", "c", "d"]


def test_a_posting_that_is_cached_again_counts_once():
    cache = CachedPostings(2 * BYTES)
    for key in "aab":
        cache.keep(key, posting(), 0)
    assert kept(cache, "ab") == ["a", "b"]


def test_all_room_is_there_again_if_threads_have_counted_an_entry_twice():
    cache = CachedPostings(3 * BYTES)
    cache._room.used = 9 * BYTES
    for key in "abc":
        cache.keep(key, posting(), 0)
    assert kept(cache, "abc") == ["a", "b", "c"]


def test_an_entry_that_another_thread_removes_while_it_is_found_stays_and_counts_once():
    cache = CachedPostings(3 * BYTES)
    cache.keep("a", posting(), 0)

    class Removing(OrderedDict):
        def move_to_end(self, key, last=True):
            cache._room.used -= self.pop(key).counted
            super().move_to_end(key, last)

    cache._kept = Removing(cache._kept)
    assert cache.find("a")[0]
    assert list(cache._kept) == ["a"]
    assert cache._room.used == BYTES


def test_threads_that_find_and_keep_at_once_leave_the_size_near_the_truth():
    cache = CachedPostings(20 * BYTES)

    def use(seed):
        for key in random.Random(seed).choices(range(40), k=3000):
            if not cache.find(key)[0]:
                cache.keep(key, posting(), 0)

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(use, range(8)))
    entries = len(cache._kept)
    assert 10 <= entries <= 24
    assert abs(cache._room.used - entries * BYTES) <= 8 * BYTES


def test_a_posting_counts_what_searches_have_computed_of_it():
    common = posting(2 * SLOTS)
    assert common.size == BYTES
    common.add_all_scores(np.zeros(2 * SLOTS), 1.0)
    assert common.size == BYTES + 2 * SLOTS * 8
    common.steps(128.0)
    assert common.size == BYTES + 2 * SLOTS * (8 + 2)
    common.steps(100.0)
    assert common.size == BYTES + 2 * SLOTS * (8 + 2 + 4)


@pytest.mark.parametrize(("room", "expected"), [(3 * BYTES, ["a", "b"]), (3 * BYTES - 1, ["b"])])
def test_a_posting_that_has_grown_leaves_less_room_once_it_is_used(room, expected):
    cache, common = CachedPostings(room), posting(2 * SLOTS)
    cache.keep("a", posting(), 0)
    cache.keep("b", common, 0)
    common.add_all_scores(np.zeros(2 * SLOTS), 1.0)
    assert cache.find("b") == (True, common)
    assert kept(cache, "ab") == expected


def test_without_a_limit_the_room_grows_with_the_field(monkeypatch):
    monkeypatch.setattr(cached_postings, "SMALLEST_ROOM", BYTES)
    cache = CachedPostings()
    cache.keep("a", posting(), 0)
    cache.keep("b", posting(), 0)
    assert kept(cache, "ab") == ["b"]
    cache.keep("a", posting(), BYTES // cached_postings.ROOM_PER_TOKEN)
    assert kept(cache, "ab") == ["a", "b"]

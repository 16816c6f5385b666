"""The native kernels return what the plain forms return (KRN-1, docs/native.md)."""

import array
import itertools
import math
import random
import struct
import sys
import threading
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from hybrid_search.accelerated import living_slots
from hybrid_search.accelerated.best_sums import BestSums
from hybrid_search.accelerated.native_dense_index import NativeDenseIndex
from hybrid_search.accelerated.native_sums import NativeSums
from hybrid_search.accelerated.posting import Posting
from hybrid_search.base import kernels, numeric

BUILT = Path(__file__).parents[3] / ".cache/native/python"
BITS = struct.Struct("<d")


def built():
    """The package as `rake native` built it, hidden from the other tests of this process."""
    sys.path.insert(0, str(BUILT))
    try:
        return import_module(kernels.PACKAGE)
    finally:
        sys.path.remove(str(BUILT))
        sys.modules.pop(kernels.PACKAGE, None)


if not BUILT.is_dir():
    pytest.skip("the native package is not built (rake native)", allow_module_level=True)
native_package = built()


@pytest.fixture(autouse=True)
def native(monkeypatch):
    monkeypatch.setattr(kernels, "_native", lambda: native_package)


def bits(number):
    return BITS.pack(number)


def filled(vectors, slots=None, living=None):
    index = NativeDenseIndex(len(vectors[0]) if vectors else 3)
    slots = range(len(vectors)) if slots is None else slots
    all_slots = living_slots.LivingSlots(max(slots, default=-1) + 1, len(vectors), living)
    return index.changed(all_slots, zip(slots, vectors, map(numeric.norm, vectors), strict=True))


def expected(vectors, query, limit, similarity, counts=lambda place: True):
    """Return the results of the plain form: slot and bits of the cosine, of the best with all ties of the last."""
    norm = numeric.norm(query)
    scored = [(place, numeric.cosine_of(query, norm, vector, numeric.norm(vector)))
              for place, vector in enumerate(vectors) if counts(place)]  # fmt: skip
    scored = [pair for pair in scored if similarity is None or pair[1] >= similarity]
    ordered = sorted((score for _, score in scored), reverse=True)
    least = ordered[limit - 1] if len(ordered) > limit > 0 else -math.inf
    return {(place, bits(score)) for place, score in scored if score >= least} if limit else set()


def found(index, query, limit, similarity=None, allowed=None):
    slots, scores = index.best(query, limit, similarity, allowed)
    return set(zip(slots.tolist(), map(bits, scores.tolist()), strict=True))


def drawn(draw, dimension, kind):
    scale = {"usual": 1.0, "huge": 1e150, "tiny": 1e-160, "single": 1.0, "large": 1e35}[kind]
    vector = [draw.gauss(0.0, 1.0) * scale for _ in range(dimension)]
    return [struct.unpack("<f", struct.pack("<f", one))[0] for one in vector] if kind == "single" else vector


@pytest.mark.parametrize("dimension", [1, 2, 15, 16, 17, 100, 384])
def test_the_nearest_vectors_equal_those_of_the_plain_form(dimension):
    draw = random.Random(dimension)
    for kind, count in itertools.product(("usual", "single", "huge", "tiny", "large"), (1, 5, 257, 769)):
        vectors = [drawn(draw, dimension, kind) for _ in range(count if dimension < 100 else min(count, 70))]
        vectors += [draw.choice(vectors) for _ in range(count // 3)]  # ties
        vectors += [[0.0] * dimension, [-0.0] * dimension]
        index = filled(vectors)
        for limit in (1, 7, len(vectors) - 1, len(vectors) + 9):
            query = draw.choice([draw.choice(vectors), drawn(draw, dimension, kind), [0.0] * dimension])
            similarity = draw.choice([None, 0.0, 0.3, -1.0, 1.0])
            assert found(index, query, limit, similarity) == expected(vectors, query, limit, similarity)


def test_vectors_of_all_kinds_are_compared_with_each_other():
    draw = random.Random(5)
    kinds = ("usual", "single", "huge", "tiny", "large")
    vectors = [drawn(draw, 24, draw.choice(kinds)) for _ in range(1500)]
    index = filled(vectors)
    for kind, limit in itertools.product(kinds, (1, 3, 40, 1499)):
        query = drawn(draw, 24, kind)
        assert found(index, query, limit) == expected(vectors, query, limit, None)
    assert [index.vector(slot) for slot in (0, 700, 1499)] == [vectors[0], vectors[700], vectors[1499]]
    assert index.vector(1500) is None


def test_vectors_with_many_components_are_compared():
    draw = random.Random(6)
    for dimension in (4096, 70_000):  # with these the query has too few steps for a screen
        vectors = [drawn(draw, dimension, "single") for _ in range(6)]
        index = filled(vectors)
        query = [one + 0.3 * two for one, two in zip(vectors[3], vectors[4], strict=True)]
        assert found(index, query, 2) == expected(vectors, query, 2, None)


def test_ties_that_floats_barely_distinguish_are_ordered_exactly():
    base = [1.0, 2.0, 3.0]
    vectors = [[component * factor for component in base] for factor in (1.0, 1 / 3, 0.1, 7.0, 1e-20, 1e20)] * 60
    vectors += [[1.0, 2.0, math.nextafter(3.0, side)] for side in (0.0, 4.0)] * 60
    index = filled(vectors)
    for limit in (1, 5, 100, 359, 361):
        assert found(index, base, limit) == expected(vectors, base, limit, None)


def test_removed_and_filtered_vectors_are_not_found():
    draw = random.Random(7)
    vectors = [drawn(draw, 8, "single") for _ in range(700)]
    slots = [3 * place + 1 for place in range(700)]
    living = np.zeros(2101, dtype=np.uint8)
    living[slots] = [draw.random() < 0.7 for _ in slots]
    allowed = np.array([draw.random() < 0.5 for _ in range(2101)], dtype=np.uint8)
    index = filled(vectors, slots, living)
    query = drawn(draw, 8, "usual")
    for limit, mask in itertools.product((1, 50, 800), (None, allowed)):
        slot_of = dict(enumerate(slots))
        wanted = expected(
            vectors, query, limit, None,
            lambda place, mask=mask: living[slots[place]] and (mask is None or mask[slots[place]]),
        )  # fmt: skip
        assert found(index, query, limit, None, mask) == {(slot_of[place], score) for place, score in wanted}
    assert found(index, query, 5, None, np.zeros(2101, dtype=np.uint8)) == set()


def test_an_empty_index_finds_nothing():
    assert found(NativeDenseIndex(3), [1.0, 0.0, 0.0], 5) == set()
    assert found(filled([[1.0, 0.0, 0.0]]), [1.0, 0.0, 0.0], 0) == set()
    assert found(filled([[1.0, 0.0, 0.0]]), [1.0, 0.0, 0.0], 5) == {(0, bits(1.0))}


def test_states_share_rows_and_an_abandoned_change_leaves_no_trace():
    first = filled([[1.0, 0.0], [0.0, 1.0]])
    gone = first.changed(living_slots.LivingSlots(3, 3), [(2, [1.0, 1.0], numeric.norm([1.0, 1.0]))])
    second = first.changed(living_slots.LivingSlots(3, 3), [(2, [2.0, 0.1], numeric.norm([2.0, 0.1]))])
    assert len(found(gone, [1.0, 0.0], 5)) == 3
    assert {slot for slot, _ in found(first, [1.0, 0.0], 5)} == {0, 1}
    assert found(second, [1.0, 0.0], 5) == expected([[1.0, 0.0], [0.0, 1.0], [2.0, 0.1]], [1.0, 0.0], 5, None)


def test_threads_search_while_another_one_adds():
    draw = random.Random(8)
    vectors = [drawn(draw, 16, "single") for _ in range(6000)]
    states = [filled(vectors[:500])]
    wrong = []

    def ask():
        for _ in range(40):
            state = states[-1]
            slots, _ = state.best(vectors[3], 10, None, None)
            if 3 not in slots.tolist() or len(slots) != 10:
                wrong.append(slots)

    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    for end in range(1000, 6001, 500):
        rows = [(slot, vectors[slot], numeric.norm(vectors[slot])) for slot in range(end - 500, end)]
        states.append(states[-1].changed(living_slots.LivingSlots(end, end), rows))
    for thread in threads:
        thread.join()
    assert not wrong
    assert found(states[-1], vectors[9], 5) == expected(vectors, vectors[9], 5, None)


def posting(draw, all_slots, size, scores):
    slots = np.array(sorted(draw.sample(range(all_slots), size)), dtype=np.int64)
    return Posting(slots, np.array([scores(draw) for _ in slots], dtype=np.float64), all_slots)


SCORES = {
    "usual": lambda draw: draw.random() * 9,
    "few": lambda draw: draw.choice([0.5, 1.0, 1.5]),
    "below zero": lambda draw: draw.gauss(0.0, 1.0),
    "zero": lambda draw: draw.choice([0.0, -0.0]),
    "huge": lambda draw: draw.random() * 1e300,
}


@pytest.mark.parametrize("kind", SCORES)
def test_sums_equal_those_of_the_fast_form(kind):
    draw = random.Random(kind)
    for all_slots in (1, 7, 4095, 4096, 4097, 9000):
        for count in (1, 5):
            matched = [
                (draw.choice([1.0, 0.3, 2.5]), posting(draw, all_slots, draw.randint(1, all_slots), SCORES[kind]))
                for _ in range(count)
            ]
            for limit, share in itertools.product((1, 10, 1024, 10_000), (None, 0.5)):
                counted = None if share is None else np.array(
                    [draw.random() < share for _ in range(all_slots)], dtype=np.uint8)  # fmt: skip
                assert sums(NativeSums, matched, all_slots, limit, counted) == sums(
                    BestSums, matched, all_slots, limit, counted
                )


def sums(form, matched, all_slots, limit, counted):
    """Return the best as the caller orders them, with bits; the rest may be omitted."""
    slots, scores = form(all_slots).best(matched, limit, counted)
    pairs = sorted(zip((-scores).tolist(), slots.tolist(), strict=True))
    least = pairs[limit - 1][0] if len(pairs) >= limit else math.inf
    return [(slot, bits(-score)) for score, slot in pairs if score <= least]


def test_documents_with_enough_alternatives_equal_those_of_the_fast_form():
    draw = random.Random(11)
    for all_slots in (1, 300, 4096, 5000):
        for count in (1, 3, 6):
            alternatives = [
                [posting(draw, all_slots, draw.randint(1, all_slots), SCORES["few"]) for _ in range(draw.randint(0, 3))]
                for _ in range(count)
            ]
            allowed = draw.choice([None, np.array([draw.random() < 0.5 for _ in range(all_slots)], dtype=np.uint8)])
            for required in range(2, count + 1):
                found = [form(all_slots).enough(alternatives, required, allowed).tolist()
                         for form in (NativeSums, BestSums)]  # fmt: skip
                assert found[0] == found[1]


def test_slots_in_a_wrong_order_are_harmless():
    wild = array.array("q", [5, -3, 2**62, 4, 9, 10**6])
    scores = array.array("d", [1.0] * 6)
    slots, _ = native_package.best_sums([(1.0, wild, scores)], 8, 5, None)
    assert set(array.array("q", slots)) <= set(range(8))
    assert len(native_package.enough_groups([(0, wild)], 1, 8, b"")) == 8


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        (lambda: native_package.Rows(-1), ValueError),
        (lambda: native_package.Rows(2).put(1, 0, [1.0, 2.0], 1.0), IndexError),
        (lambda: native_package.Rows(2).put(0, 0, [1.0], 1.0), ValueError),
        (lambda: native_package.Rows(2).put(0, 0, [1.0, "a"], 1.0), TypeError),
        (lambda: native_package.Rows(2).vector(0), IndexError),
        (lambda: native_package.Rows(2).nearest(-1, [1.0, 1.0], 1.0, 1, None, None, None), ValueError),
        (lambda: native_package.Rows(2).nearest(0, [1.0, 1.0], 1.0, 1, "a", None, None), TypeError),
        (lambda: native_package.Rows(2).nearest(0, [1.0, 1.0], 1.0, 1, None, 5, None), TypeError),
        (lambda: native_package.best_sums([(1.0, b"12345678", b"")], 1, 1, None), ValueError),
        (lambda: native_package.best_sums([(1.0, b"1234567", b"1234567")], 1, 1, None), ValueError),
        (lambda: native_package.best_sums([1], 1, 1, None), TypeError),
        (lambda: native_package.best_sums((), 1, 1, None), TypeError),
        (lambda: native_package.best_sums([], -1, 1, None), ValueError),
        (lambda: native_package.enough_groups([], -1, 1, None), ValueError),
    ],
)
def test_wrong_calls_are_refused(call, problem):
    with pytest.raises(problem):
        call()


def test_a_misaligned_buffer_is_refused():
    bytes_of = bytearray(17)
    with pytest.raises(ValueError, match="aligned"):
        native_package.best_sums([(1.0, memoryview(bytes_of)[1:], memoryview(bytes_of)[1:])], 1, 1, None)
    assert kernels.native() is native_package

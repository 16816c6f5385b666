"""Comparing values (CNF-5) and page tables (CNF-7)."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from conformance.judging import differences
from conformance.judging.compare import compare, ulp_distance
from conformance.judging.paging import broken_laws
from conformance.tests.conftest import encode


def test_equal_values_are_the_same() -> None:
    value = {"scores": [encode(-0.0), encode(5e-324)], "n": 1, "text": "é", "none": None}
    assert compare(value, value).same


@pytest.mark.parametrize(
    ("expected", "got", "path"),
    [
        (encode(0.0), encode(-0.0), "the whole"),
        ({"a": [1, 2]}, {"a": [1, 3]}, "a/1"),
        ({"a": [1, 2]}, {"a": [1]}, "a/1"),
        ({"a": 1}, {"b": 1}, "the whole"),
        ([1], [True], "0"),
        ([None], [0], "0"),
        (["1"], [1], "0"),
    ],
)
def test_a_difference_has_a_path(expected: object, got: object, path: str) -> None:
    verdict = compare(expected, got)
    assert not verdict.same
    assert verdict.path == path


def test_distances_are_counted_in_ulp() -> None:
    assert ulp_distance(encode(1.0)["bits"], encode(1.0000000000000002)["bits"]) == 1
    assert ulp_distance(encode(5e-324)["bits"], encode(-5e-324)["bits"]) == 2
    assert ulp_distance(encode(float("inf"))["bits"], encode(1.0)["bits"]) is None
    assert compare(encode(1.0), encode(1.0000000000000002), "ulp:1").same
    assert not compare(encode(1.0), encode(1.0000000000000004), "ulp:1").same
    assert not compare(["a"], ["b"], "ulp:1").same


@pytest.mark.parametrize(
    ("expected", "got", "words"),
    [
        (1.0, 1.0000000000000002, ", floats up to 1 ULP or 2.2e-16 of their size apart"),
        (0.0, 1.0, ", floats far apart"),
        (1.0, -1.0, ", floats other sign"),
        (1.0, 1.5, ", floats up to 2,251,799,813,685,248 ULP or 3.3e-01 of their size apart"),
    ],
)
def test_a_meaningless_distance_is_described_in_words(expected: float, got: float, words: str) -> None:
    verdict = compare(encode(expected), encode(got))
    assert (verdict.same, verdict.apart) == (False, words)
    assert not compare(encode(1.0), encode(-1.0), tolerance=2**62).same


def test_the_comparison_by_order_ignores_floats() -> None:
    assert compare([["a", encode(1.0)]], [["a", encode(2.0)]], "order").same
    assert not compare([["a", encode(1.0)]], [["b", encode(1.0)]], "order").same


def table(full: list[str], pages: list[list[str]], size: int = 2) -> dict[str, object]:
    return {"page_size": size, "full": full, "pages": pages}


def test_joined_pages_equal_the_full_list() -> None:
    assert broken_laws("x.pages", [table(["a", "b", "c"], [["a", "b"], ["c"]])]) == []


@pytest.mark.parametrize(
    ("pages", "told"),
    [
        ([["a", "b"], ["b", "c"]], "more than once"),
        ([["a", "b"]], "never shown"),
        ([["a", "b"], ["c", "d"]], "not in the full list"),
        ([["b", "a"], ["c"]], "first at place 1"),
        ([["a", "b", "c"]], "has 3 entries"),
    ],
)
def test_a_broken_law_is_reported(pages: list[list[str]], told: str) -> None:
    assert any(told in line for line in broken_laws("x.pages", table(["a", "b", "c"], pages)))


def test_an_operation_that_pages_must_have_page_tables() -> None:
    assert broken_laws("x.pages", [])
    assert not broken_laws("x.other", [])


def test_differences_are_described_in_several_threads_at_once() -> None:
    expected = [{"id": str(number), "page": {"size": number}} for number in range(30)]
    got = [{"id": str(number), "page": {"size": str(number)}} for number in range(30)]
    with ThreadPoolExecutor(8) as pool:
        told = list(pool.map(lambda _: differences.describe(expected, got), range(64)))
    assert told == [differences.describe(expected, got)] * 64

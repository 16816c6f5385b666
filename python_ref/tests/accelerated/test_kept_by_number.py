"""States share the values of unchanged documents; an earlier one neither sees those of a later one nor changes them."""

import pytest

from hybrid_search.accelerated import kept_by_number
from hybrid_search.accelerated.kept_by_number import KeptByNumber
from hybrid_search.accelerated.kept_identifiers import BYTES_PER_IDENTIFIER, KeptIdentifiers


@pytest.mark.parametrize("most", [0, 1, 100])
def test_each_state_has_its_own_values_of_changed_documents(monkeypatch, most):
    monkeypatch.setattr(kept_by_number, "MOST_TOUCHED", most)
    first = KeptByNumber()
    for number in range(5):
        first.keep(number, f"{number} first")
    second = first.after([1, 2])
    second.keep(1, "1 second")
    third = second.after([2, 3])
    third.keep(3, "3 third")
    first.keep(1, "1 first")  # searches that still run in an earlier state
    first.keep(2, "2 first")
    second.keep(2, "2 second")
    assert first.found([0, 1, 2]) == {0: "0 first", 1: "1 first", 2: "2 first"}
    assert second.found([0, 1, 2, 4]) == {0: "0 first", 1: "1 second", 2: "2 second", 4: "4 first"}
    assert third.all() == {0: "0 first", 1: "1 second", 3: "3 third", 4: "4 first"}
    assert [third.find(number) for number in range(6)] == ["0 first", "1 second", None, "3 third", "4 first", None]


def test_the_number_of_an_id_is_that_of_its_state():
    first = KeptIdentifiers(100 * BYTES_PER_IDENTIFIER)
    first.keep_all({1: "a", 2: "b"})
    second = first.after([1, 2])  # "a" was removed, and "b" inserted again with its number
    second.keep_all({1: "b"})
    assert [second.number(one) for one in "abc"] == [None, 1, None]
    assert first.number("b") is None  # it is read again
    first.keep_all({2: "b"})
    assert [first.number("b"), second.number("b")] == [2, None]


def test_ids_begin_again_without_room():
    kept = KeptIdentifiers(8 * BYTES_PER_IDENTIFIER)
    kept.keep_all({1: "a", 2: "b"})
    kept.keep_all({3: "c", 4: "d"})
    assert sorted(kept.all()) == [1, 2, 3, 4]
    kept.keep_all({5: "e"})
    assert kept.all() == {5: "e"}
    kept.keep_all({number: str(number) for number in range(5)})
    assert kept.all() == {}
    assert KeptIdentifiers(0).number("a") is None

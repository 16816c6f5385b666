"""Tests of the committed fixtures as a whole."""

from conformance.cases import lint
from conformance.implementations import listing
from conformance.judging import known
from conformance.tests.conftest import committed


def test_fixtures_match_the_manifest() -> None:
    assert committed().cases
    assert not committed().problems


def test_the_linter_of_cases_finds_no_problems() -> None:
    assert not lint.problems(committed().cases, complete=True)


def test_no_known_difference_is_stale() -> None:
    identifiers = [case.id for case in committed().cases]
    assert not known.without_case(known.load(), identifiers, listing.names())

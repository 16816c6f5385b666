"""Warnings from several sources in one result: every pair has a case, and one order (CNF-2)."""

import json
from collections.abc import Iterator
from functools import cache
from itertools import combinations
from typing import Any

from conformance import yaml_files
from conformance.cases import fixtures
from conformance.paths import CONFORMANCE, ROOT

LISTED = yaml_files.load(CONFORMANCE / "warnings.yml")
MAKERS: dict[str, dict[str, str]] = LISTED["makers"]
LIBRARY = ROOT / "python_ref" / "hybrid_search"
MOST_OPEN = 1
"""The number of pairs that may occur and have no case. It may only fall."""


def answers(value: Any) -> Iterator[list[str]]:
    """Yield the lists of warnings in an expected value."""
    if isinstance(value, dict):
        told = value.get("warnings")
        if isinstance(told, list) and all(isinstance(one, str) for one in told):
            yield told
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from answers(inner)


def makers(warning: str) -> list[str]:
    """Return the sources whose words are in a warning."""
    return [name for name, maker in MAKERS.items() if maker["words"] in warning]


@cache
def told() -> list[tuple[str, list[str]]]:
    """Return the warnings of every result in the fixtures, with its case."""
    cases = [case for case in fixtures.load().cases if '"warnings"' in json.dumps(case.expect)]
    return [(case.id, warnings) for case in cases for warnings in answers(case.expect) if warnings]


def test_every_warning_in_the_fixtures_has_exactly_one_source() -> None:
    unknown = [(case, one) for case, warnings in told() for one in warnings if len(makers(one)) != 1]
    assert unknown == [], "list the maker in conformance/warnings.yml"


def test_the_words_of_every_warning_are_in_its_module() -> None:
    for name, maker in MAKERS.items():
        source = (LIBRARY / f"{maker['module']}.py").read_text(encoding="utf-8")
        assert maker["words"] in source, name


def test_every_pair_of_warnings_has_a_case_and_one_order() -> None:
    names = list(MAKERS)
    found: set[tuple[str, str]] = set()
    for case, warnings in told():
        places = [names.index(makers(one)[0]) for one in warnings]
        assert places == sorted(places), f"{case}: the order of makers is that of conformance/warnings.yml"
        found |= {(names[one], names[other]) for one, other in combinations(places, 2) if one != other}
    apart = {tuple(pair) for pairs in LISTED["apart"].values() for pair in pairs}
    without = {tuple(pair) for pair in LISTED["open"]}
    assert len(without) <= MOST_OPEN
    assert found.isdisjoint(apart | without), "a case has this pair"
    assert found | apart | without == set(combinations(names, 2)), "add a case whose answer has both"


def test_repeated_warnings_of_one_source_have_cases_in_non_alphabetical_order() -> None:
    found, unsorted = set(), set()
    for _, warnings in told():
        for name in MAKERS:
            own = [one for one in warnings if makers(one) == [name]]
            found |= {name} if len(own) > 1 else set()
            unsorted |= {name} if own != sorted(own) and own != sorted(own, reverse=True) else set()
    assert found == set(LISTED["several"]), "list the makers in conformance/warnings.yml"
    assert unsorted == found, "add a case whose warnings are in neither alphabetical order"

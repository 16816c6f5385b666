"""Cases that are the only ones to notice a mutant, and slow cases that are not needed (CNF-19)."""

import dataclasses
from pathlib import Path

import pytest

from conformance.cases import fixtures
from conformance.cases.fixtures import Case
from conformance.mutants import check, table, unique
from conformance.paths import FIXTURES
from conformance.reports import log
from conformance.reports.sample import sample_log


@pytest.mark.nightly
def test_the_quickest_case_that_notices_a_mutant_and_the_next_one_are_found() -> None:
    mutant = next(one for one in table.load() if one.area == "ordering" and one.language == "python")
    cases = [case for case in fixtures.load(FIXTURES, ("ordering",)).cases if case.module == "ordering"]
    (before,) = check.run_all([mutant], cases, {}, 1, took={})
    assert before.killed_by is not None
    rest = [case for case in cases if case.id != before.killed_by]
    slowest = {before.killed_by: 9.0}
    (after,) = check.run_all([mutant], cases, {}, 1, took=slowest)
    (without,) = check.run_all([mutant], rest, {}, 1, took={})
    assert after.killed_by == (without.killed_by or before.killed_by)
    if without.killed_by is not None:
        assert before.next_by == without.killed_by


def sample(identifier: str) -> Case:
    return Case(identifier, "a.b", "b", "c", "d", "e", (), (), "must", "bits", {}, {}, {"value": 1, "trace": []})


def test_slow_cases_that_are_never_the_quickest_are_reported_as_idle(tmp_path: Path) -> None:
    cache = tmp_path / "kills.json"
    assert unique.load(cache) == {}
    unique.remember({"one": ["quick", "slow"], "two": ["needed", None]}, cache)
    kills = unique.remember({"three": ["quick", "needed"]}, cache)
    cases = [sample(name) for name in ("quick", "needed", "slow")]
    took = {"quick": 0.1, "needed": 2.0, "slow": 3.0}
    assert unique.lines(kills, cases, took) == [
        "1 cases notice a mutant alone, of 3 mutants that a case notices",
        "alone: needed",
        "1 of 2 slow cases notice nothing that a quicker one does not",
        "idle: slow (3.0 s)",
    ]


def test_the_time_of_a_case_is_the_time_of_the_slowest_implementation(tmp_path: Path) -> None:
    assert unique.seconds(tmp_path) == {}
    events = sample_log()
    events[1] = {**events[1], "seconds": 2.5}
    log.write(tmp_path / "log.jsonl", events)
    assert unique.seconds(tmp_path)[events[1]["case"]] == 2.5
    assert dataclasses.fields(check.Fate)[-1].name == "next_by"

"""Each implementation that is wrong on purpose gets exactly its declared verdict (CNF-18)."""

import pytest

from conformance.known_bad import answers, convergence, library, pages, table, wire
from conformance.known_bad.check import Outcome, run_all
from conformance.known_bad.fault import FAULTS
from conformance.known_bad.table import KnownBad
from conformance.tests.conftest import committed

ENTRIES = table.load()
IN_EVERY_RUN = ("honest", "one_ulp", "changes_its_mind", "overlapping_pages", "hangs", "dies")
"""Some of each kind, because each one starts two interpreters; all others run every night."""


@pytest.fixture(scope="module")
def outcomes() -> dict[str, Outcome]:
    chosen = [entry for entry in ENTRIES if entry.name in IN_EVERY_RUN]
    return {outcome.entry.name: outcome for outcome in run_all(chosen, committed().cases)}


@pytest.fixture(scope="module")
def other_outcomes() -> dict[str, Outcome]:
    chosen = [entry for entry in ENTRIES if entry.name not in IN_EVERY_RUN]
    return {outcome.entry.name: outcome for outcome in run_all(chosen, committed().cases)}


@pytest.mark.parametrize("name", IN_EVERY_RUN)
def test_a_faulty_implementation_gets_its_declared_verdict(name: str, outcomes: dict[str, Outcome]) -> None:
    assert outcomes[name].surprises() == []


@pytest.mark.nightly
@pytest.mark.parametrize("entry", [pytest.param(one, id=one.name) for one in ENTRIES if one.name not in IN_EVERY_RUN])
def test_the_other_implementations_get_their_declared_verdicts(
    entry: KnownBad, other_outcomes: dict[str, Outcome]
) -> None:
    assert other_outcomes[entry.name].surprises() == []


def test_every_fault_is_listed() -> None:
    assert {entry.name for entry in ENTRIES} == set(FAULTS)
    modules = (answers, convergence, library, pages, wire)
    assert {module.__name__ for module in modules} <= {made.__module__ for made in FAULTS.values()}


def test_every_implementation_except_the_control_is_caught() -> None:
    assert [entry.name for entry in ENTRIES if not entry.verdict] == ["honest", "talks_on_stderr"]
    assert [entry.name for entry in ENTRIES if entry.exit == 0] == ["honest", "talks_on_stderr"]


def test_an_undeclared_verdict_is_reported(outcomes: dict[str, Outcome]) -> None:
    from dataclasses import replace

    hangs = outcomes["hangs"]
    wrong = replace(hangs, entry=replace(hangs.entry, verdict=(("*", "crash"),), exit=0))
    lines = wrong.surprises()
    assert len(lines) == 4
    assert lines[1].startswith("fusion.rrf.lists.002: declared crash, got timeout")
    assert lines[-1] == "exit status: declared 0, got 1"

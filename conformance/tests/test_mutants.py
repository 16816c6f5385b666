"""The suite notices small changes to the reference and to the port (CNF-19)."""

import dataclasses
from pathlib import Path

import pytest
import yaml

from conformance.commands import main as cli
from conformance.errors import BrokenError
from conformance.mutants import check, command_lines, compiling, equivalents, ledger, own_tests, proposing, table
from conformance.mutants.check import Fate
from conformance.mutants.ledger import Entry
from conformance.mutants.table import Mutant
from conformance.paths import ROOT
from conformance.tests.conftest import committed

MUTANTS = table.load()
ENTRIES = ledger.load()
WITHOUT_SURVIVOR = ("fusion", "ordering", "paging")


def mutant(**changes: str | None) -> Mutant:
    settings = {
        "name": "fusion.shout.python",
        "area": "fusion",
        "language": "python",
        "kind": "logic",
        "does": "nothing is right",
        "path": "python_ref/hybrid_search/_ordering.py",
        "function": None,
        "replace": "one",
        "by": "two",
    }
    return Mutant(**{**settings, **changes}, modules=("fusion",), shuffle=False, fast=False)  # type: ignore[arg-type]


def test_every_mutant_applies_once_and_is_a_program() -> None:
    assert compiling.problems(MUTANTS) == []


def test_the_ledger_tells_of_every_mutant_and_of_no_other() -> None:
    assert {one.name for one in MUTANTS} == set(ENTRIES)
    cases = {case.id for case in committed().cases} | command_lines.names() | own_tests.names()
    assert {entry.killed_by for entry in ENTRIES.values() if entry.killed_by is not None} <= cases


def test_there_are_enough_of_both_languages() -> None:
    for language in table.SOURCES:
        assert sum(one.language == language for one in MUTANTS) >= 500
    assert {kind for kind in table.KINDS if sum(one.kind == kind for one in MUTANTS) < 50} == set()


def test_what_changes_nothing_is_still_there_and_in_no_list() -> None:
    listed = {(one.path, one.replace, one.by) for one in MUTANTS}
    for path, replace, by in equivalents.load():
        assert replace in (ROOT / path).read_text(encoding="utf-8"), f"{path} has no longer {replace}"
        assert (path, replace, by) not in listed


def test_proposals_are_changes_of_a_function_that_apply_once() -> None:
    for language, path in (
        ("python", "python_ref/hybrid_search/fusion/_normalizer.py"),
        ("ruby", "ruby/lib/hybrid_search/fusion/normalizer.rb"),
    ):
        source = (ROOT / path).read_text(encoding="utf-8")
        found = proposing.proposals(language, ROOT / path)
        assert len({(one.replace, one.by) for one in found}) == len(found) > 20
        assert {one.kind for one in found} >= {"boundary", "one_off", "logic"}
        assert all(source.count(one.replace) == 1 for one in found if one.function is None)
        drawn = proposing.draw(found, 12, "a seed")
        assert len({one.replace for one in drawn}) == 12
        assert drawn == proposing.draw(found, 12, "a seed")


def test_the_command_proposes_what_no_list_has(capsys: pytest.CaptureFixture[str]) -> None:
    file = "ruby/lib/hybrid_search/fusion/weights.rb"
    assert cli.main(["mutants", "--propose", str(ROOT / file), "--count", "3"]) == 0
    entries = yaml.safe_load(capsys.readouterr().out)
    assert [set(one) for one in entries] == [{"name", "does", "kind", "file", "ruby"}] * 3
    changes = {(one["ruby"]["replace"], one["ruby"]["by"]) for one in entries}
    assert changes.isdisjoint((one.replace, one.by) for one in MUTANTS if one.path == file)
    assert cli.main(["mutants", "--propose", str(ROOT / "README.md")]) == 2
    assert "is no source of the reference or the port" in capsys.readouterr().err


def test_nearly_all_are_killed() -> None:
    alive = {name for name, entry in ENTRIES.items() if entry.killed_by is None}
    assert len(alive) <= 0.03 * len(ENTRIES)
    assert [name for name in alive if name.partition(".")[0] in WITHOUT_SURVIVOR] == []
    assert {one.area for one in MUTANTS} >= set(WITHOUT_SURVIVOR)


def test_every_survivor_has_a_reason() -> None:
    assert [name for name, entry in ENTRIES.items() if entry.killed_by is None and len(entry.survives or "") < 20] == []


@pytest.mark.parametrize(
    "name", ["fusion.rrf_ranks_from_zero.python", "ordering.tiers_descending.ruby", "text.keyword_stop_words.ruby"]
)
def test_a_mutant_is_killed_when_it_runs(name: str) -> None:
    chosen = [one for one in MUTANTS if one.name == name]
    [fate] = check.run_all(chosen, committed().cases, {}, 1, quick=True)
    assert fate.killed_by is not None, fate
    assert fate.killed_by.partition(".")[0] in {module.partition(".")[0] for module in chosen[0].modules}
    assert fate.how.startswith("fail at ")


def test_a_mutant_that_changes_nothing_that_counts_survives() -> None:
    harmless = mutant(replace="Pairs of (id, score)", by="Couples of (id, score)")
    [fate] = check.run_all([harmless], committed().cases, {}, 1, quick=True)
    assert (fate.killed_by, fate.broken) == (None, False)


def test_a_case_that_fails_without_a_change_kills_nothing() -> None:
    harmless = mutant(replace="Pairs of (id, score)", by="Couples of (id, score)")
    case = next(case for case in committed().cases if case.module == "fusion" and case.level == "must")
    [fate] = check.run_all([harmless], [dataclasses.replace(case, expect={**case.expect, "value": "another"})], {}, 1)
    assert fate.broken
    assert fate.how.startswith(f"reference is not as expected without a change either: {case.id}: ")


@pytest.mark.nightly
def test_a_mutant_of_a_store_in_an_engine_is_asked_its_tests(tmp_path: Path) -> None:
    test = "own_tests.test_opensearch_certainty.test_a_cluster_does_nothing_once_nobody_waits_for_it"
    chosen = [one for one in MUTANTS if one.name == "opensearch.cluster_goes_on.python"]
    [fate] = check.run_all(chosen, committed().cases, {chosen[0].name: test}, 1)
    assert fate.killed_by == test
    assert fate.how.startswith("fail: ")
    with pytest.raises(BrokenError, match="its tests do not even start"):
        own_tests.noticed(tmp_path, ["test_nothing"], engines=False)


def test_a_mutant_that_does_not_start_is_broken() -> None:
    stillborn = mutant(path="conformance/implementations/python/main.py", replace="import json", by="import jason")
    [fate] = check.run_all([stillborn], committed().cases, {}, 1, quick=True)
    assert fate.broken
    assert fate.how.startswith("does not even start")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"replace": "nowhere"}, "its text is 0 times"),
        ({"replace": "a"}, "its text is 3 times"),
        ({"replace": "a", "function": "second"}, "its text is 2 times in second of"),
        ({"replace": "a", "function": "third"}, "has 0 functions third"),
        ({"replace": "return a", "by": "return a", "function": "first"}, "its text is 1 times"),
    ],
)
def test_a_mutant_must_apply_once(changes: dict[str, str], said: str) -> None:
    source = "def first():\n    return a\n\n\ndef second():\n    if a:\n        return 1\n    return a\n"
    with pytest.raises(BrokenError, match=said):
        mutant(**changes).apply(source)
    assert mutant(replace="return a", by="return b", function="second").apply(source).endswith("    return b\n")


def test_what_is_not_as_the_ledger_tells_is_told() -> None:
    killed, alive, broken = Fate(mutant(), "fusion.rrf.lists.001"), Fate(mutant()), Fate(mutant(), how="?", broken=True)
    name = mutant().name
    assert ledger.surprises({name: Entry(killed_by="x")}, [killed]) == []
    assert ledger.surprises({name: Entry(survives="because")}, [alive]) == []
    for entries, fate, said in [
        ({}, killed, "is not in the ledger"),
        ({name: Entry(killed_by="x")}, alive, "was killed by x, and survives now"),
        ({name: Entry(survives="because")}, killed, "is listed as a survivor, and is killed by fusion.rrf.lists.001"),
        ({name: Entry(survives="")}, alive, "the ledger has no reason"),
        ({name: Entry(killed_by="x")}, broken, "?"),
    ]:
        [line] = ledger.surprises(entries, [fate])
        assert line.startswith(f"{name}: ")
        assert said in line


def test_the_ledger_is_written_and_keeps_its_reasons(tmp_path: Path) -> None:
    name = mutant().name
    before = {name: Entry(survives="it is the same"), "gone": Entry(killed_by="x")}
    after = ledger.updated(before, [Fate(mutant())], {name})
    assert after == {name: Entry(survives="it is the same")}
    ledger.write(after, tmp_path / "ledger.yml")
    assert ledger.load(tmp_path / "ledger.yml") == after
    assert ledger.updated(after, [Fate(mutant(), "y")], {name}) == {name: Entry(killed_by="y")}


def test_the_command_runs_those_that_are_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["mutants", "--name", "fusion.rrf_ranks_from_zero.*"]) == 0
    assert "2 of 2 mutants killed (100.0 %)" in capsys.readouterr().out
    assert cli.main(["mutants", "--list", "--area", "paging", "--language", "ruby"]) == 0
    assert "paging.window_clamped.ruby\ta block is 64 candidates" in capsys.readouterr().out
    assert cli.main(["mutants", "--area", "pageing"]) == 2
    assert "there is no area pageing" in capsys.readouterr().err

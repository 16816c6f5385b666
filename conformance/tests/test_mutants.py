"""The suite notices small changes to the reference and to the port (CNF-19)."""

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from conformance.commands import main as cli
from conformance.errors import BrokenError
from conformance.mutants import (
    check,
    compiling,
    drawing,
    equivalents,
    killers,
    own_tests,
    python_changes,
    reached,
    ruby_changes,
    survivors,
    table,
)
from conformance.mutants.check import Fate
from conformance.mutants.table import Mutant
from conformance.tests.conftest import committed

MUTANTS = table.load()
REASONS = survivors.load()
REACHED = {
    "fusion/normalizer.py": {"normalize": ["fusion.normalize.sizes.001"]},
    "base/ordering.py": {"rank": ["ordering.rank.ties.001"]},
}
"""The part of the code reached by cases that these tests need."""


def mutant(**changes: Any) -> Mutant:
    settings: dict[str, Any] = {
        "name": "fusion.shout.python",
        "area": "fusion",
        "language": "python",
        "kind": "logic",
        "does": "nothing is right",
        "path": "python_ref/hybrid_search/base/ordering.py",
        "function": None,
        "replace": "one",
        "by": "two",
        "modules": ("fusion",),
        "shuffle": False,
        "fast": False,
    }
    return Mutant(**{**settings, **changes})


def test_every_mutant_applies_once_and_is_a_valid_program() -> None:
    assert compiling.problems(MUTANTS) == []


def test_survivors_are_listed_with_reasons(tmp_path: Path) -> None:
    assert set(REASONS) <= {one.name for one in MUTANTS}
    for content, told in (
        ("a.b.python: short", "must have a reason"),
        ("paging.b.ruby: " + "x" * 30, "must be noticed"),
    ):
        (tmp_path / "survivors.yml").write_text(content)
        with pytest.raises(BrokenError, match=told):
            survivors.load(tmp_path / "survivors.yml")


def test_both_languages_have_enough_mutants() -> None:
    for language in table.SOURCES:
        assert sum(one.language == language for one in MUTANTS) >= 500
    assert {kind for kind in table.KINDS if sum(one.kind == kind for one in MUTANTS) < 50} == set()
    assert {one.area for one in MUTANTS} >= set(survivors.WITHOUT_SURVIVOR)


def test_equivalent_mutants_are_not_listed() -> None:
    listed = {(one.path, one.replace, one.by) for one in MUTANTS}
    assert equivalents.load().isdisjoint(listed)
    assert len(equivalents.results()) >= len(equivalents.load()) - len(equivalents.stale())


def found(source: str, language: str = "python") -> set[tuple[str, str, str]]:
    """The mutations of a source of one line."""
    changes = python_changes.changes(source) if language == "python" else ruby_changes.changes({"x": source})["x"]
    return {(one.kind, one.inside, one.apply(source).strip()) for one in changes}


@pytest.mark.parametrize(
    ("source", "kind", "by"),
    [
        ("x = a <= b", "boundary", "x = a < b"),
        ("x = a is not None", "logic", "x = a is None"),
        ("x = a and (b or c)", "logic", "x = ((b or c))"),
        ("x = a and b and c", "logic", "x = ((a) and (c))"),
        ("x = not a", "logic", "x = (a)"),
        ("x = a + 1", "logic", "x = a - 1"),
        ("x = a[3]", "one_off", "x = a[2]"),
        ("LIMIT = 3", "size", "LIMIT = 4"),
        ("x = 0.5", "logic", "x = 0.75"),
        ("x = f(a, b, c)", "logic", "x = f(b, a, c)"),
        ("x = min(a)", "logic", "x = max(a)"),
        ("x = f(reverse=True)", "logic", "x = f(reverse=False)"),
        ("x.y = 1", "logic", "pass"),
        ("x += f(é)", "logic", "x -= f(é)"),
        ("f(x)", "logic", "pass"),
        ("key = (a, b)", "kept", "key = (b,)"),
    ],
)
def test_mutations_of_python_follow_its_syntax(source: str, kind: str, by: str) -> None:
    assert (kind, "", by) in found(source)


@pytest.mark.parametrize(
    ("source", "kind", "by"),
    [
        ("x = a <= b", "boundary", "x = a < b"),
        ("x = a && (b || c)", "logic", "x = (b || c)"),
        ("x = a && b", "logic", "x = a"),
        ("x = !a", "logic", "x = a"),
        ("x = a + 1", "logic", "x = a - 1"),
        ("x = a[3]", "one_off", "x = a[2]"),
        ("LIMIT = 30", "size", "LIMIT = 31"),
        ("x = 0.5", "logic", "x = 0.75"),
        ("x = f(a, g(b, c), d)", "logic", "x = f(g(b, c), a, d)"),
        ("@x = f(é)", "logic", "nil"),
        ("return a if b", "logic", "nil"),
        ("key = [a, b]", "kept", "key = [b]"),
    ],
)
def test_mutations_of_ruby_follow_its_tokens(source: str, kind: str, by: str) -> None:
    assert (kind, "", by) in found(source, "ruby")


def test_code_that_no_result_depends_on_is_not_changed() -> None:
    for source in (
        "import a",
        "def __repr__(self):\n    return f(1)",
        "x: list[1] = y",
        'f"{1}"',
        "x = f(strict=True)",
    ):
        assert found(source) == set(), source
    for source in ("class A < B", "attr_reader :first", "def inspect\n  f(1)\nend", "x = f(*a, b)"):
        assert [one for one in found(source, "ruby") if one[0] == "logic"] == [], source


def test_changes_are_within_functions() -> None:
    source = "class A:\n    def f(self):\n        def g():\n            return 1\n\n        return g\n"
    assert {one.inside for one in python_changes.changes(source)} == {"A.f.g"}
    assert list(python_changes.names(source)) == ["A.f", "A.f.g"]
    [change, _] = ruby_changes.changes({"x": "module A\n  def self.f?\n    1\n  end\nend\n"})["x"]
    assert change.inside == "f?"


@pytest.mark.nightly
def test_draws_are_reproducible_and_redraw_only_what_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = drawing.draw(REACHED, 40)
    assert drawn == drawing.draw(REACHED, 40)
    assert {one.language for one in drawn} == {"python", "ruby"}
    assert compiling.problems(drawn) == []
    names = {one.name for one in drawn}
    assert len(names) == 40
    assert len(names & {one.name for one in drawing.draw(REACHED, 40, "another")}) < 20
    paths = {"python_ref/hybrid_search/base/ordering.py"}
    before = drawing.draw(REACHED, 3, paths=paths)
    text = drawing._text
    monkeypatch.setattr(drawing, "_text", lambda path: "# a line more\n" + text(path))
    monkeypatch.setattr(compiling, "problems", lambda _mutants: [])
    after = drawing.draw(REACHED, 3, paths=paths)
    assert [one.name for one in after] == [one.name for one in before]
    assert [one.at for one in after] == [(one.at or 0) + len("# a line more\n") for one in before]


def test_only_code_that_cases_reach_is_drawn() -> None:
    paths = {"python_ref/hybrid_search/fusion/normalizer.py", "ruby/lib/hybrid_search/fusion/normalizer.rb"}
    inside = {(one.language, one.change.inside) for one in drawing.candidates(REACHED, "1", paths)}
    assert ("python", "normalize") in inside
    assert ("ruby", "normalize") in inside
    assert ("python", "_max") not in inside
    assert ("ruby", "max") not in inside
    assert drawing.draw(REACHED, 5, paths={"python_ref/hybrid_search/fusion/fusion.py"}) == []


def test_known_equivalents_are_not_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    paths = {"python_ref/hybrid_search/fusion/normalizer.py"}
    one = drawing.draw(REACHED, 1, paths=paths)[0]
    result = equivalents.digest(one.apply(table.read(one)))
    monkeypatch.setattr(equivalents, "results", lambda: {(one.path, result)})
    assert drawing.draw(REACHED, 1, paths=paths)[0] != one


def test_functions_that_cases_reach_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cases = [case for case in committed().cases if case.operation == "fusion.rrf"]
    monkeypatch.setattr(reached, "KERNELS", ("plain",))
    result = reached.find(cases, cache=tmp_path / "reached.json")
    assert result["fusion/fusion.py"]["Fusion.rrf"]
    assert reached.find([], cache=tmp_path / "reached.json") == result
    monkeypatch.setattr(reached, "_key", lambda: "another")
    assert reached.find([], stale=True, cache=tmp_path / "reached.json") == result
    assert reached.find([], cache=tmp_path / "reached.json") == {}


NOTICED = ("fusion.rrf_ranks_from_zero.python", "ordering.tiers_descending.ruby")
NOTICED_BY_NIGHT = ("text.keyword_stop_words.ruby",)
HARMLESS = mutant(replace="Return pairs of (id, score)", by="Return couples of (id, score)")
OF_FILES = mutant(
    name="sqlite.fewer_batches.python",
    path="python_ref/hybrid_search/doc_store_adapter/sqlite/sqlite_changes.py",
    replace="generation - document_changes.MOST_BATCHES)",
    by="generation - document_changes.MOST_BATCHES + 1)",
    modules=("index_files.script",),
)
STILLBORN = mutant(
    name="fusion.stillborn.python",
    path="conformance/implementations/python/main.py",
    replace="import json",
    by="import jason",
)


def fates_of(names: tuple[str, ...], *others: Mutant) -> dict[str, Fate]:
    """The fates of a few mutants; they run at once, because the copy of the sources takes most of the time."""
    chosen = [*(one for one in MUTANTS if one.name in names), *others]
    return {fate.mutant.name: fate for fate in check.run_all(chosen, committed().cases, {}, 1, quick=True)}


@pytest.fixture(scope="module")
def fates() -> dict[str, Fate]:
    return fates_of(NOTICED, HARMLESS, STILLBORN)


@pytest.fixture(scope="module")
def fates_by_night() -> dict[str, Fate]:
    return fates_of(NOTICED_BY_NIGHT, OF_FILES)


def expect_killed(fate: Fate) -> None:
    assert fate.killed_by is not None, fate
    assert fate.killed_by.partition(".")[0] in {module.partition(".")[0] for module in fate.mutant.modules}
    assert fate.how.startswith("fail at ")


@pytest.mark.parametrize("name", NOTICED)
def test_a_mutant_is_killed_when_it_runs(name: str, fates: dict[str, Fate]) -> None:
    expect_killed(fates[name])


@pytest.mark.nightly
@pytest.mark.parametrize("name", NOTICED_BY_NIGHT)
def test_more_mutants_are_killed_when_they_run(name: str, fates_by_night: dict[str, Fate]) -> None:
    expect_killed(fates_by_night[name])


def test_a_mutant_without_a_visible_effect_survives(fates: dict[str, Fate]) -> None:
    fate = fates[HARMLESS.name]
    assert (fate.killed_by, fate.broken) == (None, False)


def test_a_case_that_fails_without_the_mutant_kills_nothing() -> None:
    case = next(case for case in committed().cases if case.module == "fusion" and case.level == "must")
    [fate] = check.run_all([HARMLESS], [dataclasses.replace(case, expect={**case.expect, "value": "another"})], {}, 1)
    assert fate.broken
    assert fate.how.startswith(f"reference is not as expected without a change either: {case.id}: ")


@pytest.mark.nightly
def test_a_mutant_of_an_engine_store_is_checked_by_its_own_tests(tmp_path: Path) -> None:
    test = "own_tests.test_opensearch_certainty.test_a_cluster_gets_the_time_limit_of_its_caller"
    chosen = [one for one in MUTANTS if one.name == "opensearch.cluster_goes_on.python"]
    [fate] = check.run_all(chosen, committed().cases, {chosen[0].name: test}, 1)
    assert fate.killed_by == test
    assert fate.how.startswith("fail: ")
    with pytest.raises(BrokenError, match="its tests do not even start"):
        own_tests.noticed(tmp_path, ["test_nothing"], engines=False)


@pytest.mark.nightly
def test_a_mutant_of_the_file_store_is_killed_by_a_case_that_creates_files(fates_by_night: dict[str, Fate]) -> None:
    assert fates_by_night[OF_FILES.name].killed_by == "index_files.script.written.010"


def test_a_mutant_of_the_file_store_is_checked_by_cases_that_create_files() -> None:
    assert OF_FILES.asked("doc_store.documents") == "python-sqlite"
    assert OF_FILES.asked("index_files.script") == "python"
    assert HARMLESS.asked("index_files.script") == "reference"


def test_a_mutant_that_does_not_start_is_broken(fates: dict[str, Fate]) -> None:
    fate = fates[STILLBORN.name]
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


def test_unexpected_fates_are_reported() -> None:
    killed, alive, broken = Fate(mutant(), "fusion.rrf.lists.001"), Fate(mutant()), Fate(mutant(), how="?", broken=True)
    name = mutant().name
    assert survivors.surprises({}, [killed]) == []
    assert survivors.surprises({name: "because"}, [alive]) == []
    for reasons, fate, said in [
        ({}, alive, "survives: no case notices that nothing is right"),
        ({name: "because"}, killed, "is noticed by fusion.rrf.lists.001"),
        ({}, broken, "?"),
    ]:
        [line] = survivors.surprises(reasons, [fate])
        assert line.startswith(f"{name}: ")
        assert said in line


def test_most_drawn_mutants_must_be_noticed_and_all_in_fusion() -> None:
    one = mutant(at=1, area="text", name="text.x.ruby")
    assert survivors.surprises({}, [Fate(one, "x")] * 3 + [Fate(one)]) == []
    assert survivors.surprises({}, [Fate(one, "x")] * 2 + [Fate(one)]) == [
        "only 2 of 3 drawn mutants are noticed, not 75%"
    ]
    told = "fusion.shout.python: survives: no case notices that nothing is right"
    assert survivors.surprises({}, [Fate(mutant(at=1), "x")] * 9 + [Fate(mutant(at=1))]) == [told]


def test_the_case_that_noticed_a_mutant_is_remembered(tmp_path: Path) -> None:
    cache = tmp_path / "cache" / "killers.json"
    assert killers.load(cache) == {}
    killers.remember([Fate(mutant(), "a"), Fate(mutant(name="b"), "b")], cache)
    killers.remember([Fate(mutant())], cache)
    assert killers.load(cache) == {"b": "b"}
    cache.write_text("damaged")
    assert killers.load(cache) == {}


def test_a_drawn_mutant_is_checked_by_the_cases_of_its_function_first() -> None:
    one = mutant(at=0, modules=("ordering.rank",), cases=("ordering.rank.ties.005", "ordering.rank.ties.003"))
    cases = [case for case in committed().cases if case.module in ("fusion", "ordering")]
    order = [case.id for case in check._in_order(one, cases, "fusion.rrf.lists.001")]
    assert order[:4] == ["fusion.rrf.lists.001", *one.cases, "ordering.rank.sizes.001"]


@pytest.mark.nightly
def test_the_command_runs_the_requested_mutants(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["mutants", "--name", "fusion.rrf_ranks_from_zero.*"]) == 0
    assert "2 of 2 mutants noticed (100.0 %)" in capsys.readouterr().out
    assert cli.main(["mutants", "--list", "--only", "written", "--area", "paging", "--language", "ruby"]) == 0
    assert "paging.window_clamped.ruby\ta block is 64 candidates" in capsys.readouterr().out
    assert cli.main(["mutants", "--only", "written", "--area", "pageing"]) == 2
    assert "there is no area pageing" in capsys.readouterr().err

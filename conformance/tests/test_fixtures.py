"""A fixture that was changed by hand is reported with its file and case, and the run continues (CNF-1, CNF-4)."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conformance.cases import fixtures, lint
from conformance.commands import main as cli
from conformance.generators.expected import to_line
from conformance.implementations.listing import Implementation
from conformance.judging import runner
from conformance.judging.results import Result
from conformance.reports import outcome
from conformance.tests.conftest import make_case, write_fixtures

Scripted = Callable[..., Implementation]


def run(fixture_file: Path, implementation: Implementation) -> tuple[list[str], list[Result]]:
    loaded = fixtures.load(fixture_file.parents[1])
    results = runner.run([implementation], loaded.cases, runner.Options(shuffle=False))[0].results
    problems = loaded.problems + lint.problems(loaded.cases, complete=False)
    return problems, [result for result in results if result.counts]


def rewrite(fixture_file: Path, place: int, change: Callable[[dict[str, Any]], None]) -> None:
    """Change the case at a place of the file."""
    cases = [json.loads(line) for line in fixture_file.read_text().splitlines()]
    change(cases[place])
    fixture_file.write_bytes(b"".join(map(to_line, cases)))


def change(fixture_file: Path, old: str, new: str, count: int = 1) -> None:
    text = fixture_file.read_text()
    assert old in text
    fixture_file.write_text(text.replace(old, new, count))


def test_an_untouched_fixture_has_no_problem(fixture_file: Path, scripted: Scripted) -> None:
    assert run(fixture_file, scripted()) == ([], [])


def test_a_deleted_fixture_names_its_cases(fixture_file: Path) -> None:
    fixture_file.unlink()
    problems = fixtures.load(fixture_file.parents[1]).problems
    assert len(problems) == 1
    assert "echo/value.small.jsonl is missing" in problems[0]
    assert "echo.value.small.003" in problems[0]


def test_one_changed_bit_names_case_and_stage(fixture_file: Path, scripted: Scripted) -> None:
    def flip(case: dict[str, Any]) -> None:
        case["expect"]["trace"][1]["value"][0][1]["bits"] = "3fe8000000000001"

    rewrite(fixture_file, 2, flip)
    problems, wrong = run(fixture_file, scripted())
    assert any("was changed by hand" in problem for problem in problems)
    assert any("echo.value.small.003" in problem and "3fe8000000000001" in problem for problem in problems)
    assert [(result.case, result.stage) for result in wrong] == [("echo.value.small.003", "fuse")]


def test_two_swapped_ids_name_case_and_stage(fixture_file: Path, scripted: Scripted) -> None:
    def swap(case: dict[str, Any]) -> None:
        value = case["expect"]["value"]
        value[0][0], value[1][0] = value[1][0], value[0][0]

    rewrite(fixture_file, 0, swap)
    problems, wrong = run(fixture_file, scripted())
    assert len(problems) == 1
    assert [(result.case, result.stage) for result in wrong] == [("echo.value.small.001", "value")]
    assert any("'b'" in line for line in wrong[0].details)


def test_a_changed_input_is_detected_by_its_fingerprint(fixture_file: Path) -> None:
    change(fixture_file, '"second"', '"other"', count=-1)
    problems = fixtures.load(fixture_file.parents[1]).problems
    assert any("echo.value.small.002" in problem and "fingerprint" in problem for problem in problems)


def test_a_bare_float_is_refused(fixture_file: Path) -> None:
    change(fixture_file, '"params":{}', '"params":{"k":0.5}')
    assert any("bare float" in problem for problem in fixtures.load(fixture_file.parents[1]).problems)


def test_an_extra_fixture_is_reported(fixture_file: Path) -> None:
    (fixture_file.parent / "other.jsonl").write_bytes(fixture_file.read_bytes())
    problems = fixtures.load(fixture_file.parents[1]).problems
    assert any("other.jsonl is not in the manifest" in problem for problem in problems)


def test_any_other_file_is_reported(fixture_file: Path) -> None:
    folder = fixture_file.parents[1]
    for path in ("notes.txt", "echo/notes.md", "echo/deeper/value.small.jsonl"):
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_text("{}")
    problems = fixtures.load(folder).problems
    assert [problem.split(" ")[0] for problem in problems] == [
        "echo/deeper/value.small.jsonl",
        "echo/notes.md",
        "notes.txt",
    ]


def test_a_flipped_bit_is_reported_with_its_file_and_its_case(fixture_file: Path) -> None:
    """The bit may change the text, or make the file invalid JSON or invalid UTF-8."""
    whole = fixture_file.read_bytes()
    begin, end = whole.index(b'"second"') - 300, whole.index(b'"second"') + 300
    for place in range(begin, end, 7):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << (place % 8)
        fixture_file.write_bytes(bytes(damaged))
        problems = fixtures.load(fixture_file.parents[1]).problems
        assert problems[0].startswith("echo/value.small.jsonl was changed by hand in echo.value.small.00"), problems
    fixture_file.write_bytes(whole)
    assert fixtures.load(fixture_file.parents[1]).problems == []


def test_an_added_line_belongs_to_no_case(fixture_file: Path) -> None:
    fixture_file.write_bytes(fixture_file.read_bytes() + b"\n")
    assert "was changed by hand outside its cases" in fixtures.load(fixture_file.parents[1]).problems[0]


def test_a_case_of_another_operation_is_reported_as_in_the_wrong_file(fixture_file: Path) -> None:
    change(fixture_file, '"operation":"echo.value"', '"operation":"echo.other"')
    found = [line for line in fixtures.load(fixture_file.parents[1]).problems if "belong" in line]
    told = "echo.value.small.001: its operation echo.other does not belong into this file"
    assert found == [f"echo/value.small.jsonl: {told}"]


def test_texts_may_contain_other_line_separators(tmp_path: Path) -> None:
    cases = [make_case(1, ["a\u2028b\u0085c\x0bd\x1ce"], "\u2029")]
    folder = write_fixtures(tmp_path / "f", cases).parents[1]
    loaded = fixtures.load(folder)
    assert (loaded.problems, [case.input for case in loaded.cases]) == ([], [cases[0]["input"]])
    assert [fixtures.parse(line) for line in fixtures.find("echo.value.small.001", folder)] == cases


@pytest.mark.parametrize(("key", "value"), [("compare", "ulp:1000"), ("compare", "order"), ("level", "may")])
def test_a_fixture_with_a_new_digest_cannot_demand_less(key: str, value: str, tmp_path: Path) -> None:
    cases = [make_case(1, ["first"], "x") | {key: value}]
    loaded = fixtures.load(write_fixtures(tmp_path / "f", cases).parents[1])
    found = lint.problems(loaded.cases, complete=False)
    assert [line for line in found if "lenient.yml" in line] == [
        f"echo.value.small.001: has {key} {value}, and lenient.yml does not allow that"
    ]


def test_a_selection_without_cases_is_an_error(tmp_path: Path) -> None:
    assert cli.main(["--case", "no.such.case", "--reports", str(tmp_path)]) == outcome.BROKEN


def test_a_clause_without_cases_is_reported() -> None:
    clauses = {"FUS-2": {"cases": "required"}, "CUR-1": {"cases": "later"}}
    assert lint.uncovered([], clauses) == ["clause FUS-2 has no case"]

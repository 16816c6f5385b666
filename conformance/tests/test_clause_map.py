"""The clause map is what the cases give, and finds clauses that have too few (CNF-20)."""

from dataclasses import replace
from pathlib import Path

import pytest

from conformance import yaml_files
from conformance.cases import clause_map, fixtures, lint
from conformance.paths import CONFORMANCE


def test_the_document_is_what_the_cases_give() -> None:
    assert clause_map.main(["--check"]) == 0


def test_another_document_is_found_and_mended(tmp_path: Path) -> None:
    document = tmp_path / "clauses.md"
    document.write_text("old", encoding="utf-8")
    given = ["--document", str(document)]
    assert clause_map.main([*given, "--check"]) == 1
    assert clause_map.main(given) == 0
    assert clause_map.main([*given, "--check"]) == 0


@pytest.mark.parametrize(
    ("kind", "problem"),
    [
        ("none", "clause FUS-2 has no case"),
        ("normal", "clause FUS-2 has normal cases only; it needs one at a boundary or with an error"),
        ("boundary", "clause FUS-2 has no normal case, only boundary ones"),
        ("error", "clause FUS-2 has no normal case, only error ones"),
    ],
)
def test_a_clause_needs_a_normal_case_and_another(kind: str, problem: str) -> None:
    clauses = {"FUS-2": yaml_files.load(CONFORMANCE / "clauses.yml")["FUS-2"]}
    cases = [case for case in fixtures.load(modules=("fusion",)).cases if "FUS-2" in case.clauses]
    assert lint.uncovered(cases, clauses) == []
    assert {lint.kind(case) for case in cases} == set(lint.KINDS)
    assert lint.uncovered([case for case in cases if lint.kind(case) == kind], clauses) == [problem]


def test_a_case_without_a_clause_is_a_problem() -> None:
    cases = fixtures.load(modules=("ordering",)).cases
    assert lint.problems(cases, complete=False) == []
    bare = replace(cases[0], clauses=())
    assert lint.problems([bare], complete=False) == [f"{bare.id}: has no clause"]

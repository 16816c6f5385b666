"""The clause map follows from specification, cases and code; missing and wrong citations are found (CNF-20)."""

import subprocess
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

from conformance import yaml_files
from conformance.cases import citations, clause_map, fixtures, lint, specification
from conformance.cases.citations import Citation
from conformance.cases.fixtures import Case
from conformance.cases.specification import Clause
from conformance.errors import BrokenError
from conformance.paths import CONFORMANCE

BUILT = Clause("FUS-2", "Fusion", "03-fusion.md", True)
LATER = Clause("CUR-1", "Cursors", "04-retrieval.md", False)
PROOFS = {"FUS-2": {"cases": "required"}, "CUR-1": {"cases": "later"}}
PYTHON, RUBY = "python_ref/hybrid_search/fusion.py", "ruby/lib/hybrid_search/fusion.rb"


def cited(clause: str, *paths: str) -> list[Citation]:
    return [Citation(clause, PurePosixPath(path), 7, False) for path in paths]


def problems(
    places: list[Citation], cases: list[Case] | None = None, proofs: dict[str, Any] = PROOFS, later: Clause = LATER
) -> list[str]:
    clauses = {clause.number: clause for clause in (BUILT, later)}
    return clause_map.problems(clauses, proofs, cases or [], places)


def test_the_committed_document_is_up_to_date() -> None:
    assert clause_map.main(["--check"]) == 0


def test_an_outdated_document_is_found_and_fixed(tmp_path: Path) -> None:
    document = tmp_path / "clauses.md"
    document.write_text("old", encoding="utf-8")
    given = ["--document", str(document)]
    assert clause_map.main([*given, "--check"]) == 1
    assert clause_map.main(given) == 0
    assert clause_map.main([*given, "--check"]) == 0


def test_the_map_leads_from_a_clause_to_its_text_its_cases_and_its_code() -> None:
    rows = clause_map.DOCUMENT.read_text(encoding="utf-8").splitlines()
    row = next(row for row in rows if '<a id="ret-3"></a>' in row)
    for link in (
        "[RET-3](spec/04-retrieval.md#ret-3)",
        "(../fixtures/cases/retriever)",
        "(../python_ref/hybrid_search/retriever/window.py)",
        "(../ruby/lib/hybrid_search/retriever/window.rb)",
    ):
        assert link in row


def test_a_cited_clause_that_does_not_exist_is_found() -> None:
    unknown = "FUS" + "-9"
    found = problems([*cited("FUS-2", PYTHON, RUBY), *cited(unknown, "docs/architecture.md")])
    assert found == [f"docs/architecture.md:7 cites {unknown}, which docs/spec does not have"]


def test_a_clause_that_nothing_cites_is_found() -> None:
    assert problems(cited("FUS-2", PYTHON, RUBY)) == []
    assert problems([]) == ["docs/spec/03-fusion.md: nothing cites FUS-2"]
    assert problems(cited("FUS-2", "docs/spec/04-retrieval.md", "README.md")) == [
        "docs/spec/03-fusion.md: nothing cites FUS-2"
    ]


def test_both_libraries_must_cite_a_clause_that_has_cases() -> None:
    cases = [case for case in fixtures.load(modules=("fusion",)).cases if "FUS-2" in case.clauses]
    silent = "docs/spec/03-fusion.md: nothing in ruby/lib/hybrid_search cites FUS-2"
    assert problems(cited("FUS-2", PYTHON), cases) == [silent]
    by_tests = {**PROOFS, "FUS-2": {"cases": "tests"}}
    assert problems(cited("FUS-2", "conformance/judge.py"), proofs=by_tests) == []


def test_specification_and_proofs_must_agree() -> None:
    places = cited("FUS-2", PYTHON, RUBY)
    told = "CUR-1: docs/spec and clauses.yml do not agree whether it is built"
    assert problems(places, proofs={**PROOFS, "CUR-1": {"cases": "required"}})[0] == told
    assert problems(places, later=replace(LATER, built=True)) == [
        told,
        "docs/spec/04-retrieval.md: nothing cites CUR-1",
    ]
    assert problems(places, proofs={**PROOFS, "CUR-2": {"cases": "later"}}) == [
        "clauses.yml: CUR-2 is not in docs/spec"
    ]
    assert problems(places, proofs={"FUS-2": PROOFS["FUS-2"]}) == ["clauses.yml has no line for CUR-1"]


def test_single_citations_ranges_and_citations_with_parts_are_read(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)
    code = "# (RNK-1 … RNK-3, QRY-6.2) in UTF-8\n\n# SHA-256, X-RNK-1, RNK-1x [RET-3]\n"
    (tmp_path / "code.py").write_text(code, encoding="utf-8")
    (tmp_path / "fixtures/cases").mkdir(parents=True)
    (tmp_path / "fixtures/made.json").write_text("RET-1", encoding="utf-8")
    (tmp_path / "fixtures/cases/one.yml").write_text("clauses: [RET-3]\ninput: RX" + "-480\n", encoding="utf-8")
    found = citations.find({"RNK", "QRY", "RET"}, tmp_path)
    assert [(str(one.path), one.line, one.clause, one.in_row) for one in found] == [
        ("code.py", 1, "RNK-1", True),
        ("code.py", 1, "RNK-2", True),
        ("code.py", 1, "RNK-3", True),
        ("code.py", 1, "QRY-6", False),
        ("code.py", 3, "RET-3", False),
        ("fixtures/cases/one.yml", 1, "RET-3", False),
    ]


GOOD = '### <a id="ret-3"></a>[RET-3](../clauses.md#ret-3) The window'


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("# Pages\n", "holds no clauses"),
        (f"{GOOD}\n{GOOD}\n", "01.md: RET-3 stands in 01.md already"),
        ("### RET-3 The window\n", "01.md: not the heading of a clause: ### RET-3 The window"),
        (GOOD.replace('"ret-3"', '"ret-4"'), "01.md: not the heading of a clause"),
        (GOOD.replace("#ret-3", "#ret-4"), "01.md: not the heading of a clause"),
    ],
)
def test_a_specification_out_of_order_is_refused(tmp_path: Path, text: str, problem: str) -> None:
    (tmp_path / "01.md").write_text(text, encoding="utf-8")
    with pytest.raises(BrokenError, match=problem):
        specification.load(tmp_path)


def test_a_section_states_whether_it_is_built(tmp_path: Path) -> None:
    later = GOOD.replace("ret-3", "ret-4").replace("RET-3", "RET-4")
    text = f"# Pages\n\n{GOOD}\n\n## Cursors\n\n{specification.NOT_BUILT} Soon.\n\n{later}\n"
    (tmp_path / "01.md").write_text(text, encoding="utf-8")
    clauses = specification.load(tmp_path)
    assert {number: clause.built for number, clause in clauses.items()} == {"RET-3": True, "RET-4": False}


@pytest.mark.parametrize(
    ("kind", "problem"),
    [
        ("none", "clause FUS-2 has no case"),
        ("normal", "clause FUS-2 has normal cases only; it needs one at a boundary or with an error"),
        ("boundary", "clause FUS-2 has no normal case, only boundary ones"),
        ("error", "clause FUS-2 has no normal case, only error ones"),
    ],
)
def test_a_clause_needs_cases_of_each_kind(kind: str, problem: str) -> None:
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

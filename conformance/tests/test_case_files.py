from pathlib import Path
from typing import Any

import pytest

from conformance.generators import case_files

GOOD = """
operation: fusion.rrf
theme: small
clauses: [FUS-2]
flags: [tie]
params: {k: 60}
cases:
  - id: fusion.rrf.small.001
    summary: two lists
    flags: [near_tie]
    params: {k: 1e-3}
    input: {a: no, b: 1.0, c: 010, d: 2026-01-31, e: .nan, f: "1"}
"""


@pytest.fixture
def cases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(case_files, "CASES", tmp_path)
    (tmp_path / "fusion").mkdir()
    return tmp_path / "fusion" / "rrf.small.yml"


def load(path: Path, text: str) -> tuple[list[case_files.CaseFile], list[str]]:
    path.write_text(text, encoding="utf-8")
    return case_files.load()


def test_cases_of_a_file_are_read_with_their_defaults(cases: Path) -> None:
    files, problems = load(cases, GOOD)
    assert problems == []
    assert files[0].fixture == "fusion/rrf.small.jsonl"
    case = files[0].cases[0]
    assert (case.flags, case.clauses, case.level, case.compare) == (("near_tie", "tie"), ("FUS-2",), "must", "bits")
    assert case.params == {"k": 0.001}
    given: dict[str, Any] = case.input
    assert (given["a"], given["c"], given["d"], given["f"]) == ("no", 10, "2026-01-31", "1")
    assert given["b"] == 1.0
    assert given["e"] != given["e"]


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("fusion.rrf.small.001", "fusion.rrf.other.001", "must start with"),
        ("summary: two lists", "summary: ''", "no summary"),
        ("[FUS-2]", "[fusion]", "unknown clause fusion"),
        ("[FUS-2]", "[]", "has no clause"),
        ("[tie]", "[no_such_flag]", "unknown flag no_such_flag"),
        ("theme: small", "theme: small\nlevel: should", "level must be"),
        ("theme: small", "theme: small\ncompare: roughly", "compare must be"),
        ("theme: small", "theme: small\nthame: small", "unknown keys thame"),
        ("theme: small", "theme: small\ntheme: small", "comes twice"),
        ("fusion.rrf\n", "other.rrf\n", "belongs into the folder other"),
    ],
)
def test_a_mistake_in_a_case_file_is_reported(cases: Path, old: str, new: str, told: str) -> None:
    assert old in GOOD
    assert any(told in problem for problem in load(cases, GOOD.replace(old, new))[1])


def test_a_duplicate_id_is_reported(cases: Path) -> None:
    again = GOOD + GOOD.partition("cases:\n")[2]
    assert any("is used in" in problem for problem in load(cases, again)[1])

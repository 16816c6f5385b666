"""Every report is made from the log, and has the expected contents (CNF-14); test_page.py tests the page."""

import dataclasses
import json
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

from conformance.judging.results import Result
from conformance.paths import ROOT
from conformance.reports import badge, html, junit, log, matrix, places, previous, summary, whereabouts
from conformance.reports.sample import sample_log


def test_the_log_is_read_back_as_written(tmp_path: Path) -> None:
    events = sample_log()
    log.write(tmp_path / "log.jsonl", events)
    assert log.read(tmp_path / "log.jsonl") == events
    assert [result.event() for result in log.parse(events).results] == [one for one in events if one["type"] == "case"]


def test_every_report_shows_the_same_failures() -> None:
    parsed = log.parse(sample_log())
    told = summary.build(parsed)
    assert [one["case"] for one in told["failures"]] == ["fusion.rrf.ties.002", "retriever.pages.walk.001"]
    suites = junit.build(parsed)
    assert (suites.get("tests"), suites.get("failures"), suites.get("skipped")) == ("8", "2", "2")
    assert badge.build(parsed)["message"] == "2 of 8 fail"
    table = matrix.build(parsed)
    assert "| fusion | 2 | ✅ 2 pass | ❌ 1 pass, 1 fail |" in table
    assert "| segmenter | 1 | – 1 known | – 1 unsupported |" in table


@pytest.mark.parametrize(
    ("implementation", "expected"),
    [
        ("reference", "python_ref/hybrid_search/fusion/fusion.py"),
        ("ruby-plain", "ruby/lib/hybrid_search/fusion/fusion.rb"),
    ],
)
def test_a_failure_names_its_clauses_and_files(implementation: str, expected: str) -> None:
    failed = Result("fusion.rrf.ties.001", "fusion", "fusion.rrf", implementation, "fail", True, ("FUS-2", "ORD-1"))
    about = whereabouts.clauses(failed)
    assert about[0].startswith("FUS-2 Weighted sum")
    assert about[0].endswith("docs/spec/03-fusion-rerank.md#fus-2")
    files = whereabouts.files(failed)
    assert files[0] == expected
    assert all((ROOT / path).is_file() for path in files)


def test_the_xml_of_a_failure_contains_its_summary_clauses_and_files() -> None:
    begin, *_, end = sample_log()
    failed = next(one for one in sample_log() if one.get("case") == "fusion.rrf.ties.002" and one["status"] == "fail")
    suites = junit.build(log.parse([begin, {**failed, "implementation": "ruby"}, end]))
    told = [line for text in suites.itertext() for line in text.splitlines()]
    assert any(line.startswith("about: FUS-2 ") and line.endswith("03-fusion-rerank.md#fus-2") for line in told)
    assert "look at: ruby/lib/hybrid_search/fusion/fusion.rb" in told
    assert told[-1].startswith("again: ")


def test_a_port_with_its_code_elsewhere_gets_only_the_clauses() -> None:
    failed = Result("fusion.rrf.ties.001", "fusion", "fusion.rrf", "other", "fail", True, ("FUS-2",))
    assert whereabouts.files(failed) == []
    assert len(whereabouts.clauses(failed)) == 1


def test_the_badge_differs_for_a_clean_and_a_failed_run() -> None:
    clean = [one for one in sample_log() if one["type"] != "case" or not one["counts"]]
    clean[-1] = {**clean[-1], "exit": 0}
    assert badge.build(log.parse(clean)) == {
        "schemaVersion": 1,
        "label": "conformance",
        "message": "4 cases, 0 ULP",
        "color": "brightgreen",
    }
    clean[-1] = {**clean[-1], "exit": 2}
    assert badge.build(log.parse(clean))["message"] == "broken"


def test_a_matrix_is_placed_only_between_its_markers() -> None:
    text = f"before\n{matrix.BEGIN}\nold\n{matrix.END}\nafter\n"
    assert matrix.placed(text, "| new |\n") == f"before\n{matrix.BEGIN}\n| new |\n{matrix.END}\nafter\n"
    for wrong in ("none", matrix.BEGIN, f"{matrix.END} {matrix.BEGIN}", text + text):
        with pytest.raises(ValueError, match="each once"):
            matrix.placed(wrong, "")


def test_the_command_writes_the_matrix_into_a_document_and_checks_it(tmp_path: Path) -> None:
    table, document, front = tmp_path / "matrix.md", tmp_path / "conformance.md", tmp_path / "README.md"
    picture = tmp_path / "conformance.svg"
    given = ["--matrix", str(table), "--document", str(document), "--sums", str(front), "--badge", str(picture)]
    assert matrix.main(given) == 2
    matrix.write(table, log.parse(sample_log()))
    badge.write(tmp_path / "badge.json", log.parse(sample_log()))
    for path in (document, front):
        path.write_text(f"{matrix.BEGIN}{matrix.END}\n", encoding="utf-8")
    assert matrix.main([*given, "--check"]) == 1
    assert matrix.main(given) == 0
    assert "| **all** | 4 |" in document.read_text(encoding="utf-8")
    assert [line.split(" | ")[0] for line in front.read_text(encoding="utf-8").splitlines()[1:-1]] == [
        "| module", "| ---", "| **all**"
    ]  # fmt: skip
    assert matrix.main([*given, "--check"]) == 0
    front.write_text(front.read_text(encoding="utf-8").replace("| **all** | 4 |", "| **all** | 5 |"), encoding="utf-8")
    assert matrix.main([*given, "--check"]) == 1
    assert matrix.main(given) == 0
    assert "conformance: 2 of 8 fail" in picture.read_text(encoding="utf-8")
    picture.write_text(picture.read_text(encoding="utf-8").replace("2 of 8", "0 of 8"), encoding="utf-8")
    assert matrix.main([*given, "--check"]) == 1


@pytest.mark.parametrize(
    ("program", "optional", "changed", "status"),
    [
        ("no-such-program", True, False, 0),
        ("no-such-program", True, True, 1),
        ("no-such-program", False, False, 1),
        ("sh", True, False, 1),
    ],
)
def test_a_column_that_cannot_run_here_is_reported_and_not_checked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], program: str, optional: bool, changed: bool, status: int
) -> None:
    table, document, listed = tmp_path / "matrix.md", tmp_path / "conformance.md", tmp_path / "implementations.yml"
    front = tmp_path / "README.md"
    given = ["--matrix", str(table), "--document", str(document), "--sums", str(front)]
    given += ["--badge", str(tmp_path / "conformance.svg")]
    given += ["--implementations-from", str(listed)]
    matrix.write(table, log.parse(sample_log()))
    badge.write(tmp_path / "badge.json", log.parse(sample_log()))
    for path in (document, front):
        path.write_text(f"before\n{matrix.BEGIN}{matrix.END}\n", encoding="utf-8")
    listed.write_text(
        f"ruby: {{command: [sh]}}\nother: {{command: [{program}], optional: {str(optional).lower()}}}\n",
        encoding="utf-8",
    )
    assert matrix.main(given) == 0
    whole = document.read_text(encoding="utf-8")
    if changed:
        document.write_text(whole.replace("| fusion | 2 | ✅ 2 pass", "| fusion | 2 | ✅ 3 pass"), encoding="utf-8")
    table.write_text(matrix.without(table.read_text(encoding="utf-8"), ["other"]), encoding="utf-8")
    assert "other" not in table.read_text(encoding="utf-8")
    capsys.readouterr()
    assert matrix.main([*given, "--check"]) == status
    told = capsys.readouterr()
    if optional and program != "sh":
        assert "other was left out, as no-such-program is not installed; conformance.md keeps its column" in told.out
    else:
        assert "that run did not have other" in told.err
    if status == 0:
        assert matrix.main(given) == 0
    elif changed:
        assert matrix.main(given) == 2
        assert "needs a run of all implementations" in capsys.readouterr().err
    assert "| other |" in document.read_text(encoding="utf-8").splitlines()[2]


def test_a_slow_implementation_that_ran_a_sample_keeps_its_column(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table, document, listed = tmp_path / "matrix.md", tmp_path / "conformance.md", tmp_path / "implementations.yml"
    given = ["--matrix", str(table), "--document", str(document), "--sums", str(document)]
    given += ["--badge", str(tmp_path / "conformance.svg"), "--implementations-from", str(listed)]
    matrix.write(table, log.parse(sample_log()))
    badge.write(tmp_path / "badge.json", log.parse(sample_log()))
    document.write_text(f"{matrix.BEGIN}\n{matrix.sums(table.read_text('utf-8'))}{matrix.END}\n", encoding="utf-8")
    start, *others = sample_log()
    matrix.write(table, log.parse([start | {"partly": ["other"]}, *others]))
    assert "other" not in table.read_text(encoding="utf-8")
    for slow, told in (("true", "other was asked a sample of the cases"), ("false", "did not have other")):
        listed.write_text(f"ruby: {{command: [sh]}}\nother: {{command: [sh], slow: {slow}}}\n", encoding="utf-8")
        matrix.main([*given, "--check"])
        output = capsys.readouterr()
        assert told in output.out + output.err


def test_the_badge_is_a_self_contained_image() -> None:
    made = ET.fromstring(badge.picture(badge.build(log.parse(sample_log()))))
    assert made.get("aria-label") == "conformance: 2 of 8 fail"
    assert {one.text for one in made.iter("{http://www.w3.org/2000/svg}text")} == {"conformance", "2 of 8 fail"}


def test_the_page_contains_everything_and_fetches_nothing() -> None:
    page = html.build(log.parse(sample_log()))
    assert "src=" not in page
    assert "http://" not in page.replace("http://www.w3.org/2000/svg", "")
    assert "https://" not in page
    assert page.count("</script>") == 2
    assert page.count("<script") == 2
    _, _, rest = page.partition('id="data">')
    data = json.loads(rest.partition("</script>")[0])
    assert data["cases"][1]["answers"][1]["evidence"]["got"] == "</script><b>no</b>"


def test_junit_is_well_formed_xml_for_every_message(tmp_path: Path) -> None:
    junit.write(tmp_path / "junit.xml", log.parse(sample_log()))
    assert ET.parse(tmp_path / "junit.xml").getroot().tag == "testsuites"


def failed(case: str, stage: str | None, clauses: tuple[str, ...], wrong: bool = True, **more: Any) -> Result:
    operation = case.rpartition(".")[0].rpartition(".")[0]
    return Result(case, "fusion", operation, "ruby", "fail" if wrong else "pass", wrong, clauses, stage, **more)


def test_failures_of_one_mistake_are_grouped_in_one_place() -> None:
    results = [
        *(failed(f"fusion.rrf.ties.{n:03}", "fuse", ("FUS-2",), evidence={"input": "x" * (9 - n)}) for n in range(5)),
        failed("fusion.rrf.ties.005", None, ("FUS-2",), wrong=False),
        failed("fusion.weighted_sum.lists.001", "fuse", ("FUS-1",)),
    ]
    found = places.gather(results)
    assert [(place.operation, len(place.wrong_cases), place.cases) for place in found] == [
        ("fusion.rrf", 5, 6),
        ("fusion.weighted_sum", 1, 1),
    ]
    assert found[0].simplest.case == "fusion.rrf.ties.004"
    assert found[0].title == "fusion.rrf at fuse (ruby)"


def test_the_clause_with_the_largest_share_of_the_failures_is_suspected_first() -> None:
    results = [
        *(failed(f"fusion.rrf.ties.{n:03}", "fuse", ("NUM-2", "ORD-1")) for n in range(3)),
        *(failed(f"fusion.rrf.ties.{n:03}", None, ("ORD-1",), wrong=False) for n in range(3, 9)),
    ]
    assert places.suspects(results) == [("NUM-2", 3, 3), ("ORD-1", 3, 9)]
    assert places.suspects(results[3:]) == []


def test_a_run_is_compared_with_the_previous_one(tmp_path: Path) -> None:
    assert previous.failures(tmp_path) is None
    (tmp_path / "log.jsonl").write_text("no log\n")
    assert previous.failures(tmp_path) is None
    log.write(tmp_path / "log.jsonl", sample_log())
    before = previous.failures(tmp_path)
    assert before is not None
    results = [
        dataclasses.replace(one, counts=one.case == "fusion.rrf.ties.001") for one in log.parse(sample_log()).results
    ]
    assert dataclasses.asdict(previous.since(before, results)) == {"broken": 2, "mended": 2, "still": 0}


def test_a_clause_is_quoted_and_the_reference_is_named() -> None:
    wrong = failed("fusion.rrf.ties.001", "fuse", ("FUS-2",))
    assert whereabouts.quotes(wrong)[0].startswith("FUS-2: ")
    assert len(whereabouts.quotes(wrong)[0]) <= whereabouts.QUOTED + 10
    assert whereabouts.reference_files(wrong)[0].startswith("python_ref/hybrid_search/fusion/")
    assert whereabouts.reference_files(dataclasses.replace(wrong, implementation="python")) == []
    assert "ruby/lib/hybrid_search/fusion/fusion.rb" in whereabouts.of_clause("FUS-2", ["ruby"])

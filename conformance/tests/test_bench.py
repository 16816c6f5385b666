"""The bench: its arithmetic, its command line, its reports, and one tiny run."""

import io
import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conformance.bench import against, table, texts, timing, whole_data
from conformance.bench import command as cli
from conformance.bench.contestants import bm25_anchors, helpers
from conformance.bench.contestants.stores import StoreOf
from conformance.bench.context import Context
from conformance.bench.dense_vectors import DenseVectors
from conformance.bench.results import Comparison, Ratio, Report, Row
from conformance.bench.timing import Spread
from conformance.bench.workloads import native, scale, stored_documents, whole
from conformance.errors import BrokenError
from conformance.paths import CORPORA
from conformance.reports import terminal
from hybrid_search import DocumentBuilder


def test_percentiles_are_measured_values() -> None:
    values = [5.0, 1.0, 4.0, 2.0, 3.0]
    assert [timing.percentile(values, percent) for percent in (0, 50, 95, 100)] == [1.0, 3.0, 5.0, 5.0]
    assert timing.percentile([7.0], 50) == 7.0


def test_ratios_are_computed_round_by_round() -> None:
    assert timing.ratios([10.0, 20.0, 30.0], [5.0, 5.0, 5.0]) == Spread(2.0, 4.0, 6.0)


def test_the_median_decides_whether_a_goal_is_reached() -> None:
    assert Ratio("x", Spread(1.0, 5.0, 9.0), goal=5.0).reached is True
    assert Ratio("x", Spread(1.0, 4.9, 9.0), goal=5.0).reached is False
    assert Ratio("x", Spread(1.0, 4.9, 9.0)).reached is None


def test_a_missed_goal_and_a_difference_are_shown() -> None:
    row = Row("sorting", "port", (("p50", "1 ms"),), (Ratio("rival", Spread(1.0, 2.0, 3.0), goal=5.0),))
    report = Report([row], ["a note"])
    report.same("sorting: other order", [1], [1])
    assert report.differences == []
    report.same("sorting: other order", [1], [2])
    shown = table.markdown(report)
    assert "5: MISSED" in shown
    assert "sorting: other order" in shown
    plain = table.as_json(report)
    assert plain["rows"][0]["ratios"][0]["reached"] is False
    assert plain["differences"] == ["sorting: other order"]


def test_goals_of_whole_calls_are_lower_or_upper_bounds() -> None:
    figure = Spread(1.0, 2.0, 3.0)
    assert Comparison("call", 5, "port", "rival", figure, goal=2.0).reached is True
    assert Comparison("call", 5, "port", "rival", figure, goal=1.9).reached is False
    assert Comparison("call", 5, "port", "", figure, "MB", goal=2.1, at_least=True).reached is False
    assert Comparison("call", 5, "port", "rival", figure).reached is None
    report = Report(comparisons=[Comparison("call", 5000, "port", "rival", figure, "", 1.9)])
    assert "| call | 5,000 | port | rival | 2.00 (1.00–3.00) | ≤ 1.9: MISSED |" in table.markdown(report)
    assert table.as_json(report)["comparisons"][0]["reached"] is False


def test_a_row_written_to_a_file_is_one_line() -> None:
    task = "sorting " + "very long lists " * 20
    ratios = (Ratio("rival", Spread(1.0, 2.0, 3.0), goal=5.0),)
    report = Report([Row(task.strip(), "port", (("p50", "1 ms"), ("p95", "20 ms")), ratios)], ["a note"])
    output = io.StringIO()
    table.show(report, "table", terminal.new_console(file=output))
    (line,) = [line for line in output.getvalue().splitlines() if "sorting" in line]
    assert [cell.strip() for cell in line.split("|")[1:-1]] == [
        task.strip(), "port", "p50 1 ms, p95 20 ms", "2.00 (1.00–3.00) rival", "5: MISSED"
    ]  # fmt: skip


def test_vectors_are_distributed_like_those_of_a_sentence_model() -> None:
    collections = texts.load(CORPORA)
    passages, _ = texts.passages(collections, 600, 400)
    contents = [passage["content"] for passage in passages]
    vectors = DenseVectors(contents)
    rows, questions = (
        np.array([vector / np.linalg.norm(vector) for vector in map(vectors.of, group)])
        for group in (contents, texts.queries(collections, 40))
    )
    cosines = questions @ rows.T
    assert 0.1 < cosines.mean() < 0.3
    assert 0.08 < cosines.std() < 0.16
    assert np.array_equal(vectors.of(contents[0]), DenseVectors(contents).of(contents[0]))


def test_both_ways_of_calling_bm25s_return_the_same_scores(tmp_path) -> None:
    pytest.importorskip("bm25s", reason="bm25s is not installed: bin/setup installs the extra 'bench'")
    generator = random.Random(7)
    documents, queries = tmp_path / "documents", tmp_path / "queries"
    documents.write_text("".join(f"{generator.choices(range(50), k=20)}\n" for _ in range(300)), encoding="utf-8")
    queries.write_text("[1]\n[2, 3, 4]\n[49, 7]\n", encoding="utf-8")
    anchor = bm25_anchors.Bm25s()
    anchor.load(str(documents))
    anchor.take(str(queries))
    for query in anchor._queries:
        found, scores = anchor._among_scored(query)
        expected = anchor._as_it_comes(query)
        assert len(found) == bm25_anchors.TOP
        assert list(scores) == list(expected.scores[0])


def test_text_is_cut_into_the_same_passages_every_time() -> None:
    collections = texts.load(CORPORA)
    found, _ = texts.passages(collections, 600, 2000)
    assert found == texts.passages(collections, 600, 2000)[0]
    assert len({passage["id"] for passage in found}) == 2000
    assert max(len(passage["content"]) for passage in found) <= 600
    assert list(texts.windows(["a", "b", "c"], 5, 2, 1)) == [["a", "b", "c"]] * 2
    assert len(texts.queries(collections, 10)) == 10


def test_documents_are_made_in_order_and_get_their_vectors(tmp_path: Path) -> None:
    context = Context(texts.load(CORPORA), tmp_path, False, 61, Report(), lambda _: None)
    made = stored_documents.made(context, "test")
    passages = [json.loads(line) for line in Path(made.loaded["passages"]).read_text(encoding="utf-8").splitlines()]
    vectors = np.fromfile(made.loaded["passage_vectors"], "<f4").reshape(61, -1).astype(float).tolist()
    records = [{**passage, "vector": vector} for passage, vector in zip(passages, vectors, strict=True)]
    subject = StoreOf()
    subject.load(**made.loaded)
    subject.use("memory", "", "", "ragflow")
    subject.insert(made.path, batch=25)
    stored = [subject._store.get(record["id"]) for record in records]
    assert stored == DocumentBuilder().build_many(records)


def test_unknown_options_and_missing_data_are_refused(tmp_path: object, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(["--only", "nothing"])
    assert ended.value.code == 2
    assert cli.main(["--data", f"{tmp_path}/none"]) == cli.BROKEN
    assert "there is no such folder" in capsys.readouterr().err


@pytest.mark.nightly
def test_results_measured_before_a_task_failed_are_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fine(context: Context) -> None:
        context.report.rows.append(Row("sorting", "port", (("p50", "1 ms"),), ()))

    def broken(context: Context) -> None:
        raise BrokenError("the worker has ended")

    monkeypatch.setattr(cli, "WORKLOADS", {"fine": fine, "broken": broken})
    assert cli.main(["--quick"]) == cli.BROKEN
    shown = capsys.readouterr()
    assert "the worker has ended" in shown.err
    assert "sorting" in shown.out
    assert "broken off" in shown.out


def test_a_tiny_run_compares_reference_and_port(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--quick", "--only", "rerank", "--format", "json"]) == cli.MEASURED
    report = json.loads(capsys.readouterr().out)
    assert report["differences"] == []
    assert [row["anchor"] for row in report["rows"]] == [True, False, False, False, False]
    assert all(row["ratios"][0]["cpu"]["median"] > 0 for row in report["rows"][1:])


def test_convergence_over_blocks_returns_the_same_bits_in_both_languages(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--quick", "--only", "convergence", "--format", "json"]) == cli.MEASURED
    report = json.loads(capsys.readouterr().out)
    assert report["differences"] == []
    assert [len(row["ratios"]) for row in report["rows"]] == [0, 1, 2, 1, 1, 2, 1]


@pytest.mark.parametrize("task", ["postgres", "opensearch"])
def test_without_an_engine_its_task_is_skipped_with_a_message(
    task: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(f"HYBRID_SEARCH_{task.upper()}_URL", raising=False)
    assert cli.main(["--quick", "--only", task, "--format", "json"]) == cli.MEASURED
    report = json.loads(capsys.readouterr().out)
    assert report["rows"] == []
    assert any(note.startswith(f"{task}: left out") for note in report["notes"])


@pytest.mark.engines
@pytest.mark.nightly
def test_a_tiny_cluster_returns_the_same_pages_as_memory(
    opensearch_url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["--quick", "--documents", "100", "--only", "opensearch", "--format", "json"]) == cli.MEASURED
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [row["contestant"].split(", ")[-1] for row in rows] == [
        "balanced", "ragflow", "balanced", "ragflow", "the engine's own queries",
    ]  # fmt: skip
    assert [len(row["ratios"]) for row in rows] == [0, 0, 3, 1, 0]
    assert rows[3]["figures"]["as in memory"] == rows[1]["figures"]["as in memory"]


def test_the_data_of_whole_calls_is_the_documents_and_then_pieces_of_them(tmp_path: Path) -> None:
    context = Context(texts.load(CORPORA), tmp_path, True, None, Report(), lambda _: None)
    few, many = (whole_data.made(context, size, 4) for size in (10, 600))
    records = helpers.lines(many.files["records"])
    assert helpers.lines(few.files["records"]) == records[:10]
    assert len({record["id"] for record in records}) == 600
    assert "pieces of 800 characters" in many.how
    dimension = many.files["dimension"]
    rows = np.fromfile(many.files["vectors"], "<f4").reshape(600, dimension)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-6)
    texts_of = {record["title"]: place for place, record in reversed(list(enumerate(records)))}
    cosines = [float(rows[place] @ rows[texts_of[record["title"]]]) for place, record in enumerate(records[-50:], 550)]
    assert 0.5 < float(np.median(cosines)) < 0.99


@pytest.mark.nightly
def test_a_tiny_run_of_whole_calls_compares_both_languages(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--quick", "--only", "whole", "--sizes", "60"]) == cli.MEASURED
    report = json.loads(capsys.readouterr().out)
    assert report["differences"] == []
    calls = {one["call"] for one in report["comparisons"]}
    assert calls >= {
        "text search", "hybrid search", "page by cursor", "hybrid search in a file", "open a file, first answer",
        "HTTP, hybrid, in a file", "file with vectors", "add, english", "add, mixed"
    }  # fmt: skip
    assert all(one["documents"] == 60 and one["figure"]["median"] > 0 for one in report["comparisons"])
    assert {one["call"] for one in report["comparisons"] if one["goal"] is not None} >= {"page by cursor"}
    others = {one["other"] for one in report["comparisons"]}
    for name in whole.PACKAGES:
        assert name in others or any(note.startswith(f"whole: {name} was not measured") for note in report["notes"])


def test_two_commits_are_compared_by_their_ratios_to_shared_anchors() -> None:
    def report(ruby: float, **others: float) -> dict[str, Any]:
        speed = {"Ruby": ruby, **others}
        rows = [
            {"task": "cutting", "contestant": name, "ratios": [{"anchor": "jieba", "cpu": {"median": median}}]}
            for name, median in speed.items()
        ]
        return {"rows": [*rows, {"task": "cutting", "contestant": "jieba", "ratios": []}]}

    theirs = [against.speeds(report(4.0, Old=1.0)), against.speeds(report(5.0, Old=1.0))]
    ours = [against.speeds(report(3.0, New=1.0)), against.speeds(report(4.0, New=1.0))]
    (row,) = against.compared("abc", theirs, ours)
    assert (row.task, row.contestant) == ("cutting", "Ruby")
    (ratio,) = row.ratios
    assert (ratio.cpu.least, ratio.cpu.most, ratio.reached) == (0.75, 0.8, False)


def test_a_missing_commit_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--against", "no-such-commit", "--quick"]) == cli.BROKEN
    assert "git worktree add failed" in capsys.readouterr().err


@pytest.mark.nightly
def test_a_tiny_run_of_scale_divides_the_figures_of_two_sizes(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--quick", "--only", "scale", "--sizes", "30,60"]) == cli.MEASURED
    rows = json.loads(capsys.readouterr().out)["comparisons"]
    assert {one["call"] for one in rows} == {*scale.SEARCHES, scale.FILE, scale.ADDED, scale.MEMORY}
    assert all((one["documents"], one["other"], one["goal"]) == (60, "30 documents", 2.0) for one in rows)
    assert all(one["figure"]["median"] > 0 for one in rows)


@pytest.mark.nightly
@pytest.mark.skipif(not native.BUILT.is_dir(), reason="the native kernels are not built (bin/setup says why)")
def test_a_tiny_run_of_the_native_kernels_compares_all_forms(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--quick", "--only", "native", "--sizes", "60"]) == cli.MEASURED
    report = json.loads(capsys.readouterr().out)
    assert report["differences"] == []
    assert {one["call"] for one in report["comparisons"]} == {*native.LEGS, *native.SEARCHES}
    assert {"Python, native"} < {one["contestant"] for one in report["comparisons"]}

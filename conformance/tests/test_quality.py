"""The metrics of the ranking table, against figures worked out by hand, and the table itself on a corpus."""

import json
import math
import shutil

import pytest

from conformance.implementations.python.operations.quality import Ranker
from conformance.paths import ROOT
from conformance.quality import chunk_sizes
from conformance.quality import command as quality
from conformance.quality.metrics import evaluate, ndcg, recall, reciprocal_rank
from conformance.quality.ways import WAYS, WEIGHED, named
from hybrid_search.post_processor.post_processor import PostProcessor

TRAPS = ["--data", str(ROOT / "fixtures" / "corpora" / "traps")]


def test_ndcg_counts_graded_gains_over_the_ideal_order():
    judged = {"a": 3, "b": 1}
    ideal = 3 + 1 / math.log2(3)
    assert ndcg(["a", "b"], judged, 10) == pytest.approx(1.0)
    assert ndcg(["b", "x", "a"], judged, 10) == pytest.approx((1 + 3 / 2) / ideal)
    assert ndcg(["b", "x", "a"], judged, 2) == pytest.approx(1 / ideal)
    assert ndcg([], judged, 10) == 0.0


def test_recall_and_reciprocal_rank_consider_only_the_head():
    judged = {"a": 1, "b": 1, "c": 0}
    assert recall(["c", "b"], judged, 2) == 0.5
    assert reciprocal_rank(["c", "b", "a"], judged, 10) == 0.5
    assert reciprocal_rank(["x"] * 10 + ["a"], judged, 10) == 0.0


def test_a_query_without_a_ranking_counts_as_not_found():
    scores = evaluate({"q1": ["a"]}, {"q1": {"a": 1}, "q2": {"b": 1}})
    assert (scores.ndcg_at_10, scores.recall_at_50, scores.mrr_at_10) == (0.5, 0.5, 0.5)


def test_both_languages_rank_a_corpus_alike(capsys):
    assert quality.main([*TRAPS, "--format", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["way"] for row in rows] == list(WAYS)
    assert all(row["same"] and len(row["scores"]) >= 2 for row in rows)
    scores = {row["way"]: row["scores"]["python"] for row in rows}
    assert scores["Dify 1/0"] == scores["dense"]  # vectors alone
    assert scores["Dify 0/1"] != scores["Dify 0.5/0.5"] != scores["Dify 1/0"]
    recall = [row for row in rows if row["way"] != "hybrid rerank"]  # where the corpus's page ranks outweigh everything
    assert all(row["scores"]["python"]["ndcg_at_10"] > 0.5 for row in recall)


def test_a_whole_identifier_finds_the_document_that_contains_it_first(capsys):
    ways = ["full text", "bm25f", "balanced", "balanced min_max", "balanced rrf"]
    data = ["--data", str(ROOT / "fixtures" / "corpora" / "identifiers")]
    assert quality.main([*data, *(part for way in ways for part in ("--way", way)), "--format", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert all(row["same"] and row["queries"] == 26 for row in rows)
    first = {row["way"]: row["scores"]["python"]["mrr_at_10"] for row in rows}
    assert first["bm25f"] == first["balanced"] == first["balanced min_max"] == 1.0
    assert 1.0 > first["balanced rrf"] > 0.98  # vectors and text may each prefer a different document: a tie
    assert first["full text"] < 1.0  # RAGFlow's query contains only the parts


def test_only_the_named_ways_are_ranked_with_any_weights(capsys):
    named_ways = ["--way", "Dify 1/0", "--way", "Dify 1000000/0.001", "--way", "dense", "--way", "Dify 1/0"]
    assert quality.main([*TRAPS, *named_ways, "--format", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["way"] for row in rows] == ["Dify 1/0", "Dify 1000000/0.001", "dense"]
    assert all(row["same"] and row["scores"] == rows[0]["scores"] for row in rows)


def test_weighted_ways_rank_like_a_post_processor():
    ranker = Ranker(ROOT / "fixtures" / "corpora" / "traps", None, None)
    ways = ["Dify 1/0", "Dify 0.3/0.7", "Dify 2/0.5", "Dify 0/1"]
    depth = ranker.collection.store().count()
    for place, query in list(enumerate(ranker.collection.queries))[::5]:
        dense = ranker.collection.embedding().match_dense(query["text"], topk=depth, similarity=-1.0)
        documents = ranker.candidates([], ranker.collection.store().dense_leg(dense))  # all documents
        rankings = ranker.rankings(place, ways, "0.05,0.95", 0.3)
        for way in ways:
            processor = PostProcessor("weighted_score", way.removeprefix("Dify ").replace("/", ","))
            wanted = processor.process(query["text"], documents, top_n=50).documents
            assert rankings[way] == [document.doc_id for document in wanted]


@pytest.mark.nightly
def test_without_vectors_only_keywords_are_ranked(capsys, tmp_path):
    folder = ROOT / "fixtures" / "corpora" / "traps"
    for name in ("corpus.jsonl", "queries.jsonl", "qrels.tsv"):
        shutil.copyfile(folder / name, tmp_path / name)
    ways = ["--way", "Dify", "--way", "dense", "--way", "full text"]
    assert quality.main(["--data", str(tmp_path), *ways, "--format", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["way"] for row in rows] == ["Dify 0/1", "full text"]
    assert all(row["same"] and row["scores"]["python"]["ndcg_at_10"] > 0.5 for row in rows)


def test_ways_are_found_by_their_names():
    assert named("Dify") == WEIGHED
    assert named("hybrid rerank") == ("hybrid rerank",)
    assert named("Dify 0.95/0.05") == ("Dify 0.95/0.05",)


@pytest.mark.parametrize(
    "name", ["", "Dense", "Dify 0/0.0", "Dify 1", "Dify -1/2", "Dify 1e3/1", "Dify 1/٣", "Dify 1/0 "]
)
def test_an_unknown_way_is_reported(name, capsys):
    with pytest.raises(SystemExit) as ended:
        quality.main([*TRAPS, "--way", name])
    assert ended.value.code == 2
    assert f"--way: {name!r} must be one of full text, dense, " in capsys.readouterr().err


def test_a_sample_is_spread_over_the_file_and_only_its_queries_are_counted(capsys, tmp_path):
    folder = ROOT / "fixtures" / "corpora" / "traps"
    shutil.copyfile(folder / "corpus.jsonl", tmp_path / "corpus.jsonl")
    lines = (folder / "queries.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    kept = [lines[index * len(lines) // 4] for index in range(4)]
    ids = [json.loads(line)["_id"] for line in kept]
    head, *judged = (folder / "qrels.tsv").read_text(encoding="utf-8").splitlines(keepends=True)
    (tmp_path / "queries.jsonl").write_text("".join(kept), encoding="utf-8")
    own = [line for line in judged if line.split("\t")[0] in ids]
    (tmp_path / "qrels.tsv").write_text(head + "".join(own), encoding="utf-8")
    ways = ["--way", "full text", "--implementation", "reference", "--format", "json"]
    assert quality.main(["--data", str(tmp_path), *ways]) == 0
    (alone,) = json.loads(capsys.readouterr().out)
    assert quality.main([*TRAPS, *ways, "--sample", "4"]) == 0
    (sampled,) = json.loads(capsys.readouterr().out)
    assert (sampled["asked"], sampled["queries"]) == (4, len(lines))
    assert (alone["asked"], alone["queries"]) == (4, 4)
    assert sampled["scores"] == alone["scores"]
    assert sampled["scores"]["reference"]["ndcg_at_10"] > 0


@pytest.mark.parametrize("style", [pytest.param("markdown", marks=pytest.mark.nightly), "table"])
def test_a_sample_is_stated_below_the_table(style, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    arguments = [*TRAPS, "--way", "dense", "--implementation", "reference", "--format", style]
    assert quality.main([*arguments, "--sample", "5"]) == 0
    shown = capsys.readouterr().out
    assert "Queries, evenly spread: traps 5 of 28" in shown
    (row,) = [line for line in shown.splitlines() if line.startswith("| traps")]
    assert "dense" in row or style == "markdown"
    assert row.rstrip().endswith("|")
    assert quality.main([*arguments, "--sample", "1000"]) == 0
    assert "evenly spread" not in capsys.readouterr().out


@pytest.mark.parametrize("count", ["0", "-1", "1.5", "", "٣", "many"])
def test_a_sample_size_that_is_not_a_number_is_reported(count, capsys):
    with pytest.raises(SystemExit) as ended:
        quality.main([*TRAPS, f"--sample={count}"])
    assert ended.value.code == 2
    assert f"--sample: {count!r} must be a whole number, at least 1" in capsys.readouterr().err


def test_a_missing_folder_is_reported(capsys):
    assert quality.main(["--data", "no/such/folder"]) == 2
    assert "there is no such folder" in capsys.readouterr().err


def test_chunks_of_a_collection_are_measured_next_to_whole_documents(capsys: pytest.CaptureFixture[str]) -> None:
    corpora = str(ROOT / "fixtures/corpora")
    assert chunk_sizes.main(["--data", corpora, "--collection", "rule_table", "--size", "8/4", "--sample", "3"]) == 0
    rows = [line.split(" | ") for line in capsys.readouterr().out.splitlines()[2:]]
    assert [row[4] for row in rows] == ["whole documents", "8/4"]
    assert int(rows[1][5].replace(",", "")) > int(rows[0][5].replace(",", ""))
    assert all(0.0 < float(row[6]) <= 1.0 for row in rows)

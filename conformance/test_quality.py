"""The metrics of the ranking table, against figures worked out by hand, and the table itself on a corpus."""

import json
import math

import pytest

from conformance.paths import ROOT
from conformance.quality import __main__ as quality
from conformance.quality.metrics import evaluate, ndcg, recall, reciprocal_rank


def test_ndcg_counts_graded_gains_over_the_ideal_order():
    judged = {"a": 3, "b": 1}
    ideal = 3 + 1 / math.log2(3)
    assert ndcg(["a", "b"], judged, 10) == pytest.approx(1.0)
    assert ndcg(["b", "x", "a"], judged, 10) == pytest.approx((1 + 3 / 2) / ideal)
    assert ndcg(["b", "x", "a"], judged, 2) == pytest.approx(1 / ideal)
    assert ndcg([], judged, 10) == 0.0


def test_recall_and_reciprocal_rank_look_at_the_head_only():
    judged = {"a": 1, "b": 1, "c": 0}
    assert recall(["c", "b"], judged, 2) == 0.5
    assert reciprocal_rank(["c", "b", "a"], judged, 10) == 0.5
    assert reciprocal_rank(["x"] * 10 + ["a"], judged, 10) == 0.0


def test_a_query_without_a_ranking_counts_as_nothing_found():
    scores = evaluate({"q1": ["a"]}, {"q1": {"a": 1}, "q2": {"b": 1}})
    assert (scores.ndcg_at_10, scores.recall_at_50, scores.mrr_at_10) == (0.5, 0.5, 0.5)


def test_both_languages_rank_a_corpus_alike(capsys):
    arguments = ["--data", str(ROOT / "fixtures" / "corpora" / "traps"), "--format", "json"]
    assert quality.main(arguments) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["way"] for row in rows] == list(quality.WAYS)
    assert all(row["same"] and len(row["scores"]) >= 2 for row in rows)
    recall = [row for row in rows if row["way"] != "hybrid rerank"]  # where the corpus's page ranks outweigh everything
    assert all(row["scores"]["reference"]["ndcg_at_10"] > 0.5 for row in recall)


def test_a_folder_that_is_not_there_is_said_plainly(capsys):
    assert quality.main(["--data", "no/such/folder"]) == 2
    assert "there is no such folder" in capsys.readouterr().err

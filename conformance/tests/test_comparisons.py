"""`bin/quality --compare`: intervals of known distributions, the baselines by hand, and the command on a corpus."""

import json
import math

import numpy as np
import pytest

from conformance.implementations.python.corpora import Collection
from conformance.paths import CORPORA, ROOT
from conformance.quality import baseline_runs, comparisons
from conformance.quality import command as quality
from conformance.quality.comparisons import Interval, compare, interval
from conformance.quality.tables import comparisons_markdown

TRAPS = ["--data", str(ROOT / "fixtures" / "corpora" / "traps"), "--implementation", "reference"]
WAYS = ["--way", "bm25f", "--way", "balanced", "--way", "dense"]


def test_the_interval_of_equal_differences_is_their_value():
    assert interval([0.25] * 7) == Interval(0.25, 0.25, 0.25)
    assert interval([0.0, 0.0]).verdict == "tie"


def test_the_interval_of_a_normal_mean_follows_from_its_standard_error():
    values = np.random.default_rng(3).normal(0.05, 0.2, 900)
    found = interval(values.tolist())
    reach = 1.96 * values.std() / math.sqrt(len(values))
    assert found.mean == pytest.approx(values.mean(), abs=1e-12)
    assert found.high - found.mean == pytest.approx(reach, rel=0.05)
    assert found.mean - found.low == pytest.approx(reach, rel=0.05)


def test_the_interval_of_coin_tosses_follows_from_the_binomial_distribution():
    # Of 100 coins 40 are heads: the mean of a resample is Binomial(100, 0.4) / 100, whose 2.5 and 97.5 percentiles
    # are 0.31 and 0.50.
    found = interval([1.0] * 40 + [0.0] * 60, resamples=20_000)
    assert (found.mean, found.low, found.high) == (0.4, pytest.approx(0.31, abs=0.01), pytest.approx(0.5, abs=0.01))


def test_nineteen_of_twenty_intervals_contain_the_true_mean():
    drawing = np.random.default_rng(11)
    samples = [drawing.normal(0.3, 1.0, 60).tolist() for _ in range(300)]
    found = [interval(sample, resamples=1000, seed=seed) for seed, sample in enumerate(samples)]
    assert 0.90 < sum(one.low <= 0.3 <= one.high for one in found) / len(found) < 0.98


def test_the_seed_decides_the_interval():
    values = np.random.default_rng(5).normal(0.0, 1.0, 40).tolist()
    assert interval(values) == interval(values)
    assert interval(values, seed=1) != interval(values, seed=2)
    assert comparisons.RESAMPLES >= 10_000


def test_a_pair_is_compared_question_by_question():
    judged = {f"q{number}": {"good": 1} for number in range(20)}
    best = {query: ["good", "bad"] for query in judged}
    worst = {query: ["bad"] for query in judged}
    some = {query: ["good"] for query in list(judged)[:19]}  # the last question has no relevant document
    rows = compare("c", {"balanced": best, "worst": worst, "some": some, "balanced rrf": worst}, judged)
    told = {(row["way"], row["against"]): (row["mean"], row["verdict"]) for row in rows}
    assert told == {
        ("balanced", "worst"): (1.0, "win"),
        ("balanced", "some"): (0.05, "tie"),
        ("balanced", "balanced rrf"): (1.0, "win"),
        ("balanced rrf", "balanced"): (-1.0, "loss"),
        ("balanced rrf", "worst"): (0.0, "tie"),
        ("balanced rrf", "some"): (-0.95, "loss"),
    }
    assert all(row["queries"] == 20 and row["collection"] == "c" for row in rows)
    shown = comparisons_markdown(rows)
    assert "| c | balanced | **+1.000** (+1.000 … +1.000) | +0.050 (+0.000 … +0.150) |" in shown


def test_fusions_of_the_baselines_match_computations_by_hand():
    text, dense = [(4, 9.0), (1, 5.0), (2, 1.0)], [(1, 0.8), (3, 0.6)]
    assert baseline_runs._reciprocal_ranks([text, dense]) == [
        (1, 1 / 62 + 1 / 61), (4, 1 / 61), (3, 1 / 62), (2, 1 / 63)
    ]  # fmt: skip
    assert baseline_runs._min_max([text, dense], (0.5, 0.5)) == [(1, 0.75), (4, 0.5), (2, 0.0), (3, 0.0)]
    assert baseline_runs._min_max([[(7, 2.0)], []], (0.3, 0.7)) == [(7, 0.3)]


def test_the_baselines_find_words_of_both_languages():
    pytest.importorskip("bm25s", reason="bm25s is not installed: bin/quality --compare installs the extra 'bench'")
    collection = Collection(CORPORA / "finance_faq")
    queries = [one["_id"] for one in collection.queries]
    found = baseline_runs.rankings(collection, queries)
    assert set(found) == {baseline_runs.BM25, baseline_runs.RRF, *baseline_runs.MIN_MAX}
    relevant = sum(bool(set(found[baseline_runs.BM25][query][:10]) & set(collection.qrels[query])) for query in queries)
    assert relevant > 0.7 * len(queries)
    assert baseline_runs._english()("The panels are GIVING 5 volts") == ["panel", "give", "5", "volt"]
    assert baseline_runs._chinese("太阳能 Panel。") == ["太阳", "太阳能", "panel"]


def test_comparisons_are_printed_as_json_in_a_pipe_and_in_the_table(capsys):
    pytest.importorskip("bm25s", reason="bm25s is not installed: bin/quality --compare installs the extra 'bench'")
    assert quality.main([*TRAPS, *WAYS, "--compare"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert [row["way"] for row in shown["ways"]] == ["bm25f", "balanced", "dense"]
    others = ["bm25f", "dense", baseline_runs.BM25, baseline_runs.RRF, *baseline_runs.MIN_MAX]
    assert [(row["way"], row["against"]) for row in shown["comparisons"]] == [("balanced", one) for one in others]
    assert all(row["low"] <= row["mean"] <= row["high"] for row in shown["comparisons"])
    figures = {row["way"]: row["scores"]["reference"]["ndcg_at_10"] for row in shown["ways"]}
    for row in shown["comparisons"][:2]:
        assert row["ndcg_at_10"] == pytest.approx(figures["balanced"], abs=1e-12)
        assert row["mean"] == pytest.approx(figures["balanced"] - figures[row["against"]], abs=1e-12)
    assert quality.main([*TRAPS, *WAYS, "--compare", "--format", "table"]) == 0
    assert "Each pair is judged alone" in capsys.readouterr().out

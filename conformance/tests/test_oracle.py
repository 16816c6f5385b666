"""The reference against libraries that do the same, on the committed corpora (CNF-15); deviations in deviations.yml."""

import json
import math
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import islice
from typing import Any

import jieba
import numpy as np
import numpy.typing as npt
import pytest
import snowballstemmer
from rank_bm25 import BM25Okapi

from conformance import yaml_files
from conformance.paths import CONFORMANCE, CORPORA
from hybrid_search.base import numeric, ordering
from hybrid_search.doc_store_adapter.memory.memory_doc_store import MemoryDocStore
from hybrid_search.fusion.fusion import Fusion
from hybrid_search.fusion.fusion_expr import FusionExpr
from hybrid_search.query_builder.expressions import MatchBm25fExpr, MatchTextExpr
from hybrid_search.query_builder.tree import AnyOf, Term
from hybrid_search.text.segmenter import Segmenter
from hybrid_search.text.stemmer import Stemmer
from hybrid_search.text.tokenizer import Tokenizer

NAMES = sorted(path.parent.name for path in CORPORA.glob("*/corpus.jsonl"))
CLOSE = 4
"""The permitted distance of numpy's cosine, in ULP."""
EPSILON = Fraction(1, 2**53)


def records(name: str, file: str) -> list[dict[str, Any]]:
    lines = (CORPORA / name / file).read_text(encoding="utf-8").split("\n")
    return [json.loads(line) for line in lines if line]


@cache
def tokenizer() -> Tokenizer:
    return Tokenizer()


@cache
def tokens(name: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(tokenizer().tokenize(record["text"])) for record in records(name, "corpus.jsonl"))


@cache
def questions(name: str) -> tuple[tuple[str, ...], ...]:
    asked = (tokenizer().tokenize(record["text"]) for record in records(name, "queries.jsonl"))
    return tuple(tuple(dict.fromkeys(found)) for found in asked)


def deviations(oracle: str) -> set[str]:
    return {entry["clause"] for entry in yaml_files.load(CONFORMANCE / "deviations.yml") if entry["oracle"] == oracle}


def bm25(name: str) -> tuple[BM25Okapi, MemoryDocStore]:
    store = MemoryDocStore()
    store.insert([{"id": f"{row:05}", "body_ltks": " ".join(one)} for row, one in enumerate(tokens(name))])
    return BM25Okapi([list(one) for one in tokens(name)]), store


@pytest.mark.parametrize("name", NAMES)
def test_bm25_equals_rank_bm25_bit_for_bit(name: str) -> None:
    theirs, store = bm25(name)
    floor = theirs.epsilon * theirs.average_idf
    compared = 0
    for question in questions(name):
        kept = [token for token in question if theirs.idf.get(token) is not None and " " not in token]
        expected = theirs.get_scores(kept)
        match = MatchTextExpr((("body_ltks", 1.0),), AnyOf(tuple(Term(token) for token in kept)), len(tokens(name)))
        found = {int(identifier): score for identifier, score in store.text_leg(match)} if kept else {}
        holding = {row for row, one in enumerate(tokens(name)) if set(kept) & set(one)}
        assert found.keys() == holding, "DOC-3: just the documents with a term are found"
        raised = any(theirs.idf[token] == floor for token in kept)
        for row, score in found.items():
            if raised:
                assert score == pytest.approx(expected[row], rel=1e-12, abs=1e-12)
            else:
                assert numeric.to_bits(score) == numeric.to_bits(float(expected[row]))
                compared += 1
    assert compared > 100
    assert deviations("rank_bm25") == {"ORD-3", "DOC-3"}


def test_only_the_average_idf_of_rank_bm25_depends_on_the_order_of_documents() -> None:
    documents = [list(one) for one in tokens("manuals")]
    averages = {BM25Okapi(order).average_idf for order in (documents, documents[::-1], sorted(documents))}
    assert len(averages) > 1


@cache
def jieba_tokenizer() -> jieba.Tokenizer:
    """One segmenter for all tests, because each reads the whole dictionary."""
    return jieba.Tokenizer()


@pytest.mark.parametrize("name", NAMES)
def test_segmentation_equals_jieba(name: str) -> None:
    theirs, ours = jieba_tokenizer(), Segmenter()
    texts = [text for record in records(name, "corpus.jsonl") for text in (record["title"], record["text"])]
    for text in texts:
        assert ours.cut(text) == list(theirs.cut(text))
        assert ours.cut(text, hmm=False) == list(theirs.cut(text, HMM=False))
        assert ours.cut_for_search(text) == list(theirs.cut_for_search(text))


@pytest.mark.parametrize(("text", "whole", "clause"), [("привет", "привет", "TXT-4"), ("電腦", "电脑", "TXT-1")])
def test_the_tokenizer_differs_from_jieba_only_where_documented(text: str, whole: str, clause: str) -> None:
    assert tokenizer().tokenize(text) == [whole]
    assert list(jieba_tokenizer().cut(text)) != [whole]
    assert clause in deviations("jieba")


def test_stems_equal_those_of_snowballstemmer() -> None:
    theirs = snowballstemmer.stemmer("english")
    ours = Stemmer()
    words = {token for name in NAMES for record in records(name, "corpus.jsonl") for token in record["text"].split()}
    plain = sorted(word.lower() for word in words if word.isascii() and word.isalpha())
    assert len(plain) > 1000
    assert [ours.stem(word) for word in plain] == theirs.stemWords(plain)
    assert tokenizer().tokenize("O'Neill's") != [theirs.stemWord("o'neill's")]
    assert deviations("snowballstemmer") == {"TXT-4"}


def rankings(name: str) -> list[list[list[tuple[str, float]]]]:
    """For each question of a corpus a text ranking and a dense ranking, both real."""
    _, store = bm25(name)
    vectors = np.load(CORPORA / name / "e5-small-q4/corpus.npy").astype(np.float64)
    asked = np.load(CORPORA / name / "e5-small-q4/queries.npy").astype(np.float64)
    found = []
    for question, vector in zip(questions(name), asked, strict=True):
        terms = tuple(Term(token) for token in question if " " not in token)
        text = store.text_leg(MatchTextExpr((("body_ltks", 1.0),), AnyOf(terms), 40)) if terms else []
        cosines = [numeric.dot(row, vector.tolist()) for row in vectors.tolist()]
        dense = ordering.rank((f"{row:05}", one) for row, one in enumerate(cosines))
        found.append([text, dense[:40]])
    return found


Exact = dict[str, Fraction]


def _exact_sum(lists: list[Exact]) -> Exact:
    exact: Exact = {}
    for ranking in lists:
        for identifier, score in ranking.items():
            exact[identifier] = exact.get(identifier, Fraction(0)) + score
    return exact


def _exact_rrf(lists: list[Exact]) -> Exact:
    return _exact_sum([{one: Fraction(1, 60 + place) for place, one in enumerate(ranking, 1)} for ranking in lists])


def _exact_scaled(lists: list[Exact], weights: tuple[float, float]) -> Exact:
    """Return the weighted sum of min-max scores; if all are equal, each counts 1."""
    scaled = []
    for ranking, weight in zip(lists, weights, strict=True):
        low, high = (min(ranking.values()), max(ranking.values())) if ranking else (Fraction(0), Fraction(0))
        shares = {one: (score - low) / (high - low) if high > low else Fraction(1) for one, score in ranking.items()}
        scaled.append({one: Fraction(weight) * share for one, share in shares.items()})
    return _exact_sum(scaled)


def _exact_auto(lists: list[Exact]) -> Exact:
    """Return the sum of excesses by their mean; lists of fewer than a hundred, so the text leg counts from 0."""
    shared = []
    for ranking, weight, floor in zip(lists, (0.4, 0.6), (Fraction(0), min(lists[1].values())), strict=True):
        excesses = {one: score - floor for one, score in ranking.items()}
        mean = sum(excesses.values(), Fraction(0)) / (len(excesses) or 1)
        shared.append({one: Fraction(weight) * excess / mean for one, excess in excesses.items()})
    return _exact_sum(shared)


EXACT: dict[str, Callable[[list[Exact]], Exact]] = {
    "weighted_sum": lambda lists: _exact_scaled(lists, (0.05, 0.95)),
    "rrf": _exact_rrf,
    "auto": _exact_auto,
    "min_max": lambda lists: _exact_scaled(lists, (0.5, 0.5)),
}
"""Fusion method → its fused scores as fractions, with its default params and the normalizer min_max."""


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("method", EXACT)
def test_fused_scores_are_near_exact_fractions(method: str, name: str) -> None:
    for lists in rankings(name):
        fused = Fusion.fuse(FusionExpr(method, 100), lists)
        exact = EXACT[method]([{identifier: Fraction(score) for identifier, score in ranking} for ranking in lists])
        _near(fused, exact, terms=len(lists) * (1 if method == "rrf" else 4 if method != "auto" else 48))


@pytest.mark.parametrize("name", NAMES)
def test_bm25f_is_near_exact_fractions(name: str) -> None:
    fields = [
        [tokenizer().tokenize(str(record.get(field, ""))) for record in records(name, "corpus.jsonl")]
        for field in ("title", "text")
    ]
    store = MemoryDocStore()
    rows = [
        {"id": f"{row:05}", "title_tks": " ".join(title), "content_ltks": " ".join(text)}
        for row, (title, text) in enumerate(zip(*fields, strict=True))
    ]
    store.insert(rows)
    averages = [Fraction(sum(map(len, field)), sum(map(bool, field)) or 1) for field in fields]
    for question in questions(name):
        exact: dict[str, Fraction] = {}
        for token in question:
            totals: dict[str, Fraction] = {}
            for weight, field, average in zip((3, 1), fields, averages, strict=True):
                for row, own in enumerate(own.count(token) for own in field):
                    if own:
                        scale = Fraction(1, 4) + Fraction(3, 4) * len(field[row]) / average
                        totals[f"{row:05}"] = totals.get(f"{row:05}", Fraction(0)) + weight * own / scale
            # The logarithm is the only step that is not exact here; it is right to 1 ULP.
            idf = Fraction(math.log(1.0 + (len(rows) - len(totals) + 0.5) / (len(totals) + 0.5)))
            for identifier, total in totals.items():
                score = idf * total / (total + Fraction(6, 5))
                exact[identifier] = exact.get(identifier, Fraction(0)) + score
        found = store.rank([MatchBm25fExpr((("title_tks", 3.0), ("content_ltks", 1.0)), question, len(rows))])
        assert {identifier for identifier, _ in found} == exact.keys()
        bound = (len(question) + 12) * EPSILON
        assert all(abs(Fraction(score) - exact[one]) <= bound * exact[one] for one, score in found)


def _near(fused: list[tuple[str, float]], exact: dict[str, Fraction], terms: int) -> None:
    """Every score is within the rounding of its operations, and beyond it no two documents are in the wrong order."""
    bound = EPSILON * 2 * terms
    assert {identifier for identifier, _ in fused} == exact.keys()
    for identifier, score in fused:
        assert abs(Fraction(score) - exact[identifier]) <= bound * max(exact[identifier], Fraction(1))
    for (above, _), (below, _) in zip(fused, islice(fused, 1, None), strict=False):
        assert exact[above] >= exact[below] - 2 * bound * max(exact[above], Fraction(1))


@pytest.mark.parametrize("name", NAMES)
def test_cosines_are_near_those_of_numpy(name: str) -> None:
    """Within 4 ULP for 8 components; for all 384, which numpy adds in blocks, within the rounding of as many sums."""
    vectors = np.load(CORPORA / name / "e5-small-q4/corpus.npy").astype(np.float64)
    asked = np.load(CORPORA / name / "e5-small-q4/queries.npy").astype(np.float64)
    assert 0 < _farthest(vectors[:, :8], asked[:, :8]) <= CLOSE
    assert CLOSE < _farthest(vectors, asked) <= vectors.shape[1]
    assert deviations("numpy") == {"NUM-2"}


def _farthest(vectors: npt.NDArray[np.float64], asked: npt.NDArray[np.float64]) -> int:
    """The largest distance in ULP of the cosines of some rows."""
    norms = np.linalg.norm(vectors, axis=1)
    farthest = 0
    for vector in asked:
        theirs = (vectors @ vector) / (norms * np.linalg.norm(vector))
        for row in range(0, len(vectors), 7):
            ours = numeric.cosine(vectors[row].tolist(), vector.tolist())
            farthest = max(farthest, numeric.ulp_distance(ours, float(theirs[row])))
    return farthest

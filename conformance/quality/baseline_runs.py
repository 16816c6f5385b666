"""Ranks a collection as the public baselines beside it do, question by question: bm25s, and its fusions with cosines.

They share nothing with what is measured: other tokens, another BM25, another fusion. So they tell which differences
are more than chance, which the figures that a collection states for all of its questions together cannot.
"""

import re
from collections.abc import Callable, Iterable
from typing import Any

import jieba
import numpy as np
import numpy.typing as npt
import snowballstemmer

from conformance.implementations.python.corpora import Collection

BM25 = "baseline BM25"
RRF = "baseline RRF"
MIN_MAX = {f"baseline min-max {text}/{dense}": (text, dense) for text, dense in ((0.5, 0.5), (0.3, 0.7), (0.05, 0.95))}
FUSED_FIRST = 100
DEPTH = 50
RANK_CONSTANT = 60
STOP_WORDS = (
    "a an and are as at be but by for if in into is it no not of on or such that the their then there these they this "
    "to was will with"
)
"""Lucene's."""

_HAN = re.compile(r"[\u4e00-\u9fff]")
_WORDS = re.compile(r"[a-z0-9]+")

Ranked = list[tuple[int, float]]
"""Rows of the corpus with their scores, best first; the lower row of equal scores."""


def rankings(collection: Collection, queries: Iterable[str]) -> dict[str, dict[str, list[str]]]:
    """Run → query id → document ids; without vectors BM25 alone.

    Args:
        collection: what is ranked.
        queries: the ids of those to answer.
    """
    texts = {one["_id"]: one["text"] for one in collection.queries}
    rows = [one["_id"] for one in collection.documents]
    by_words = _by_words(collection)
    nearest = _by_cosine(collection, rows)
    found: dict[str, dict[str, list[str]]] = {}
    for query in queries:
        for run, ranked in _runs(by_words(texts[query]), nearest(query)).items():
            found.setdefault(run, {})[query] = [rows[row] for row, _ in ranked[:DEPTH]]
    return found


def _runs(text: Ranked, dense: Ranked) -> dict[str, Ranked]:
    runs = {BM25: text}
    if dense:
        runs[RRF] = _reciprocal_ranks([text, dense])
        runs |= {name: _min_max([text, dense], weights) for name, weights in MIN_MAX.items()}
    return runs


def _by_words(collection: Collection) -> Callable[[str], Ranked]:
    """BM25 of titles and texts; documents without a score are not found."""
    import bm25s

    documents = [f"{one.get('title', '')} {one['text']}".strip() for one in collection.documents]
    asked_in_chinese = any(_HAN.search(one["text"]) for one in collection.queries)
    tokens = _chinese if asked_in_chinese else _english()
    index = bm25s.BM25(method="lucene", k1=1.2, b=0.75, backend="numpy")
    index.index([tokens(text) for text in documents], show_progress=False)
    known = index.vocab_dict

    def best(question: str) -> Ranked:
        asked = [token for token in tokens(question) if token in known]
        if not asked:
            return []
        scores = index.get_scores(asked)
        return _best(scores, np.flatnonzero(scores > 0.0))

    return best


def _by_cosine(collection: Collection, rows: list[str]) -> Callable[[str], Ranked]:
    if collection.model is None:
        return lambda query: []
    vectors = np.array([collection.document_vectors[row] for row in rows])

    def best(query: str) -> Ranked:
        return _best(vectors @ np.array(collection.query_vectors[query]), np.arange(len(rows)))

    return best


def _best(scores: npt.NDArray[Any], among: npt.NDArray[np.int64]) -> Ranked:
    order = among[np.argsort(-scores[among], kind="stable")][:FUSED_FIRST]
    return [(int(row), float(scores[row])) for row in order]


def _reciprocal_ranks(legs: list[Ranked]) -> Ranked:
    sums: dict[int, float] = {}
    for leg in legs:
        for rank, (row, _) in enumerate(leg, start=1):
            sums[row] = sums.get(row, 0.0) + 1.0 / (RANK_CONSTANT + rank)
    return _ordered(sums)


def _min_max(legs: list[Ranked], weights: tuple[float, float]) -> Ranked:
    sums: dict[int, float] = {}
    for leg, weight in zip(legs, weights, strict=True):
        if leg:
            highest, lowest = leg[0][1], leg[-1][1]
            spread = highest - lowest
            for row, score in leg:
                share = (score - lowest) / spread if spread > 0.0 else 1.0
                sums[row] = sums.get(row, 0.0) + weight * share
    return _ordered(sums)


def _ordered(sums: dict[int, float]) -> Ranked:
    return sorted(sums.items(), key=lambda pair: (-pair[1], pair[0]))


def _chinese(text: str) -> list[str]:
    return [token for token in jieba.cut_for_search(text.lower()) if re.search(r"\w", token)]


def _english() -> Callable[[str], list[str]]:
    stemmer = snowballstemmer.stemmer("english")
    left_out = frozenset(STOP_WORDS.split())

    def tokens(text: str) -> list[str]:
        words = [word for word in _WORDS.findall(text.lower()) if word not in left_out]
        stems: list[str] = stemmer.stemWords(words)
        return stems

    return tokens

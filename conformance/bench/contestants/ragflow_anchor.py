"""The hybrid rerank as RAGFlow does it: every candidate's tokens are weighed as if it were a question."""

import itertools
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np

from conformance.bench.contestants.helpers import lines
from conformance.bench.timing import timed
from hybrid_search.query_builder.builder import QueryBuilder


class RagflowRerank:
    """Reads the question, weighs the tokens of question and candidates, compares keys; cosines with numpy."""

    def __init__(self) -> None:
        self._builder = QueryBuilder()
        self._weigher = self._builder.term_weight

    def load(self, pool: str, questions: str) -> None:
        """Read the candidates and the questions."""
        self._pool = lines(pool)
        self._questions = lines(questions)

    def run(self, repeats: int) -> dict[str, Any]:
        """Rerank for every question; the time is that of one question."""
        answers, taken = timed(
            lambda: [self._rerank(question) for question, _ in itertools.product(self._questions, range(repeats))]
        )
        count = len(answers)
        return {"cpu": taken.cpu / count, "wall": taken.wall / count, "answers": answers[::repeats]}

    def _rerank(self, question: dict[str, Any]) -> dict[str, float]:
        _, keywords = self._builder.build_text_query(question["text"])
        documents = []
        vectors = []
        for candidate in self._pool:
            content = list(dict.fromkeys(candidate["content_ltks"].split()))
            documents.append(content + candidate["title_tks"].split() * 2)
            vectors.append(candidate["q_384_vec"])
        wanted = self._keys(keywords)
        terms = [self._share(wanted, self._keys(tokens)) for tokens in documents]
        cosines = _cosines(question["vector"], vectors)
        similarities = 0.7 * cosines + 0.3 * np.array(terms)
        return {candidate["id"]: float(one) for candidate, one in zip(self._pool, similarities, strict=True)}

    def _keys(self, tokens: Sequence[str]) -> dict[str, float]:
        """Tokens and concatenated neighbours with their weights."""
        keys: dict[str, float] = defaultdict(float)
        weighed = self._weigher.weights(list(tokens), preprocess=False)
        for index, (token, weight) in enumerate(weighed):
            keys[token] += weight * 0.4
            if index + 1 < len(weighed):
                following, other = weighed[index + 1]
                keys[token + following] += max(weight, other) * 0.6
        return keys

    @staticmethod
    def _share(wanted: dict[str, float], there: dict[str, float]) -> float:
        found = 1e-9
        for key, weight in wanted.items():
            if key in there:
                found += weight
        total = 1e-9
        for weight in wanted.values():
            total += weight
        return found / total


def _cosines(query: Sequence[float], vectors: Sequence[Sequence[float]]) -> Any:
    """As `sklearn.metrics.pairwise.cosine_similarity`: rows to length 1, then one product."""
    left = np.array([query])
    right = np.array(vectors)
    left = left / np.linalg.norm(left, axis=1, keepdims=True)
    right = right / np.linalg.norm(right, axis=1, keepdims=True)
    return (left @ right.T)[0]

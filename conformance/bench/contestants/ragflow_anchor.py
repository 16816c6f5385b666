"""The hybrid rerank as RAGFlow does it: every candidate's tokens are weighed as if it were a question.

The steps are RAGFlow's, one after the other for every token: frequency, document frequency, named entity and part of
speech each look at the token anew, with one pattern after the other, look it up by the escaped text of its bytes, and
divide it with jieba's own functions; the weights pass through numpy. The library's own weigher, which finds out once
what several of these need, would be an anchor that nobody runs. The numbers are those of the library (TW-1 … TW-5), so
that the answers can be compared.
"""

import itertools
import math
import re
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np

from conformance.bench.contestants.helpers import lines
from conformance.bench.timing import timed
from conformance.proofs.jieba_oracle import plain_jieba, route_without_whole
from hybrid_search.base.characters import character_class
from hybrid_search.query_builder.builder import QueryBuilder
from hybrid_search.text.dictionary_table import DictionaryTable
from hybrid_search.text.segmenter import Segmenter
from hybrid_search.text.tokenizer import Tokenizer

_NUMERIC = re.compile(r"[0-9. -]{2,}$")
_NUMBER = re.compile(r"[0-9,.]{2,}$")
_SHORT = re.compile(r"[a-z]{1,2}$")
_DIGITS = re.compile(r"[0-9-]+")
_LETTERS = "".join(character_class(name).pattern for name in ("LATIN", "GREEK", "CYRILLIC"))
_ALPHABETIC = re.compile(f"[{_LETTERS} .\\-]+$")
_LETTER_COUNTS = (300, 212, 150, 106, 75, 53, 38, 27, 19, 13, 10)


class JiebaSegmenter(Segmenter):
    """A segmenter that divides tokens with jieba's own functions."""

    def __init__(self) -> None:
        super().__init__()
        self._jieba = plain_jieba()

    def best_route_without_whole(self, token: str) -> list[str]:
        """The most probable way to cut a token up, the token as a whole left out."""
        return route_without_whole(self._jieba, token)


class Weigher:
    """Weighs tokens step by step."""

    def __init__(self) -> None:
        self._tokenizer = Tokenizer(segmenter=JiebaSegmenter())
        table = DictionaryTable.shared()
        words = [word for word, frequency in table.frequencies.items() if frequency]
        self._frequencies = {_key(word): table.frequencies[word] for word in words}
        self._tags = {_key(word): table.tag(word) for word in words}

    def weights(self, tokens: Sequence[str]) -> list[tuple[str, float]]:
        """Tokens with weights that sum to 1."""
        first = np.array([_idf(self._frequency(token), 1e7) for token in tokens])
        second = np.array([_idf(self._document_frequency(token), 1e9) for token in tokens])
        factors = np.array([self._entity(token) * self._part_of_speech(token) for token in tokens])
        weighed = (0.3 * first + 0.7 * second) * factors
        total = np.sum(list(weighed))
        return [(token, weight / total) for token, weight in zip(tokens, weighed, strict=True)]

    def _entity(self, token: str) -> float:
        if _NUMBER.match(token):
            return 2.0
        return 0.01 if _SHORT.match(token) else 1.0

    def _part_of_speech(self, token: str) -> float:
        tag = self._tags.get(_key(token), "")
        if tag in {"r", "c", "d"}:
            return 0.3
        if tag in {"ns", "nt"}:
            return 3.0
        return 2.0 if tag == "n" or _DIGITS.match(tag) else 1.0

    def _frequency(self, token: str) -> float:
        if _NUMERIC.match(token):
            return 3.0
        known = self._frequencies.get(_key(token))
        if known:
            return max(float(known), 10.0)
        if _ALPHABETIC.match(token) and (count := _letter_count(token)):
            return count
        if len(token) >= 4:
            parts = self._parts(token)
            if len(parts) > 1:
                return max(10.0, float(np.min([self._frequency(part) for part in parts])) / 6.0)
        return 10.0

    def _document_frequency(self, token: str) -> float:
        if _NUMERIC.match(token):
            return 5.0
        if _ALPHABETIC.match(token) and (count := _letter_count(token)):
            return count
        if len(token) >= 4:
            parts = self._parts(token)
            if len(parts) > 1:
                return max(3.0, float(np.min([self._document_frequency(part) for part in parts])) / 6.0)
        return 3.0

    def _parts(self, token: str) -> list[str]:
        return [part for part in self._tokenizer.fine_grained(token) if len(part) > 1]


class RagflowRerank:
    """Reads the question, weighs the tokens of question and candidates, compares keys; cosines with numpy."""

    def __init__(self) -> None:
        self._builder = QueryBuilder()
        self._weigher = Weigher()

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
        weighed = self._weigher.weights(list(tokens))
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


def _key(word: str) -> str:
    """What RAGFlow finds a word by in its trie."""
    return str(word.encode("utf-8"))[2:-1]


def _idf(count: float, total: float) -> float:
    return math.log10(10 + (total - count + 0.5) / (count + 0.5))


def _letter_count(token: str) -> float:
    """What a word of letters counts for (TW-2), RAGFlow's 300 thinned out by length; 0 without a letter."""
    letters = len(token) - token.count(" ") - token.count(".") - token.count("-")
    return float(_LETTER_COUNTS[min(max(0, letters - 3), len(_LETTER_COUNTS) - 1)]) if letters else 0.0


def _cosines(query: Sequence[float], vectors: Sequence[Sequence[float]]) -> Any:
    """As `sklearn.metrics.pairwise.cosine_similarity`: rows to length 1, then one product."""
    left = np.array([query])
    right = np.array(vectors)
    left = left / np.linalg.norm(left, axis=1, keepdims=True)
    right = right / np.linalg.norm(right, axis=1, keepdims=True)
    return (left @ right.T)[0]

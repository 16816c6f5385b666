"""How alike a query and documents are by their keywords: the cosine of TF-IDF vectors (DFY-2)."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from hybrid_search.base import numeric, validation
from hybrid_search.text import keyword_source
from hybrid_search.text.keyword_cache import KeywordSource

QUERY_KEYWORDS = 10

_CAPITAL = re.compile("[A-Z]")
_ASCII_LOWER = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}


@dataclass(frozen=True)
class KeywordScores:
    """The keywords of a query and of documents, and how alike they are.

    Attributes:
        query_keywords: words and parts (TXT-8), in order.
        document_keywords: those of each document.
        scores: the cosine of each document, 0 to 1 but for rounding.
    """

    query_keywords: tuple[str, ...]
    document_keywords: tuple[tuple[str, ...], ...]
    scores: tuple[float, ...]


class KeywordCosine:
    """Compares queries and documents by their keywords.

    Args:
        keyword_extractor: finds the keywords, or a `KeywordCache`; the default `KeywordExtractor` when not given.
        keyword_limit: how many words of a document count at the most, at least 0; none or 0: all of them.

    Raises:
        InvalidInputError: an argument is not acceptable.
    """

    def __init__(self, keyword_extractor: KeywordSource | None = None, keyword_limit: int | None = None) -> None:
        self._extractor: KeywordSource = keyword_source.accept("keyword_extractor", keyword_extractor)
        if keyword_limit is not None:
            keyword_limit = validation.integer("keyword_limit", keyword_limit, 0)
        self._keyword_limit = keyword_limit

    def scores(self, query: str, texts: Sequence[str]) -> KeywordScores:
        """How alike the query and each of the texts are; the texts are all documents there are.

        Raises:
            InvalidInputError: a text is not valid Unicode.
        """
        asked = self._extractor.extract(query, QUERY_KEYWORDS).terms
        found = tuple(self._extractor.extract(text, self._keyword_limit).terms for text in texts)
        return KeywordScores(asked, found, tuple(KeywordCosine.cosines(asked, found)))

    @staticmethod
    def cosines(query_terms: Sequence[str], documents_terms: Sequence[Sequence[str]]) -> list[float]:
        """The cosine of the query's vector with that of each document.

        A term counts once in a text, ASCII case ignored; it weighs idf = ln((1 + N) / (1 + df)) + 1 over these
        documents, and nothing in the query where no document has it. The numerator runs over the query's terms, each
        square sum over the text's own, all in order; 0.0 where a norm is 0.
        """
        asked = KeywordCosine.distinct(query_terms)
        documents = [KeywordCosine.distinct(terms) for terms in documents_terms]
        idf = KeywordCosine.inverse_frequencies(documents)
        weights = [idf.get(term, 0.0) for term in asked]
        query_norm = numeric.norm(weights)
        return [_cosine(asked, weights, query_norm, terms, idf) for terms in documents]

    @staticmethod
    def inverse_frequencies(documents: Sequence[dict[str, None]]) -> dict[str, float]:
        """The idf of every term of these documents, whose terms are distinct."""
        frequencies: dict[str, int] = {}
        for terms in documents:
            for term in terms:
                frequencies[term] = frequencies.get(term, 0) + 1
        count = len(documents)
        return {term: math.log((1 + count) / (1 + found)) + 1.0 for term, found in frequencies.items()}

    @staticmethod
    def distinct(terms: Sequence[str]) -> dict[str, None]:
        """The terms in small ASCII letters, each once, in order."""
        # Most texts have no capitals left: one look at all terms tells.
        if _CAPITAL.search("".join(terms)) is None:
            return dict.fromkeys(terms)
        return dict.fromkeys(term.lower() if term.isascii() else term.translate(_ASCII_LOWER) for term in terms)


def _cosine(
    asked: dict[str, None], weights: list[float], query_norm: float, terms: dict[str, None], idf: dict[str, float]
) -> float:
    document_norm = numeric.norm([idf[term] for term in terms])
    if query_norm == 0.0 or document_norm == 0.0:
        return 0.0
    matched = [weight if term in terms else 0.0 for term, weight in zip(asked, weights, strict=True)]
    return numeric.dot(weights, matched) / (query_norm * document_norm)

"""Compares a query with documents by their keywords: the cosine of TF-IDF vectors (DFY-2)."""

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
    """The keywords of a query and of documents, and their similarities.

    Attributes:
        query_keywords: words and parts (TXT-8), in order.
        document_keywords: the keywords of each document.
        scores: the cosine of each document, 0 to 1 except for rounding.
    """

    query_keywords: tuple[str, ...]
    document_keywords: tuple[tuple[str, ...], ...]
    scores: tuple[float, ...]


class KeywordCosine:
    """Compares queries and documents by their keywords.

    Args:
        keyword_extractor: finds the keywords, or a `KeywordCache`; by default a `KeywordExtractor`.
        keyword_limit: the maximum number of words of a document, at least 0; `None` or 0 uses all words.

    Raises:
        InvalidInputError: an argument is not acceptable.
    """

    def __init__(self, keyword_extractor: KeywordSource | None = None, keyword_limit: int | None = None) -> None:
        self._extractor: KeywordSource = keyword_source.accept("keyword_extractor", keyword_extractor)
        if keyword_limit is not None:
            keyword_limit = validation.integer("keyword_limit", keyword_limit, 0)
        self._keyword_limit = keyword_limit

    def scores(self, query: str, texts: Sequence[str]) -> KeywordScores:
        """Return the similarity of the query with each of the texts, which form the whole collection.

        Raises:
            InvalidInputError: a text is not valid Unicode.
        """
        asked = self._extractor.extract(query, QUERY_KEYWORDS).terms
        found = tuple(self._extractor.extract(text, self._keyword_limit).terms for text in texts)
        return KeywordScores(asked, found, tuple(KeywordCosine.cosines(asked, found)))

    @staticmethod
    def cosines(query_terms: Sequence[str], documents_terms: Sequence[Sequence[str]]) -> list[float]:
        """Return the cosine of the query's vector with the vector of each document.

        A term counts once in a text, ASCII case ignored. Its weight is idf = ln((1 + N) / (1 + df)) + 1 over these
        documents; a term of the query that no document contains has the weight 0. The numerator is summed over the
        query's terms and each sum of squares over the text's own terms, all in order; the cosine is 0.0 if a norm is 0.
        """
        asked = KeywordCosine.distinct(query_terms)
        documents = [KeywordCosine.distinct(terms) for terms in documents_terms]
        idf = KeywordCosine.inverse_frequencies(documents)
        weights = [idf.get(term, 0.0) for term in asked]
        query_norm = numeric.norm(weights)
        return [_cosine(asked, weights, query_norm, terms, idf) for terms in documents]

    @staticmethod
    def inverse_frequencies(documents: Sequence[dict[str, None]]) -> dict[str, float]:
        """Return the idf of every term of these documents, whose terms are distinct."""
        frequencies: dict[str, int] = {}
        for terms in documents:
            for term in terms:
                frequencies[term] = frequencies.get(term, 0) + 1
        count = len(documents)
        return {term: math.log((1 + count) / (1 + found)) + 1.0 for term, found in frequencies.items()}

    @staticmethod
    def distinct(terms: Sequence[str]) -> dict[str, None]:
        """Return the terms in ASCII lower case, each once, in order."""
        # Most texts have no capitals left; a single search over all terms finds this out.
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

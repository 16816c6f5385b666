"""The English path of a question (QRY-5)."""

import re
from itertools import pairwise

from hybrid_search.query_builder import clauses
from hybrid_search.query_builder.synonyms import Synonyms
from hybrid_search.query_builder.term_weight import TermWeight
from hybrid_search.query_builder.tree import AnyOf, Boost, Group, Node, Phrase, Term
from hybrid_search.text.tokenizer import TokenizerLike

REMOVED = re.compile(r"[ \\\"'^]")
LEADING_SIGN = re.compile(r"\A[+-]")
NO_CLAUSE = re.compile(r"[.^+()-]")

MOST_TERMS = 256


class EnglishQuery:
    """Makes the query of a text whose words are separated.

    Args:
        tokenizer: makes the tokens.
        term_weight: weighs them.
        synonyms: returns the synonyms of a token.
    """

    def __init__(self, tokenizer: TokenizerLike, term_weight: TermWeight, synonyms: Synonyms) -> None:
        self._term_weight = term_weight
        self._tokenizer = tokenizer
        self._synonyms = synonyms

    def build(self, text: str) -> tuple[Node, list[str]]:
        """Return the query tree and the keywords of a text without question words."""
        tokens = self._tokenizer.tokenize(text)
        keywords = list(tokens)
        weighted = _cleaned(self._term_weight.weights(tokens, preprocess=False))
        children: list[Node] = []
        for token, weight in weighted[:MOST_TERMS]:
            synonyms = self._synonym_texts(token)
            keywords.extend(synonyms)
            if not NO_CLAUSE.match(token):
                children.append(_clause(token, weight, synonyms))
        children.extend(_neighbours(weighted))
        return (AnyOf(tuple(children)) if children else clauses.any_of_pieces(text)), keywords

    def keywords(self, text: str) -> list[str]:
        """Return the keywords that `build` returns, without computing weights, as a weight is never 0."""
        tokens = self._tokenizer.tokenize(text)
        cleaned = _cleaned([(token, 0.0) for token in tokens])
        return tokens + [synonym for token, _ in cleaned[:MOST_TERMS] for synonym in self._synonym_texts(token)]

    def _synonym_texts(self, token: str) -> list[str]:
        found = (self._tokenizer.tokenize(synonym) for synonym in self._synonyms.lookup(token))
        texts = (" ".join(tokens).replace("'", "") for tokens in found)
        return [text for text in texts if text]


def _cleaned(weighted: list[tuple[str, float]]) -> list[tuple[str, float]]:
    kept = [(REMOVED.sub("", token), weight) for token, weight in weighted]
    kept = [(LEADING_SIGN.sub("", token), weight) for token, weight in kept if token]
    return [(token, weight) for token, weight in kept if token]


def _clause(token: str, weight: float, synonyms: list[str]) -> Node:
    """Return `(token^w "synonym"^w/4)`; without synonyms an empty any-of keeps the blank before the bracket."""
    term = Boost(Term(token, escape=False), weight, "fixed4")
    alternatives: list[Node] = [
        Boost(Phrase(tuple(text.split(" ")), escape=False), weight / 4.0, "fixed4") for text in synonyms
    ]
    return Group(AnyOf((term, *(alternatives or [AnyOf(())]))))


def _neighbours(weighted: list[tuple[str, float]]) -> list[Node]:
    return [
        Boost(Phrase((left, right), escape=False), max(left_weight, right_weight) * 2.0, "fixed4")
        for (left, left_weight), (right, right_weight) in pairwise(weighted)
    ]

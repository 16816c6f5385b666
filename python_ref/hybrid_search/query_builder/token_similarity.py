"""The share of a question's weight that a document has (QRY-9).

A document has a key of the question as a token, or as two neighbouring tokens joined. Nothing else about the document
matters, so documents are never weighed.
"""

from collections.abc import Container, Sequence
from itertools import pairwise
from typing import Any

from hybrid_search.base import validation
from hybrid_search.errors import InvalidInputError
from hybrid_search.query_builder.term_weight import TermWeight

SMALLEST = 1e-9
WEIGHT_OF_TOKEN = 0.4
WEIGHT_OF_PAIR = 0.6


def held_keys(tokens: Sequence[str]) -> frozenset[str]:
    """Return the keys of a document with these tokens: each token, and each pair of neighbours joined."""
    return frozenset([*tokens, *(left + right for left, right in pairwise(tokens))])


class QueryKeys:
    """The keys of a question with their weights.

    Attributes:
        keys: (key, weight), in order of first appearance.
        total: the sum of the weights.
    """

    def __init__(self, keys: Sequence[tuple[str, float]]) -> None:
        self.keys = tuple(keys)
        self.total = SMALLEST
        for _, weight in self.keys:
            self.total = self.total + weight

    def similarity(self, tokens: Sequence[str]) -> float:
        """Return the share of the weight whose keys a document has, from above 0 to 1."""
        return self.similarity_of(held_keys(tokens))

    def similarity_of(self, held: Container[str]) -> float:
        """Return the same for the `held_keys` of a document."""
        score = SMALLEST
        for key, weight in self.keys:
            if key in held:
                score = score + weight
        return score / self.total


class TokenSimilarity:
    """Compares a question's tokens with those of documents.

    Args:
        term_weight: weighs the tokens of the question.
    """

    def __init__(self, term_weight: TermWeight) -> None:
        self.term_weight = term_weight

    def token_similarity(self, query_tokens: Sequence[str], docs_tokens: Sequence[Sequence[str]]) -> list[float]:
        """Return the similarity of each document, above 0 and at most 1; 1.0 for all if there are no query tokens.

        Args:
            query_tokens: the question's tokens, in order.
            docs_tokens: the tokens of each document, in order.

        Raises:
            InvalidInputError: an argument has another type.
        """
        keys = self.query_keys(query_tokens)
        return [keys.similarity(tokens) for tokens in _documents(docs_tokens)]

    def query_keys(self, query_tokens: Sequence[str]) -> QueryKeys:
        """Return the question's tokens and concatenated neighbours, each with its weight.

        Raises:
            InvalidInputError: `query_tokens` is not a list of texts.
        """
        weighted = self.term_weight.weights(validation.texts("query_tokens", query_tokens), preprocess=False)
        keys: dict[str, float] = {}
        for index, (token, weight) in enumerate(weighted):
            keys[token] = keys.get(token, 0.0) + WEIGHT_OF_TOKEN * weight
            if index + 1 < len(weighted):
                following, following_weight = weighted[index + 1]
                pair = token + following
                keys[pair] = keys.get(pair, 0.0) + WEIGHT_OF_PAIR * max(weight, following_weight)
        return QueryKeys(list(keys.items()))


def _documents(value: Any) -> Sequence[Sequence[str]]:
    if not isinstance(value, (list, tuple)):
        raise validation.fail("docs_tokens", value, "a list of lists of texts")
    for index, tokens in enumerate(value):
        if not isinstance(tokens, (list, tuple)):
            raise validation.fail(f"docs_tokens[{index}]", tokens, "a list of texts")
        if not all(map(str.__instancecheck__, tokens)):
            raise InvalidInputError(f"docs_tokens[{index}] must be a list of texts")
    return value

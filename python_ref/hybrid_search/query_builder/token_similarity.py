"""How much of a question's weight a document has (QRY-9).

Only whether a document has a key of the question matters. A key is there when the document has it as a token, or
has two neighbouring tokens whose concatenation it is, wherever the key is cut in two. So the documents are never
weighed: one look-up for each token tells whether it is a key or may begin one.
"""

from collections.abc import Sequence
from itertools import compress, pairwise
from typing import Any

from hybrid_search import validation
from hybrid_search.errors import InvalidInputError
from hybrid_search.query_builder.term_weight import TermWeight

SMALLEST = 1e-9
WEIGHT_OF_TOKEN = 0.4
WEIGHT_OF_PAIR = 0.6
LONGEST_CUT = 64
"""Longer keys are not cut in two at every place; neighbours of their length are concatenated instead."""


class QueryKeys:
    """The keys of a question with their weights.

    Attributes:
        keys: (key, weight), in order of first appearance.
    """

    def __init__(self, keys: Sequence[tuple[str, float]]) -> None:
        self.keys = tuple(keys)
        self._total = SMALLEST
        for _, weight in self.keys:
            self._total = self._total + weight

    def similarity(self, tokens: Sequence[str]) -> float:
        """The share of the weight whose keys a document has, from above 0 to 1."""
        return self.similarities([tokens])[0]

    def similarities(self, documents: Sequence[Sequence[str]]) -> list[float]:
        """`similarity` of each document."""
        return self.shares(self.found(documents))

    def found(self, documents: Sequence[Sequence[str]]) -> list[int]:
        """Which keys each document has: an integer with a bit for each key, the first key's the lowest."""
        table = KeyTable([key for key, _ in self.keys])
        return [table.found(tokens) for tokens in documents]

    def shares(self, found: Sequence[int]) -> list[float]:
        """The share of the weight of the keys in each integer of `found`; equal integers share one sum."""
        shares: dict[int, float] = {}
        for bits in found:
            if bits not in shares:
                shares[bits] = self._share(bits)
        return [shares[bits] for bits in found]

    def _share(self, bits: int) -> float:
        score = SMALLEST
        for bit, (_, weight) in zip(f"{bits:b}"[::-1], self.keys, strict=False):
            if bit == "1":
                score = score + weight
        return score / self._total


class KeyTable:
    """Finds keys, of which each may be cut in two at any place, in lists of tokens."""

    def __init__(self, keys: Sequence[str]) -> None:
        # token → {what may follow it, or "" where the token is a key → number of the key that makes}
        self._table: dict[str, dict[str, int]] = {}
        self._long: dict[str, int] = {}
        for index, key in enumerate(keys):
            self._table.setdefault(key, {})[""] = index
            if len(key) > LONGEST_CUT:
                self._long[key] = index
                continue
            for cut in range(1, len(key)):
                self._table.setdefault(key[:cut], {})[key[cut:]] = index

    def found(self, tokens: Sequence[str]) -> int:
        """The bits of the keys that a document has."""
        found = 0
        entries = list(map(self._table.get, tokens))
        for place in compress(range(len(tokens)), entries):
            entry = entries[place]
            assert entry is not None
            for following in ("", *tokens[place + 1 : place + 2]):
                number = entry.get(following)
                if number is not None:
                    found |= 1 << number
        return found | self._found_long(tokens) if self._long else found

    def _found_long(self, tokens: Sequence[str]) -> int:
        lengths = {len(key) for key in self._long}
        found = 0
        for left, right in pairwise(tokens):
            if len(left) + len(right) in lengths:
                number = self._long.get(left + right)
                found |= 0 if number is None else 1 << number
        return found


class TokenSimilarity:
    """Compares a question's tokens with those of documents.

    Args:
        term_weight: weighs the tokens of the question.
    """

    def __init__(self, term_weight: TermWeight) -> None:
        self.term_weight = term_weight

    def token_similarity(self, query_tokens: Sequence[str], docs_tokens: Sequence[Sequence[str]]) -> list[float]:
        """The similarity of each document, above 0 and at most 1; 1.0 for all when there are no query tokens.

        Args:
            query_tokens: the question's tokens, in order.
            docs_tokens: for each document its tokens, in order.

        Raises:
            InvalidInputError: an argument is of another kind.
        """
        keys = self.query_keys(query_tokens)
        return keys.similarities(_documents(docs_tokens))

    def query_keys(self, query_tokens: Sequence[str]) -> QueryKeys:
        """The question's tokens and concatenated neighbours, with what each counts.

        Raises:
            InvalidInputError: `query_tokens` is no list of texts.
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

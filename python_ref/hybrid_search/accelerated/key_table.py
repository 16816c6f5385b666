"""Looks up the keys of a question in lists of tokens (QRY-9).

A document has a key as a token, or as two neighbouring tokens whose concatenation is the key, for any cut of the key
in two. One look-up for each token determines whether it is a key or may begin one.
"""

from collections.abc import Sequence
from itertools import compress, pairwise

from hybrid_search.query_builder.token_similarity import SMALLEST, QueryKeys

LONGEST_CUT = 64
"""Longer keys are not cut in two at every place; neighbours of their length are concatenated instead."""


class KeyTable:
    """Finds keys, of which each may be cut in two at any place, in lists of tokens."""

    def __init__(self, keys: Sequence[str]) -> None:
        # token → {following token, or "" if the token is a key → number of the key that both form}
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
        """Return the bits of the keys that a document has."""
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


def shares(query_keys: QueryKeys, found: Sequence[int]) -> list[float]:
    """Return each document's share of the weight of the keys; equal integers of `found` share one sum.

    Args:
        query_keys: the keys with their weights.
        found: an integer for each document, with a bit for each key it has, the first key's the lowest.
    """
    known: dict[int, float] = {}
    for bits in found:
        if bits not in known:
            score = SMALLEST
            for bit, (_, weight) in zip(f"{bits:b}"[::-1], query_keys.keys, strict=False):
                if bit == "1":
                    score = score + weight
            known[bits] = score / query_keys.total
    return [known[bits] for bits in found]

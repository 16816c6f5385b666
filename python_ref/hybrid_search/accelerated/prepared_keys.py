"""Looks up the keys of a question in prepared documents (RNK-1, QRY-9)."""

from collections.abc import Sequence

import numpy as np

from hybrid_search.accelerated.prepared import BYTES_PER_TOKEN, PreparedDocument, Vocabulary

LONGEST_CUT = 64
LAST_PLACE = 4095
SEPARATOR = b"\xff" * BYTES_PER_TOKEN
"""A number that no token has."""
NOTHING = -1


class PreparedKeys:
    """Finds the keys of a question, its tokens and concatenated neighbours, in documents of one vocabulary.

    A document has a key if it contains the key as a token, or two neighbouring tokens whose concatenation is the key.

    Attributes:
        usable: whether this method can be used: no key of more than 64 characters may be two tokens.
    """

    def __init__(self, keys: Sequence[str], vocabulary: Vocabulary) -> None:
        self.usable = all(len(key) <= LONGEST_CUT or len(key) > 2 * vocabulary.longest for key in keys)
        # number of a token → {following number, or NOTHING if it is a key → place of the key that both form}
        self._entries: dict[int, dict[int, int]] = {}
        if self.usable:
            for place, key in enumerate(keys):
                self._add(key, place, vocabulary)
        # Most tokens are in no key. The last bits of their numbers are enough to exclude them.
        self._table = np.zeros(LAST_PLACE + 1, dtype=np.bool_)
        self._table[[number & LAST_PLACE for number in self._entries]] = True

    def found(self, documents: Sequence[PreparedDocument]) -> list[int]:
        """Return the keys of each document as an integer with a bit for each key, the first key's the lowest."""
        found = [0] * len(documents)
        if not self._entries or not documents:
            return found
        packed = SEPARATOR.join([document.tokens for document in documents]) + SEPARATOR * 2
        numbers = np.frombuffer(packed, dtype="<u4")
        hits = np.flatnonzero(self._table[numbers & LAST_PLACE])
        ends = np.cumsum([len(one.tokens) // BYTES_PER_TOKEN + 1 for one in documents])  # whole numbers
        places = np.searchsorted(ends, hits, side="right").tolist()
        following = numbers[np.minimum(hits + 1, len(numbers) - 1)].tolist()
        for place, number, next_number in zip(places, numbers[hits].tolist(), following, strict=True):
            entry = self._entries.get(number)
            if entry is not None:
                for following in (NOTHING, next_number):
                    key = entry.get(following)
                    if key is not None:
                        found[place] |= 1 << key
        return found

    def _add(self, key: str, place: int, vocabulary: Vocabulary) -> None:
        number = vocabulary.number(key)
        if number is not None:
            self._entries.setdefault(number, {})[NOTHING] = place
        for first, second in vocabulary.pairs(key):
            self._entries.setdefault(first, {})[second] = place

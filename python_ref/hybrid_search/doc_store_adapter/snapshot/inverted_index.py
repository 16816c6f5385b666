"""The inverted index of one field: the documents that contain a token, its positions and its scores (DOC-3)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property

from hybrid_search.doc_store_adapter.snapshot.bm25 import Bm25
from hybrid_search.doc_store_adapter.snapshot.phrase_matcher import exact_frequency, sloppy_frequency


class InvertedIndex:
    """The tokens of one field for all documents that have it; immutable.

    Args:
        bm25: the formula.
        keywords: whether each token is a whole keyword; a phrase is then the keyword of its tokens joined by a blank.
        tokens: id → the tokens of a document's field, which may be empty.

    Attributes:
        lengths: id → the number of tokens of a document's field.
    """

    def __init__(self, bm25: Bm25, keywords: bool, tokens: Mapping[str, Sequence[str]]) -> None:
        self._bm25 = bm25
        self._keywords = keywords
        self.lengths: dict[str, int] = {}
        self._length = 0
        # Token → id → its positions, ascending.
        self._positions: dict[str, dict[str, list[int]]] = {}
        for identifier, own in tokens.items():
            self.lengths[identifier] = len(own)
            self._length += len(own)
            for position, token in enumerate(own):
                self._positions.setdefault(token, {}).setdefault(identifier, []).append(position)

    def scores(self, tokens: tuple[str, ...], slop: int) -> dict[str, float]:
        """Return id → the score of a token, or of several as a phrase, for each document that contains it."""
        if self._keywords:
            tokens = (" ".join(tokens),)
        frequencies = self._frequencies(tokens, slop)
        if not frequencies:
            return {}
        idf = 0.0
        for token in tokens:
            idf = idf + self.idf(token)
        bm25, average_length = self._bm25, self.average_length
        return {
            identifier: bm25.score(idf, frequency, bm25.saturation_length(self.lengths[identifier], average_length))
            for identifier, frequency in frequencies.items()
        }

    def counts(self, token: str) -> dict[str, int]:
        """Return id → the number of occurrences of a token, for documents that contain it."""
        return {identifier: len(places) for identifier, places in self._positions.get(token, {}).items()}

    @property
    def average_length(self) -> float:
        """The mean length over the documents that have the field; there must be one."""
        return self._length / len(self.lengths)

    @property
    def average_filled_length(self) -> float:
        """The mean length over the documents whose field has tokens; there must be one."""
        return self._length / len([length for length in self.lengths.values() if length > 0])

    def idf(self, token: str) -> float:
        """Return the idf of a token that occurs; okapi raises a negative idf to epsilon · average idf."""
        idf = self._bm25.raw_idf(len(self.lengths), len(self._positions[token]))
        if idf >= 0:
            return idf
        return self._bm25.epsilon * self._average_idf

    @cached_property
    def _average_idf(self) -> float:
        tokens_with = Counter(len(holding) for holding in self._positions.values())
        return self._bm25.average_idf(len(self.lengths), tokens_with)

    def _frequencies(self, tokens: tuple[str, ...], slop: int) -> dict[str, float]:
        """Return id → the frequency of a token or a phrase, for documents that contain it."""
        places = [self._positions.get(token, {}) for token in tokens]
        found: dict[str, float] = {}
        for identifier in places[0]:
            if all(identifier in one for one in places):
                frequency = _frequency([one[identifier] for one in places], slop, len(set(tokens)) < len(tokens))
                if frequency > 0:
                    found[identifier] = frequency
        return found


def _frequency(positions: Sequence[Sequence[int]], slop: int, repeats: bool) -> float:
    if len(positions) == 1:
        return len(positions[0])
    return exact_frequency(positions) if slop == 0 else sloppy_frequency(positions, slop, repeats)

"""The inverted index of one field: which documents hold a token, where, and what it scores there (DOC-3).

Documents are numbered by *slots* that only grow. What follows from the statistics of the whole field (idf, scores) is
made when a term is first asked for and dropped when a document comes or goes, so that adding costs the tokens of the
document and nothing else.
"""

from array import array
from collections import Counter
from collections.abc import Sequence

import numpy as np

from hybrid_search.doc_store_adapter.bm25 import Bm25
from hybrid_search.doc_store_adapter.phrase_matcher import has_room, sloppy_frequency
from hybrid_search.doc_store_adapter.posting import Posting, Scores, Slots

POSITION_BITS = 32
POSITION_MASK = (1 << POSITION_BITS) - 1
SMALLEST_CACHE = 4_000_000
CACHE_PER_TOKEN = 2


class InvertedIndex:
    """The tokens of one field of all documents.

    Args:
        bm25: the formula.
        keywords: whether a token is a whole keyword; a phrase then is the keyword of its tokens joined by a blank.
    """

    def __init__(self, bm25: Bm25, keywords: bool) -> None:
        self._bm25 = bm25
        self._keywords = keywords
        self._occurrences: dict[str, array[int]] = {}
        self._document_frequencies: Counter[str] = Counter()
        self._documents = 0
        self._slots = 0
        self._tokens = 0
        self._lengths = np.full(1024, -1, dtype=np.int64)
        self._cache: dict[tuple[tuple[str, ...], int], Posting | None] = {}
        self._cached = 0
        self._average_idf: float | None = None

    def add(self, slot: int, tokens: Sequence[str]) -> None:
        """Add a document at a slot that is higher than all before."""
        occurrences = self._occurrences
        place = slot << POSITION_BITS
        for token in tokens:
            found = occurrences.get(token)
            if found is None:
                occurrences[token] = array("q", (place,))
            else:
                found.append(place)
            place += 1
        self._document_frequencies.update(set(tokens))
        if slot >= len(self._lengths):
            grown = np.full(max(slot + 1, 2 * len(self._lengths)), -1, dtype=np.int64)
            grown[: len(self._lengths)] = self._lengths
            self._lengths = grown
        self._lengths[slot] = len(tokens)
        self._slots = slot + 1
        self._documents += 1
        self._tokens += len(tokens)
        self._forget()

    def remove(self, slot: int, tokens: Sequence[str]) -> None:
        """Take a document out; its occurrences stay behind and are passed over."""
        for token in set(tokens):
            self._document_frequencies[token] -= 1
            if not self._document_frequencies[token]:
                del self._document_frequencies[token], self._occurrences[token]
        self._lengths[slot] = -1
        self._documents -= 1
        self._tokens -= len(tokens)
        self._forget()

    @property
    def tokens(self) -> int:
        """How many tokens all documents have together."""
        return self._tokens

    def idf(self, token: str) -> float:
        """The idf of a token that is in some document; okapi raises a negative one to epsilon · average idf."""
        idf = self._bm25.raw_idf(self._documents, self._document_frequencies[token])
        if idf >= 0 or self._bm25.variant == "lucene":
            return idf
        if self._average_idf is None:
            self._average_idf = self._bm25.average_idf(self._documents, self._document_frequencies.values())
        return self._bm25.epsilon * self._average_idf

    def posting(self, tokens: tuple[str, ...], slop: int) -> Posting | None:
        """The documents that hold a token, or several as a phrase; none when there are none."""
        if self._keywords and len(tokens) > 1:
            tokens = (" ".join(tokens),)
        key = (tokens, slop if len(tokens) > 1 else 0)
        known = self._cache.get(key)
        if known is not None or key in self._cache:
            return known
        posting = self._posting(*key)
        self._cached += 1 if posting is None else posting.size
        while self._cached > SMALLEST_CACHE + CACHE_PER_TOKEN * self._tokens and self._cache:
            dropped = self._cache.pop(next(iter(self._cache)))
            self._cached -= 1 if dropped is None else dropped.size
        self._cache[key] = posting
        return posting

    def _forget(self) -> None:
        if self._cache:
            self._cache = {}
            self._cached = 0
        self._average_idf = None

    def _posting(self, tokens: tuple[str, ...], slop: int) -> Posting | None:
        if any(token not in self._occurrences for token in tokens):
            return None
        frequencies: Slots | Scores
        if len(tokens) == 1:
            slots, frequencies = _frequencies(self._places(tokens[0]))
        elif slop == 0:
            slots, frequencies = self._exact_phrase(tokens)
        else:
            slots, frequencies = self._sloppy_phrase(tokens, slop)
        if not len(slots):
            return None
        idf = 0.0
        for token in tokens:
            idf = idf + self.idf(token)
        average_length = self._tokens / self._documents
        scores = self._bm25.score(idf, frequencies, self._lengths[slots], average_length)
        return Posting(slots, scores, self._slots)

    def _places(self, token: str) -> Slots:
        places = np.array(self._occurrences[token], dtype=np.int64)
        living: Slots = places[self._lengths[places >> POSITION_BITS] >= 0]
        return living

    def _exact_phrase(self, tokens: tuple[str, ...]) -> tuple[Slots, Slots]:
        places = {token: self._places(token) for token in set(tokens)}
        starts = places[tokens[0]]
        for offset, token in enumerate(tokens[1:], start=1):
            if not len(starts):
                break
            wanted = starts + offset
            found = places[token].take(places[token].searchsorted(wanted), mode="clip")
            starts = starts[found == wanted]
        return _frequencies(starts)

    def _sloppy_phrase(self, tokens: tuple[str, ...], slop: int) -> tuple[Slots, Scores]:
        counts = Counter(tokens)
        places = {token: self._places(token) for token in counts}
        repeats = len(counts) < len(tokens)
        common: Slots | None = None
        for token, count in counts.items():
            slots, frequencies = _frequencies(places[token])
            slots = slots[frequencies >= count]  # in a match no two tokens share a position
            common = slots if common is None else np.intersect1d(common, slots, assume_unique=True)
        assert common is not None
        starts, ends = (
            {token: np.searchsorted(found, slots << POSITION_BITS).tolist() for token, found in places.items()}
            for slots in (common, common + 1)
        )
        matches = np.zeros(len(common), dtype=np.float64)
        for row in range(len(common)):
            positions = {
                token: (found[starts[token][row] : ends[token][row]] & POSITION_MASK).tolist()
                for token, found in places.items()
            }
            if has_room(positions.values(), len(tokens), slop):
                matches[row] = sloppy_frequency([positions[token] for token in tokens], slop, repeats)
        found = matches > 0.0
        return common[found], matches[found]


def _frequencies(places: Slots) -> tuple[Slots, Slots]:
    """The slots in ascending places, and how many places each has."""
    slots = places >> POSITION_BITS
    first = np.ones(len(slots), dtype=np.bool_)
    first[1:] = slots[1:] != slots[:-1]
    starts = np.flatnonzero(first)
    return slots[starts], np.diff(starts, append=len(slots))

"""The inverted index of one field: the documents that contain a token, its places, and its scores (DOC-3).

Documents are numbered by *slots* that only grow. Values that depend on the statistics of the whole field (idf, scores)
are computed when a term is first requested, so that adding a document costs only its own tokens.
"""

import copy
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, repeat
from operator import add

import numpy as np

from hybrid_search.accelerated.cached_postings import CachedPostings
from hybrid_search.accelerated.living_slots import LivingSlots
from hybrid_search.accelerated.posting import Counts, Lengths, Posting, Scores, Slots
from hybrid_search.accelerated.token_batch import POSITION_BITS, TokenBatch
from hybrid_search.doc_store_adapter.snapshot.bm25 import Bm25
from hybrid_search.doc_store_adapter.snapshot.phrase_matcher import sloppy_frequency

POSITION_MASK = (1 << POSITION_BITS) - 1
FEWEST_SORTED = 2048
"""The number of tokens from which on it is faster to sort them."""


class FastInvertedIndex:
    """The tokens of one field of all documents, in one state of a store; its results never change.

    All states share the lists of occurrences, to which a change appends. Its occurrences are visible only in the state
    that `changed` returns: the others end before its slots. An abandoned change leaves occurrences in slots that never
    count. Safe to use from several threads; only one change at a time may be made, each from the state of the last
    change that was not abandoned.

    Args:
        bm25: the formula.
        keywords: whether a token is a whole keyword; a phrase then is the keyword of its tokens joined by a blank.
    """

    def __init__(self, bm25: Bm25, keywords: bool) -> None:
        self._bm25 = bm25
        self._keywords = keywords
        self._name = ""
        self._occurrences: dict[str, array[int]] = {}
        # The number of documents that contain a token: the numbers known before the last change, and those it changed.
        self._older_frequencies: dict[str, int] = {}
        self._newer_frequencies: dict[str, int] = {}
        # Document frequency → the number of tokens that have it.
        self._tokens_with: dict[int, int] = {}
        self._documents = 0
        self._slots = 0
        self._tokens = 0
        self._lengths = np.full(1024, -1, dtype=np.int64)
        self._living = LivingSlots()
        self._postings = CachedPostings()
        self._frequencies: dict[str, int] = {}
        self._average_idf: float | None = None
        self._filled: int | None = None

    def changed(self, living: LivingSlots, removed: Iterable[Sequence[str]], added: TokenBatch) -> "FastInvertedIndex":
        """Return the index after a change.

        Args:
            living: the slots that contain a document after the change.
            removed: the tokens of removed documents.
            added: new documents, in slots that are higher than all before.
        """
        index = copy.copy(self)
        index._apply(living, removed, added)
        return index

    def separated(self) -> "FastInvertedIndex":
        """Return the same index with its own lists, for a field that shared them and now changes alone."""
        index = copy.copy(self)
        end = self._slots << POSITION_BITS
        found = self._occurrences.items()
        index._occurrences = {token: places[: bisect_left(places, end)] for token, places in found if places[0] < end}
        index._older_frequencies = dict(self._older_frequencies)
        index._lengths = self._lengths.copy()
        return index

    @property
    def tokens(self) -> int:
        """Return the total number of tokens of all documents."""
        return self._tokens

    def idf(self, token: str) -> float:
        """Return the idf of a token of some document; okapi raises a negative one to epsilon · average idf."""
        if token not in self._frequencies:
            counts = self.counts((token,), 0)
            self._frequencies[token] = 0 if counts is None else len(counts.slots)
        idf = self._bm25.raw_idf(self._documents, self._frequencies[token])
        if idf >= 0:
            return idf
        if self._average_idf is None:
            self._average_idf = self._bm25.average_idf(self._documents, self._frequency_counts())
        return self._bm25.epsilon * self._average_idf

    @property
    def slots(self) -> int:
        """Return the number of slots up to the last document that has the field."""
        return self._slots

    @property
    def average_filled_length(self) -> float:
        """The mean length over the documents that have a token there; there must be one."""
        if self._filled is None:
            self._filled = self._count_filled()
        return self._tokens / self._filled

    def counts(self, tokens: tuple[str, ...], slop: int) -> Counts | None:
        """Return the documents that contain a token, or several as a phrase; `None` if there is none."""
        if not all(map(self._holds, tokens)):
            return None
        frequencies: Slots | Scores
        if len(tokens) == 1:
            slots, frequencies = _frequencies(self._places(tokens[0]))
        elif slop == 0:
            slots, frequencies = self._exact_phrase(tokens)
        else:
            slots, frequencies = self._sloppy_phrase(tokens, slop)
        return Counts(slots, frequencies, self._lengths_of(slots)) if len(slots) else None

    def posting(self, tokens: tuple[str, ...], slop: int) -> Posting | None:
        """Return the documents that contain a token, or several as a phrase; `None` if there is none."""
        if self._keywords and len(tokens) > 1:
            tokens = (" ".join(tokens),)
        slop = slop if len(tokens) > 1 else 0
        key = (self._name, tokens, slop)
        known, posting = self._postings.find(key)
        if not known:
            posting = self._posting(tokens, slop)
            self._postings.keep(key, posting, self._tokens)
        return posting

    def _apply(self, living: LivingSlots, removed: Iterable[Sequence[str]], added: TokenBatch) -> None:
        # Repeating this after an abandoned change does no harm.
        self._older_frequencies.update(self._newer_frequencies)
        fewer: Counter[str] = Counter()
        more: Counter[str] = Counter()
        for tokens in removed:
            fewer.update(set(tokens))
            self._documents -= 1
            self._tokens -= len(tokens)
        if added.tokens < FEWEST_SORTED:
            for slot, tokens in added.documents:
                self._append(slot, tokens)
                more.update(set(tokens))
            self._count(fewer, more)
        else:
            self._append_sorted(added)
            self._count(fewer, added.frequencies)
        self._living = living
        self._forget()

    def _append(self, slot: int, tokens: Sequence[str]) -> None:
        occurrences = self._occurrences
        place = slot << POSITION_BITS
        for token in tokens:
            found = occurrences.get(token)
            if found is None:
                occurrences[token] = array("q", (place,))
            else:
                found.append(place)
            place += 1
        self._append_length(slot, len(tokens))

    def _append_sorted(self, fresh: TokenBatch) -> None:
        """Append the tokens of many documents, all places of a token at once."""
        occurrences = self._occurrences
        for token, places in fresh.places():
            found = occurrences.get(token)
            if found is None:
                occurrences[token] = array("q", places)
            else:
                found.frombytes(places)
        for slot, tokens in fresh.documents:
            self._append_length(slot, len(tokens))

    def _append_length(self, slot: int, length: int) -> None:
        if slot >= len(self._lengths):
            grown = np.full(max(slot + 1, 2 * len(self._lengths)), -1, dtype=np.int64)
            grown[: len(self._lengths)] = self._lengths
            self._lengths = grown
        self._lengths[slot] = length
        self._slots = slot + 1
        self._documents += 1
        self._tokens += length

    def _count(self, fewer: Mapping[str, int], more: Mapping[str, int]) -> None:
        older = self._older_frequencies
        newer = dict(zip(more, map(add, map(older.get, more, repeat(0)), more.values()), strict=True))
        for token, count in fewer.items():
            newer[token] = newer.get(token, older.get(token, 0)) - count
        tokens_with = Counter(self._tokens_with)
        tokens_with.update(newer.values())
        tokens_with.subtract(Counter(map(older.get, newer, repeat(0))))
        self._newer_frequencies = newer
        self._tokens_with = {frequency: count for frequency, count in tokens_with.items() if frequency and count}

    def _forget(self) -> None:
        """Discard everything that depends on the statistics."""
        self._postings = CachedPostings()
        self._frequencies = {}
        self._average_idf = None
        self._filled = None

    def _posting(self, tokens: tuple[str, ...], slop: int) -> Posting | None:
        counts = self.counts(tokens, slop)
        if counts is None:
            return None
        slots, frequencies, lengths = counts
        if len(tokens) == 1:
            self._frequencies[tokens[0]] = len(slots)
        idf = 0.0
        for token in tokens:
            idf = idf + self.idf(token)
        saturation = self._bm25.saturation_length(lengths, self._tokens / self._documents)
        scores = self._bm25.score(idf, frequencies, saturation)
        return Posting(slots, scores, self._slots)

    def _lengths_of(self, slots: Slots) -> Lengths:
        """Return the numbers of tokens of documents that have the field; the slots are ascending."""
        return self._lengths[slots]

    def _count_filled(self) -> int:
        """Return the number of documents with a token in the field."""
        filled = self._lengths[: self._living.limit] > 0
        mask = self._living.mask
        return int(np.count_nonzero(filled if mask is None else filled & (mask[: len(filled)] == 1)))

    def _holds(self, token: str) -> bool:
        """Return whether a document contains, or once contained, a token."""
        return token in self._occurrences

    def _frequency_counts(self) -> dict[int, int]:
        """Return the number of tokens of each document frequency."""
        return self._tokens_with

    def _places(self, token: str) -> Slots:
        """Return the places of a token, ascending."""
        # The list is copied at once, as a change may append to it meanwhile.
        places: Slots = np.frombuffer(self._occurrences[token][:], dtype=np.int64)
        end = self._living.limit << POSITION_BITS
        if places[-1] >= end:
            places = places[: places.searchsorted(end)]
        mask = self._living.mask
        return places if mask is None else places[mask[places >> POSITION_BITS] == 1]

    def _exact_phrase(self, tokens: tuple[str, ...]) -> tuple[Slots, Slots]:
        places = {token: self._places(token) for token in set(tokens)}
        starts = places[tokens[0]]
        for offset, token in enumerate(tokens[1:], start=1):
            if not len(starts) or not len(places[token]):
                return _frequencies(starts[:0])
            starts = _met(starts, places[token], offset)
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
            if _has_room(positions.values(), len(tokens), slop):
                matches[row] = sloppy_frequency([positions[token] for token in tokens], slop, repeats)
        found = matches > 0.0
        return common[found], matches[found]


def _met(starts: Slots, places: Slots, offset: int) -> Slots:
    """Return those of ascending `starts` that are followed by one of `places` at a distance of `offset`.

    The shorter list is looked up in the longer one.
    """
    if len(places) < len(starts):
        return _also(places - offset, starts)
    return _also(starts + offset, places) - offset


def _also(wanted: Slots, places: Slots) -> Slots:
    found = places.take(places.searchsorted(wanted), mode="clip")
    met: Slots = wanted[found == wanted]
    return met


def _frequencies(places: Slots) -> tuple[Slots, Slots]:
    """Return the slots of ascending places, and the number of places in each."""
    slots = places >> POSITION_BITS
    if not len(slots):
        return slots, slots
    first = np.empty(len(slots), dtype=np.bool_)
    first[0] = True
    np.not_equal(slots[1:], slots[:-1], out=first[1:])
    (starts,) = first.nonzero()
    counts = np.empty_like(starts)
    np.subtract(starts[1:], starts[:-1], out=counts[:-1])
    counts[-1] = len(slots) - starts[-1]
    return slots[starts], counts


def _has_room(positions: Iterable[Sequence[int]], count: int, slop: int) -> bool:
    """Return whether `count` positions are close enough to each other for a sloppy match: linear, unlike the match.

    In a match every token has its own position. With a distance of at most `slop`, the last position is less than
    `count + slop` after the first.

    Args:
        positions: for each different token of the phrase, its positions in the field, ascending.
        count: the number of tokens of the phrase, one or more.
        slop: the maximum distance of a match.
    """
    ordered = sorted(chain.from_iterable(positions))
    return any(last - first < count + slop for first, last in zip(ordered, ordered[count - 1 :], strict=False))

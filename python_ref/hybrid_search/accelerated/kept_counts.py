"""Caches the places of tokens and phrases from state to state: a change costs what it has touched (SQL-5, PG-5)."""

import numpy as np

from hybrid_search.accelerated.kept_entries import KeptEntries
from hybrid_search.accelerated.posting import Counts, Slots
from hybrid_search.accelerated.touched_documents import Match

BYTES_PER_DOCUMENT = 20
"""The bytes of a slot, a frequency and a length."""
BYTES_PER_KEY = 200
"""The approximate number of additional bytes of an entry."""

Key = tuple[str, tuple[str, ...], int]
"""The name of a field, a token or those of a phrase, and the slop."""


class KeptCounts(KeptEntries[Key, Counts | None]):
    """The counts that questions have requested, in one state of the tables.

    The counts of an earlier state are updated when they are requested again.
    """

    def find(self, key: Key) -> tuple[bool, Counts | None]:
        """Return whether a key is cached, and its counts; `None` for a key that no document contains."""
        entry = self._get(key)
        if entry is None:
            return False, None
        generation, counts = entry
        if generation != self._touched.generation:
            numbers = self._touched.since(generation)
            if numbers is None:
                return False, None
            patched = _patched(counts, numbers, self._touched.matches(key, numbers))
            (self._keep_on if patched is counts else self._set)(key, patched)
            return True, patched
        return True, counts

    def keep(self, key: Key, counts: Counts | None) -> None:
        """Cache the counts of a key."""
        self._set(key, counts)

    def _size_of(self, value: Counts | None) -> int:
        return BYTES_PER_KEY + (0 if value is None else BYTES_PER_DOCUMENT * len(value.slots))


def _patched(counts: Counts | None, touched: Slots, matches: list[Match]) -> Counts | None:
    """Return counts after a change.

    Args:
        counts: the counts before the change.
        touched: the numbers of the documents that have changed, ascending.
        matches: those of them that contain the token or the phrase now.
    """
    if counts is None:
        return _counts(matches) if matches else None
    places = counts.slots.searchsorted(touched)
    is_there = counts.slots.take(places, None, None, "clip") == touched
    if len(matches) + np.count_nonzero(is_there) == 0:
        return counts
    left = _without(counts, places[is_there])
    if not matches:
        return left if len(left.slots) else None
    fresh = _counts(matches)
    places = left.slots.searchsorted(fresh.slots)
    return Counts(
        np.insert(left.slots, places, fresh.slots),
        np.insert(left.frequencies, places, fresh.frequencies),
        np.insert(left.lengths, places, fresh.lengths),
    )


def _without(counts: Counts, places: Slots) -> Counts:
    return Counts(
        np.delete(counts.slots, places), np.delete(counts.frequencies, places), np.delete(counts.lengths, places)
    )


def _counts(matches: list[Match]) -> Counts:
    slots, frequencies, lengths = zip(*matches, strict=True)
    return Counts(np.array(slots, dtype=np.int64), np.array(frequencies), np.array(lengths, dtype=np.int32))

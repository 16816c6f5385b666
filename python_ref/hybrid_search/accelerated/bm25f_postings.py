"""Finds the scores of the tokens of a bag over several fields (DOC-9)."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from hybrid_search.accelerated.best_sums import BestSums, FirstSums
from hybrid_search.accelerated.field_postings import FieldPostings
from hybrid_search.accelerated.posting import COMMON, Mask, Posting, Scores, Slots
from hybrid_search.accelerated.text_candidates import Matched
from hybrid_search.doc_store_adapter.queries.match_exprs import Bm25fQuery
from hybrid_search.doc_store_adapter.snapshot import bm25f

LEVELS = 2
"""The number of times that a text query caches a posting."""

Fields = tuple[tuple[str, float], ...]


class Bm25fLeg(NamedTuple):
    """The text leg of a bag of tokens, whose documents are summed when they are needed.

    Attributes:
        matched: the count of each token, and its posting.
        limit: the maximum number of documents.
        sums: finds the best sums.
        allowed: for each slot whether it counts; `None` if all do.
    """

    matched: Sequence[Matched]
    limit: int
    sums: BestSums
    allowed: Mask | None

    def best(self) -> tuple[Slots, Scores]:
        """Return the slots and scores of documents with a score, among them the best with all ties of the last."""
        if not self.matched or self.limit == 0:
            return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float64)
        slots, scores = self.sums.best(self.matched, self.limit, self.allowed)
        scored = scores > 0.0
        return slots[scored], scores[scored]

    def first(self, count: int) -> FirstSums | None:
        """Return the first documents, or `None` if `best` must find them."""
        if not self.matched or self.limit <= count:
            return None
        return self.sums.first(self.matched, count, self.limit, self.allowed)


class Bm25fPostings(FieldPostings):
    """The postings of tokens over several fields at once, with a cache."""

    def leg(self, query: Bm25fQuery, documents: int, sums: BestSums, allowed: Mask | None) -> Bm25fLeg:
        """Return the leg of a query.

        Args:
            query: the tokens.
            documents: the number of documents.
            sums: finds the best sums.
            allowed: for each slot whether it counts, or `None` if all do.
        """
        fields = tuple(query.fields)
        found = [(float(count), self._kept_posting(fields, token, documents)) for token, count in query.counts.items()]
        matched = [(count, posting) for count, posting in found if posting is not None]
        return Bm25fLeg(matched, query.topn, sums, allowed)

    def _kept_posting(self, fields: Fields, token: str, documents: int) -> Posting | None:
        key = (fields, token)
        known, posting = self._kept.find(key)
        if not known:
            posting = self._posting(fields, token, documents)
            self._kept.keep(key, posting, self._room())
        return posting

    def _posting(self, fields: Fields, token: str, documents: int) -> Posting | None:
        found = [part for field, weight in fields if (part := self._frequencies(field, weight, token)) is not None]
        if not found:
            return None
        all_slots = max(index.slots for index in self._indexes.values())
        slots, totals = found[0] if len(found) == 1 else _added(found, all_slots)
        scores = bm25f.score(1, bm25f.idf(documents, len(slots)), totals)
        return Posting(slots, scores, all_slots)

    def _room(self) -> int:
        """Return the number of tokens that sets the room: that of a text query, by field and by the best field."""
        return LEVELS * sum(index.tokens for index in self._indexes.values())  # whole numbers

    def _frequencies(self, field: str, weight: float, token: str) -> tuple[Slots, Scores] | None:
        index = self._indexes.get(field)
        held = None if index is None else index.counts((token,), 0)
        if index is None or held is None:
            return None
        slots, counts, lengths = held
        return slots, bm25f.frequency(weight, counts, lengths, index.average_filled_length)


def _added(found: Sequence[tuple[Slots, Scores]], all_slots: int) -> tuple[Slots, Scores]:
    """Return the slots in any of several fields, and their frequencies added up in the order of the fields."""
    count = sum(len(own) for own, _ in found)  # whole numbers
    if count * COMMON > all_slots:  # to go through all slots is cheaper than to sort
        held = np.zeros(all_slots, dtype=np.bool_)
        everywhere = np.zeros(all_slots, dtype=np.float64)
        for own, frequencies in found:
            held[own] = True
            everywhere[own] += frequencies
        slots = held.nonzero()[0]
        return slots, everywhere[slots]
    slots = np.sort(np.concatenate([own for own, _ in found]))
    slots = slots[np.append(True, slots[1:] != slots[:-1])]  # np.unique would load numpy.ma
    totals = np.zeros(len(slots), dtype=np.float64)
    for own, frequencies in found:
        totals[slots.searchsorted(own)] += frequencies
    return slots, totals

"""The documents that contain a token, in a state that differs little from one whose scores are known (DOC-9, PG-5)."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from hybrid_search.accelerated import field_parts
from hybrid_search.accelerated.field_parts import FieldPart
from hybrid_search.accelerated.posting import USUAL_FACTORS, Posting, Scores, Slots, Steps
from hybrid_search.doc_store_adapter.snapshot import bm25f

NONE: Slots = np.empty(0, dtype=np.int64)
BYTES_PER_SLOT = 32
"""The bytes of a slot, a score, an estimate and steps by several factors."""
BYTES_PER_COUNT = 20
"""The bytes of a slot, a frequency and a length."""
ROUNDING = 1e-9
"""The part of a score that may be lost by rounding, much more than ever is."""


class KnownPosting(NamedTuple):
    """A posting with exact scores, and what these depend on.

    Attributes:
        posting: the posting.
        parts: the fields of the token.
        idf: the weight of the token.
    """

    posting: Posting
    parts: Sequence[FieldPart]
    idf: float

    def most_bytes(self) -> int:
        """Return the size in bytes when everything has been computed that searches need."""
        posting = self.posting
        own = BYTES_PER_SLOT * (posting.all_slots if posting.is_common else len(posting.slots))
        return own + BYTES_PER_COUNT * sum(len(part.counts.slots) for part in self.parts)  # whole numbers


class MovedPosting(Posting):
    """A posting whose steps are those of an earlier state, except for changed documents.

    Each change of a collection changes averages, and with them nearly every score, by very little. Steps and their
    slack decide which documents may be among the best; scores are computed for these alone.

    Args:
        known: the posting of the earlier state.
        parts: the fields of the token in this state; at least one.
        documents: the number of documents in this state.
        touched: the slots of the documents that have changed since, ascending.
        all_slots: the number of slots of the index.
    """

    __slots__ = ("_before", "_gone", "_high", "_idf", "_low", "_own", "_own_scores", "_parts", "_places")

    def __init__(
        self, known: KnownPosting, parts: Sequence[FieldPart], documents: int, touched: Slots, all_slots: int
    ) -> None:
        before = known.posting
        self._before, self._parts = before, parts
        self.slots, self.all_slots = before.slots, before.all_slots
        self._gone = self._places = self._own = NONE
        self._own_scores: Scores = np.empty(0)
        self._idf = bm25f.idf(documents, len(self.slots))
        if [id(part.counts) for part in parts] != [id(part.counts) for part in known.parts]:
            self._change(touched, documents, all_slots)
        self._low, self._high = _factors(known, parts, self._idf)
        self.is_common = before.is_common
        self.size = before.size + self.slots.nbytes
        self._scores = None
        self._lowest = min([before.lowest * self._low, *self._own_scores.tolist()])
        self._highest = max([before.highest * self._high, before.highest, *self._own_scores.tolist()])
        self._kept_steps = {}
        self._estimates = None
        self._all_scores = None

    def steps(self, factor: float) -> Steps:
        """Return the steps of the earlier state; those of documents that have changed since are exact."""
        steps = self._kept_steps.get(factor)
        if steps is None:
            steps = self._moved_steps(factor)
            if factor in USUAL_FACTORS:
                self._kept_steps[factor] = steps
                self.size += steps.nbytes
        return steps

    def slack(self, factor: float) -> int:
        """See `Posting.slack`: the steps are too low or too high by what a score may have changed."""
        highest = factor * self._before.highest
        return 1 + math.ceil(highest * (1.0 - self._low)) + math.ceil(highest * (self._high - 1.0))

    def add_scores(self, sums: Scores, slots: Slots, boost: float) -> None:
        """See `Posting.add_scores`; the scores are computed."""
        held, totals = field_parts.totals_at(self._parts, slots)
        scores = bm25f.score(1, self._idf, totals)
        np.add(sums, scores if boost == 1.0 else scores * boost, sums, where=held)

    def _change(self, touched: Slots, documents: int, all_slots: int) -> None:
        """Take over the documents that have changed."""
        slots = self.slots
        places = slots.searchsorted(touched)
        self._gone = places[slots.take(places, None, None, "clip") == touched]
        held, totals = field_parts.totals_at(self._parts, touched)
        self._own = touched[held]
        left = np.delete(slots, self._gone)
        self._places = left.searchsorted(self._own)
        self.slots, self.all_slots = np.insert(left, self._places, self._own), all_slots
        self._idf = bm25f.idf(documents, len(self.slots))
        self._own_scores = bm25f.score(1, self._idf, totals[held])

    def _moved_steps(self, factor: float) -> Steps:
        before = self._before.steps(factor)
        if self.slots is self._before.slots:
            return before
        own = (self._own_scores * factor).astype(np.uint16)
        if not self.is_common:
            return np.insert(np.delete(before, self._gone), self._places, own)
        steps = np.zeros(self.all_slots, dtype=np.uint16)
        steps[: len(before)] = before
        steps[self._before.slots[self._gone]] = 0
        steps[self._own] = own
        return steps

    def _computed_scores(self) -> Scores:
        scores: Scores = bm25f.score(1, self._idf, field_parts.totals(self._parts, self.all_slots)[1])
        return scores


def _factors(known: KnownPosting, parts: Sequence[FieldPart], idf: float) -> tuple[float, float]:
    """Return a lower and an upper bound of the factor by which the score of an unchanged document has changed, or 1.

    Its share in each field changes at most by the factor of the field's average, and its score at most by that of its
    shares, times that of the idf.
    """
    before = {part.field: part.average for part in known.parts}
    weight = idf / known.idf
    factors = [weight * part.average / before.get(part.field, part.average) for part in parts]
    return min([1.0, weight, *factors]) * (1.0 - ROUNDING), max([1.0, weight, *factors]) * (1.0 + ROUNDING)

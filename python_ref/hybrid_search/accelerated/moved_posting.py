"""The documents that contain a token, in a state that differs little from one whose scores are known (DOC-9, PG-5)."""

from collections.abc import Sequence

import numpy as np

from hybrid_search.accelerated import field_parts
from hybrid_search.accelerated.field_parts import FieldPart
from hybrid_search.accelerated.near_posting import NearPosting
from hybrid_search.accelerated.posting import USUAL_FACTORS, Posting, Scores, Slots, Steps
from hybrid_search.doc_store_adapter.snapshot import bm25f


class MovedPosting(Posting):
    """A posting whose steps are those of an earlier state, except for changed documents.

    Each change of a collection changes averages, and with them nearly every score, by very little. Steps and their
    slack decide which documents may be among the best; scores are computed for these alone.

    Args:
        near: its slots and their steps.
        parts: the fields of the token in this state; at least one.
        documents: the number of documents in this state.
    """

    __slots__ = ("_high", "_idf", "_low", "_near", "_parts")

    def __init__(self, near: NearPosting, parts: Sequence[FieldPart], documents: int) -> None:
        self._near, self._parts = near, parts
        self.slots, self.all_slots, self.is_common = near.slots, near.all_slots, near.is_common
        self._idf = bm25f.idf(documents, len(self.slots))
        self._low, self._high = near.factors(parts, self._idf)
        self.size = near.size
        self._scores = None
        self._lowest, self._highest = near.lowest * self._low, near.highest * self._high
        self._kept_steps = {}
        self._estimates = None
        self._all_scores = None

    @property
    def doubt(self) -> float:
        """The part by which a score may have changed since its steps were made, or more."""
        return self._high - self._low

    def steps(self, factor: float) -> Steps:
        """Return steps that may differ by `slack`."""
        steps = self._kept_steps.get(factor)
        if steps is None:
            steps = self._near.steps_by(factor)
            if factor in USUAL_FACTORS:
                self._kept_steps[factor] = steps
                self.size += steps.nbytes
        return steps

    def slack(self, factor: float) -> int:
        """See `Posting.slack`: the steps are too low or too high by what a score may have changed."""
        return self._near.slack(factor, self._low, self._high)

    def add_scores(self, sums: Scores, slots: Slots, boost: float) -> None:
        """See `Posting.add_scores`; the scores are computed."""
        held, totals = field_parts.totals_at(self._parts, slots)
        scores = bm25f.score(1, self._idf, totals)
        np.add(sums, scores if boost == 1.0 else scores * boost, sums, where=held)

    def _computed_scores(self) -> Scores:
        scores: Scores = bm25f.score(1, self._idf, field_parts.totals(self._parts, self.all_slots)[1])
        return scores

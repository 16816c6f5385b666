"""Finds the best sums of the scores of clauses (DOC-3, DOC-9) with the native kernels."""

from collections.abc import Sequence

import numpy as np

from hybrid_search.accelerated.best_sums import BestSums, FirstSums
from hybrid_search.accelerated.posting import Mask, Posting, Scores, Slots
from hybrid_search.accelerated.text_candidates import Matched
from hybrid_search.base import kernels


class NativeSums(BestSums):
    """Takes the sums of all documents that match, each from left to right, without the interpreter's lock.

    Args:
        slots: the number of slots; all slots are below it.
    """

    def __init__(self, slots: int) -> None:
        self._slots = slots
        self._native = kernels.native()

    def best(self, matched: Sequence[Matched], limit: int, counted: Mask | None) -> tuple[Slots, Scores]:
        """Return the slots and scores of matching documents, among them the best `limit` with all ties of the last."""
        clauses = [(boost, posting.slots, posting.scores) for boost, posting in matched]
        slots, scores = self._native.best_sums(clauses, self._slots, min(limit, self._slots), counted)
        return np.frombuffer(slots, dtype=np.int64), np.frombuffer(scores, dtype=np.float64)

    def first(self, matched: Sequence[Matched], count: int, limit: int, counted: Mask | None) -> FirstSums | None:
        """Return `None`: these kernels take all sums at once."""
        return None

    def enough(self, alternatives: Sequence[Sequence[Posting]], required: int, allowed: Mask | None) -> Mask:
        """Return for each slot whether it counts and matches the required number of alternatives."""
        groups = [(group, one.slots) for group, postings in enumerate(alternatives) for one in postings]
        return np.frombuffer(self._native.enough_groups(groups, required, self._slots, allowed), dtype=np.uint8)

"""The best sums of what clauses score (DOC-3, DOC-9): those that may be among them are summed as stated."""

from collections.abc import Sequence

import numpy as np

from hybrid_search.accelerated.posting import Mask, Scores, Slots, Steps
from hybrid_search.accelerated.text_candidates import Matched, TextCandidates


class BestSums:
    """Finds the best sums.

    Args:
        totals: room for a number per slot.
    """

    def __init__(self, totals: Steps) -> None:
        self._slots = len(totals)
        self._candidates = TextCandidates(totals)

    def best(self, matched: Sequence[Matched], limit: int, counted: Mask | None) -> tuple[Slots, Scores]:
        """The slots and scores of documents that match, among them the best `limit` with all ties of the last.

        Args:
            matched: boost and posting of each clause that matches somewhere; at least one.
            limit: how many documents will be wanted at the most; 1 or more.
            counted: for each slot whether it counts, or none when all do.
        """
        found = self._candidates.find(matched, limit, counted)
        slots = _all_matching(matched, counted, self._slots) if found is None else found
        scores = _sums(matched, slots)
        if len(slots) > limit:
            keep = scores >= _nth_best(scores, limit)
            slots, scores = slots[keep], scores[keep]
        return slots, scores


def _all_matching(matched: Sequence[Matched], counted: Mask | None, all_slots: int) -> Slots:
    held = np.zeros(all_slots, dtype=np.bool_)
    for _, posting in matched:
        held[posting.slots] = True
    return (held if counted is None else held & (counted != 0)).nonzero()[0]


def _sums(matched: Sequence[Matched], slots: Slots) -> Scores:
    """The sums over clauses in their order."""
    sums = np.zeros(len(slots), dtype=np.float64)
    for boost, posting in matched:
        posting.add_scores(sums, slots, boost)
    return sums


def _nth_best(sums: Scores, place: int) -> float:
    return float(np.partition(sums, len(sums) - place)[len(sums) - place])

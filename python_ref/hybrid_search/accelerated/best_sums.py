"""Finds the best sums of the scores of clauses (DOC-3, DOC-9); sums that may be among them are exact."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from hybrid_search.accelerated.posting import Mask, Posting, Scores, Slots
from hybrid_search.accelerated.text_candidates import FEW, FEWEST_GROUPS, Matched, TextCandidates


class FirstSums(NamedTuple):
    """The best sums of a few documents, and facts about all wanted documents.

    Attributes:
        slots: the slots of the few documents, with all ties of the last.
        scores: their scores.
        total: the number of all wanted documents.
        scores_of: returns slot → score of those of some slots that are wanted; `None` if one of them is tied with the
            last wanted one.
    """

    slots: Slots
    scores: Scores
    total: int
    scores_of: Callable[[Sequence[int]], dict[int, float] | None]


class BestSums:
    """Finds the best sums.

    Args:
        slots: the number of slots; all slots are below it.
    """

    def __init__(self, slots: int) -> None:
        self._slots = slots
        self._candidates = TextCandidates(np.empty(slots, dtype=np.uint16))

    def best(self, matched: Sequence[Matched], limit: int, counted: Mask | None) -> tuple[Slots, Scores]:
        """Return the slots and scores of matching documents, among them the best `limit` with all ties of the last.

        Args:
            matched: boost and posting of each clause that matches somewhere; at least one.
            limit: the maximum number of wanted documents; 1 or more.
            counted: for each slot whether it counts, or `None` if all do.
        """
        found = self._candidates.find(matched, limit, counted)
        slots = _all_matching(matched, counted, self._slots) if found is None else found
        scores = _sums(matched, slots)
        if len(slots) > limit:
            keep = scores >= _nth_best(scores, limit)
            slots, scores = slots[keep], scores[keep]
        return slots, scores

    def first(self, matched: Sequence[Matched], count: int, limit: int, counted: Mask | None) -> FirstSums | None:
        """Return the best sums of a few documents; `None` if a score is not above 0, or if steps do not decide.

        Args:
            matched: as for `best`.
            count: the number of documents that are wanted at first; 1 or more.
            limit: the maximum number of documents that are wanted in the end.
            counted: as for `best`.
        """
        if any(boost * posting.lowest <= 0.0 for boost, posting in matched):
            return None
        if self._slots > FEW * FEWEST_GROUPS:  # of fewer it is cheaper to sum all than to find the best candidates
            return self._first_of_many(matched, count, limit, counted)
        sums = np.zeros(self._slots, dtype=np.float64)
        for boost, posting in matched:
            posting.add_all_scores(sums, boost)
        if counted is not None:
            np.multiply(sums, counted, sums)
        found = int(np.count_nonzero(sums))
        slots = (sums >= _nth_best(sums, count) if found > count else sums > 0.0).nonzero()[0]

        def scores_of(wanted: Sequence[int]) -> dict[int, float] | None:
            scores = {slot: score for slot in wanted if (score := float(sums[slot])) > 0.0}
            for slot, score in list(scores.items()) if found > limit else ():
                if np.count_nonzero(sums > score) >= limit:
                    del scores[slot]
                elif np.count_nonzero(sums >= score) > limit:
                    return None
            return scores

        return FirstSums(slots, sums[slots], min(found, limit), scores_of)

    def _first_of_many(
        self, matched: Sequence[Matched], count: int, limit: int, counted: Mask | None
    ) -> FirstSums | None:
        """Return the same, computed from the steps of all documents and the sums of a few."""
        found = self._candidates.find(matched, count, counted)
        if found is None:
            return None
        slots, scores = found, _counted_sums(matched, found, counted)
        if len(slots) > count:
            keep = scores >= _nth_best(scores, count)
            slots, scores = slots[keep], scores[keep]
        total = limit
        if self._candidates.fewest() < limit:
            total = min(len(_all_matching(matched, counted, self._slots)), limit)

        def scores_of(wanted: Sequence[int]) -> dict[int, float] | None:
            asked = sorted(wanted)
            sums = _counted_sums(matched, np.array(asked, dtype=np.int64), counted).tolist()
            scores = {slot: score for slot, score in zip(asked, sums, strict=True) if score > 0.0}
            for slot, score in list(scores.items()) if total == limit else ():
                above, near = self._candidates.beside(slot)
                if above < limit < above + len(near):
                    others = _counted_sums(matched, near, counted)
                    last = above + np.count_nonzero(others >= score)
                    above += int(np.count_nonzero(others > score))
                    if above < limit < last:
                        return None
                if above >= limit:
                    del scores[slot]
            return scores

        return FirstSums(slots, scores, total, scores_of)

    def enough(self, alternatives: Sequence[Sequence[Posting]], required: int, allowed: Mask | None) -> Mask:
        """Return for each slot whether it counts and matches the required number of alternatives.

        Args:
            alternatives: the postings of each alternative, of which one is sufficient.
            required: the number of alternatives that must match.
            allowed: for each slot whether it counts, or `None` if all do.
        """
        counts = np.zeros(self._slots, dtype=np.int32)
        for alternative in alternatives:
            if len(alternative) == 1:
                counts[alternative[0].slots] += 1
            elif alternative:
                held = np.zeros(len(counts), dtype=np.bool_)
                for posting in alternative:
                    held[posting.slots] = True
                counts += held
        enough: Mask = (counts >= required).astype(np.uint8)
        return enough if allowed is None else enough & allowed


def _all_matching(matched: Sequence[Matched], counted: Mask | None, all_slots: int) -> Slots:
    held = np.zeros(all_slots, dtype=np.bool_)
    for _, posting in matched:
        held[posting.slots] = True
    return (held if counted is None else held & (counted != 0)).nonzero()[0]


def _sums(matched: Sequence[Matched], slots: Slots) -> Scores:
    """Return the sums over clauses, added in the order of the clauses."""
    sums = np.zeros(len(slots), dtype=np.float64)
    for boost, posting in matched:
        posting.add_scores(sums, slots, boost)
    return sums


def _counted_sums(matched: Sequence[Matched], slots: Slots, counted: Mask | None) -> Scores:
    """Return the sums over clauses, 0.0 for documents that do not count."""
    sums = _sums(matched, slots)
    if counted is not None:
        np.multiply(sums, counted.take(slots), sums)
    return sums


def _nth_best(sums: Scores, place: int) -> float:
    return float(np.partition(sums, len(sums) - place)[len(sums) - place])

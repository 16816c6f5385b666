"""Which documents match a text query, and how well (DOC-3)."""

from collections.abc import Sequence

import numpy as np

from hybrid_search import numeric
from hybrid_search.doc_store_adapter.best_fields import BestFields, Fields
from hybrid_search.doc_store_adapter.posting import Estimates, Mask, Posting, Scores, Slots
from hybrid_search.doc_store_adapter.query_clauses import QueryClauses

Matched = tuple[float, Posting]
"""The boost of a clause that matches somewhere, and what it scores in its best fields."""

LEAST_ESTIMATED = 1e-15
MOST_ESTIMATED = 1e30
ROUNDING = 2.0**-23
FEWEST_GROUPS = 1024
GROUPS_PER_PLACE = 4
FEW = 16
PROMISING = 0.8


class QueryEvaluator:
    """Evaluates clauses over the inverted indexes of a store.

    Per clause the best field counts: the highest of field boost · score, over the fields where the clause matches.
    That, times the clause's boost, is added up over the clauses from left to right, beginning at 0.0.

    All documents first get an estimate of their sum, in single precision, whose error is bounded: only those that may
    be among the best get the sum itself.

    Args:
        best_fields: what clauses score.
        totals: room for an estimate per slot.
    """

    def __init__(self, best_fields: BestFields, totals: Estimates) -> None:
        self._best_fields = best_fields
        self._totals = totals

    def best(self, fields: Fields, query: QueryClauses, limit: int, allowed: Mask | None) -> tuple[Slots, Scores]:
        """The slots and scores of documents that match, among them the best `limit` with all ties of the last.

        Args:
            fields: field names and boosts.
            query: the clauses.
            limit: how many documents will be wanted at the most; 0 or more.
            allowed: for each slot whether it counts, or none when all do.

        Returns:
            Slots and scores, in no order. When more than `limit` documents match, some of those that cannot be among
            the best `limit` may be left out.
        """
        postings = [self._best_fields.posting(fields, clause) for clause in query.clauses]
        matched = [
            (clause.boost, posting)
            for clause, posting in zip(query.clauses, postings, strict=True)
            if posting is not None
        ]
        if not matched or limit == 0 or query.required > len(query.alternatives):
            return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float64)
        counted = allowed
        if query.required > 1:
            enough = self._enough_alternatives(query, postings)
            counted = enough if allowed is None else enough & allowed
        slots = self._candidates(matched, limit, counted)
        scores = _sums(matched, slots)
        if len(slots) > limit:
            keep = scores >= _nth_best(scores, limit)
            slots, scores = slots[keep], scores[keep]
        return slots, scores

    def _candidates(self, matched: Sequence[Matched], limit: int, counted: Mask | None) -> Slots:
        """The slots of documents that match, count, and may be among the best; ascending."""
        if not all(_can_be_estimated(boost, posting) for boost, posting in matched):
            return self._all_matching(matched, counted)
        totals = self._totals
        totals.fill(0.0)
        common = self._add_rare(matched)
        if counted is not None:
            np.multiply(totals, counted, out=totals)
        # Nothing is below 0: each step changes a sum by one part in 2^24 at the most.
        error = (4 * len(matched) + 32) * ROUNDING
        few = self._few(common, limit, counted, error)
        if few is not None:
            return few
        for boost, posting in common:
            posting.add_estimates(totals, boost)
        if counted is not None:
            np.multiply(totals, counted, out=totals)
        reached = _reached(totals, limit)
        if reached >= LEAST_ESTIMATED:
            return (totals >= np.float32(reached * (1.0 - error))).nonzero()[0]
        if all(boost > LEAST_ESTIMATED and posting.lowest > LEAST_ESTIMATED for boost, posting in matched):
            return totals.nonzero()[0]
        return self._all_matching(matched, counted)

    def _add_rare(self, matched: Sequence[Matched]) -> list[Matched]:
        """Add the estimates of all clauses but common ones; gives these, the weightiest first."""
        common = []
        for boost, posting in matched:
            if posting.is_common:
                common.append((boost, posting))
            else:
                posting.add_estimates(self._totals, boost)
        return sorted(common, key=lambda pair: -pair[0] * pair[1].highest)

    def _few(self, common: list[Matched], limit: int, counted: Mask | None, error: float) -> Slots | None:
        """The candidates, where few documents can have enough after the rare clauses; takes what it adds from `common`.

        So many documents have so much that the others, with all that common clauses can add, need not be looked at.
        """
        totals = self._totals
        reached = _reached(totals, limit) if common else 0.0
        while common and _most(common) >= PROMISING * reached >= LEAST_ESTIMATED:
            boost, posting = common.pop(0)
            posting.add_estimates(totals, boost)
        if not common or reached < LEAST_ESTIMATED:
            return None
        if counted is not None:
            np.multiply(totals, counted, out=totals)
        slots = (totals >= np.float32((reached - _most(common)) * (1.0 - error) - reached * error)).nonzero()[0]
        if len(slots) < limit or len(slots) * FEW > len(totals) or slots[-1] >= min(one.all_slots for _, one in common):
            return None
        estimates = totals.take(slots)
        for boost, posting in common:
            posting.add_estimates_at(slots, estimates, boost)
        return slots[estimates >= np.float32(_nth_best(estimates, limit) * (1.0 - error))]

    def _all_matching(self, matched: Sequence[Matched], counted: Mask | None) -> Slots:
        held = np.zeros(len(self._totals), dtype=np.bool_)
        for _, posting in matched:
            held[posting.slots] = True
        return (held if counted is None else held & (counted != 0)).nonzero()[0]

    def _enough_alternatives(self, query: QueryClauses, postings: Sequence[Posting | None]) -> Mask:
        counts = np.zeros(len(self._totals), dtype=np.int32)
        for alternative in query.alternatives:
            slots = [posting.slots for place in alternative if (posting := postings[place]) is not None]
            if len(slots) == 1:
                counts[slots[0]] += 1
            elif slots:
                held = np.zeros(len(counts), dtype=np.bool_)
                for one in slots:
                    held[one] = True
                counts += held
        return (counts >= query.required).astype(np.uint8)


def _can_be_estimated(boost: float, posting: Posting) -> bool:
    return posting.lowest >= 0.0 and max(boost, posting.highest, boost * posting.highest) < MOST_ESTIMATED


def _most(matched: Sequence[Matched]) -> float:
    """What some clauses give to a document at the most."""
    return numeric.sum_left(boost * posting.highest for boost, posting in matched)


def _sums(matched: Sequence[Matched], slots: Slots) -> Scores:
    """The sums over clauses in their order: adding 0.0 where a clause is not held changes nothing."""
    sums = np.zeros(len(slots), dtype=np.float64)
    for boost, posting in matched:
        scores = posting.scores_at(slots)
        sums += scores if boost == 1.0 else boost * scores
    return sums


def _reached(totals: Estimates, limit: int) -> float:
    """What `limit` of the totals have at the least; 0.0 if unknown. The highest of some groups are looked at."""
    groups = max(FEWEST_GROUPS, GROUPS_PER_PLACE * limit)
    rows = len(totals) // groups
    highest = totals[: rows * groups].reshape(rows, groups).max(axis=0) if rows > 1 else totals
    return _nth_best(highest, limit) if len(highest) >= limit else 0.0


def _nth_best(sums: Scores | Estimates, place: int) -> float:
    return float(np.partition(sums, len(sums) - place)[len(sums) - place])

"""Which documents match a text query, and how well (DOC-3)."""

from collections.abc import Mapping, Sequence

import numpy as np

from hybrid_search.doc_store_adapter.inverted_index import InvertedIndex, Mask, Posting, Scores, Slots
from hybrid_search.doc_store_adapter.query_clauses import Clause, QueryClauses

LARGEST_PRUNED_LIMIT = 128
SLACK = 1e-9

Fields = Sequence[tuple[str, float]]
Matched = tuple[float, list[tuple[float, Posting]]]
"""The boost of a clause that matches somewhere, and each field's boost and posting."""


class QueryEvaluator:
    """Evaluates clauses over the inverted indexes of a store.

    Per clause the best field counts: the highest of field boost · score, over the fields where the clause matches.
    That, times the clause's boost, is added up over the clauses from left to right, beginning at 0.0.

    Args:
        indexes: field → its inverted index.
        totals: room for a sum per slot, all 0.0; it comes back as it was.
    """

    def __init__(self, indexes: Mapping[str, InvertedIndex], totals: Scores) -> None:
        self._indexes = indexes
        self._all_totals = totals

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
        found = [self._field_postings(fields, clause) for clause in query.clauses]
        matched = [(clause.boost, postings) for clause, postings in zip(query.clauses, found, strict=True) if postings]
        if not matched or limit == 0 or query.required > len(query.alternatives):
            return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float64)
        counted = allowed
        if query.required > 1:
            enough = self._enough_alternatives(query, found)
            counted = enough if allowed is None else enough & allowed
        if counted is None and limit <= LARGEST_PRUNED_LIMIT and len(matched) > 1 and _none_below_zero(matched):
            slots, scores = self._pruned(matched, limit)
        else:
            slots, scores = self._totals(matched)
        if counted is not None:
            keep = counted[slots] != 0
            slots, scores = slots[keep], scores[keep]
        if len(slots) > limit:
            keep = scores >= np.partition(scores, len(scores) - limit)[len(scores) - limit]
            slots, scores = slots[keep], scores[keep]
        return slots, scores

    def _field_postings(self, fields: Fields, clause: Clause) -> list[tuple[float, Posting]]:
        found = []
        for field, boost in fields:
            index = self._indexes.get(field)
            posting = index.posting(clause.tokens, clause.slop) if index is not None else None
            if posting is not None:
                found.append((boost, posting))
        return found

    def _totals(self, matched: Sequence[Matched]) -> tuple[Slots, Scores]:
        """The sums over clauses in their order, of all documents that match."""
        postings = [_best_field(boost, found) for boost, found in matched]
        if len(postings) == 1:
            return postings[0][0], postings[0][1] + 0.0
        places = np.concatenate([slots for slots, _ in postings])
        weights = np.concatenate([scores for _, scores in postings])
        totals = np.bincount(places, weights=weights).astype(np.float64, copy=False)
        touched = np.zeros(len(totals), dtype=np.bool_)
        touched[places] = True
        slots = np.flatnonzero(touched)
        return slots, totals[slots]

    def _pruned(self, matched: Sequence[Matched], limit: int) -> tuple[Slots, Scores]:
        """The sums of documents that can be among the best `limit`; no score is below 0.

        Clauses are added up from the rarest to the most common. As soon as so many documents have so much that those
        with only the clauses left cannot reach them, no more documents are looked for, and with every further clause
        those that can no longer reach them are left out. The few that stay are added up anew, in the order of the
        clauses. Sums in another order differ in the last bits only, and all comparisons leave room for more than that.
        """
        sizes = [sum(len(posting.slots) for _, posting in found) for _, found in matched]
        order = sorted(range(len(matched)), key=lambda place: (sizes[place], place))
        rest = [0.0]
        for place in reversed(order):
            boost, found = matched[place]
            rest.append(rest[-1] + boost * max(field * posting.highest for field, posting in found))
        rest.reverse()
        totals = self._all_totals
        reached = 0.0
        done: list[Slots] = []
        for step, place in enumerate(order, start=1):
            slots, scores = _best_field(*matched[place])
            sums = totals[slots] + scores
            totals[slots] = sums
            done.append(slots)
            reached = _reached(sums, limit, reached)
            if rest[step] < reached:
                break
        candidates, sums = _taken(totals, done, reached - rest[len(done)])
        if reached == 0.0:
            return self._totals(matched)
        for step, place in enumerate(order[len(done) :], start=len(done) + 1):
            sums = sums + _scores_at(matched[place], candidates)
            reached = _reached(sums, limit, reached)
            keep = sums >= reached - rest[step]
            candidates, sums = candidates[keep], sums[keep]
        sums = np.zeros(len(candidates), dtype=np.float64)
        for clause in matched:
            sums = sums + _scores_at(clause, candidates)
        return candidates, sums

    def _enough_alternatives(self, query: QueryClauses, found: list[list[tuple[float, Posting]]]) -> Mask:
        counts = np.zeros(len(self._all_totals), dtype=np.int64)
        for alternative in query.alternatives:
            matching = np.zeros(len(self._all_totals), dtype=np.int64)
            for place in alternative:
                for _, posting in found[place]:
                    matching[posting.slots] = 1
            counts += matching
        return (counts >= query.required).astype(np.uint8)


def _best_field(clause_boost: float, found: list[tuple[float, Posting]]) -> tuple[Slots, Scores]:
    """The slots of a clause, ascending, and what it adds to each."""
    slots = found[0][1].slots
    scores = _times(found[0][0], found[0][1].scores)
    if len(found) > 1:
        all_slots = np.concatenate([posting.slots for _, posting in found])
        all_scores = np.concatenate([_times(boost, posting.scores) for boost, posting in found])
        order = np.argsort(all_slots, kind="stable")
        all_slots = all_slots[order]
        first = np.ones(len(all_slots), dtype=np.bool_)
        first[1:] = all_slots[1:] != all_slots[:-1]
        starts = np.flatnonzero(first)
        slots = all_slots[starts]
        scores = np.maximum.reduceat(all_scores[order], starts)
    return slots, _times(clause_boost, scores)


def _times(boost: float, scores: Scores) -> Scores:
    return scores if boost == 1.0 else boost * scores


def _none_below_zero(matched: Sequence[Matched]) -> bool:
    return all(posting.lowest >= 0.0 for _, found in matched for _, posting in found)


def _scores_at(clause: Matched, slots: Slots) -> Scores:
    """What a clause adds to documents that need not match it; no score is below 0."""
    boost, found = clause
    best = _times(found[0][0], found[0][1].scores_at(slots))
    for field_boost, posting in found[1:]:
        best = np.maximum(best, _times(field_boost, posting.scores_at(slots)))
    return _times(boost, best)


def _reached(sums: Scores, limit: int, reached: float) -> float:
    """A sum, less the slack, that `limit` documents reach or surpass; what was reached before if that is more."""
    if len(sums) < limit:
        return reached
    return max(reached, float(np.partition(sums, len(sums) - limit)[len(sums) - limit]) * (1.0 - SLACK))


def _taken(totals: Scores, lists: Sequence[Slots], least: float) -> tuple[Slots, Scores]:
    """The slots whose total is at least so much, above 0, and the totals, which all go back to 0.0.

    A slot that is in several lists is taken from the first: after that its total is too small.
    """
    taken = []
    for slots in lists:
        sums = totals[slots]
        totals[slots] = 0.0
        keep = sums >= least
        taken.append((slots[keep], sums[keep]))
    return np.concatenate([slots for slots, _ in taken]), np.concatenate([sums for _, sums in taken])

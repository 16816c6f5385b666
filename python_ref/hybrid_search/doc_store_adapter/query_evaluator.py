"""Which documents match a text query, and how well (DOC-3)."""

from collections.abc import Mapping, Sequence

import numpy as np

from hybrid_search.doc_store_adapter.inverted_index import InvertedIndex, Mask, Posting, Scores, Slots
from hybrid_search.doc_store_adapter.query_clauses import Clause, QueryClauses

Fields = Sequence[tuple[str, float]]


class QueryEvaluator:
    """Evaluates clauses over the inverted indexes of a store.

    Per clause the best field counts: the highest of field boost · score, over the fields where the clause matches.
    That, times the clause's boost, is added up over the clauses from left to right, beginning at 0.0.

    Args:
        indexes: field → its inverted index.
        slots: how many slots there are; all slots are below.
    """

    def __init__(self, indexes: Mapping[str, InvertedIndex], slots: int) -> None:
        self._indexes = indexes
        self._slots = slots

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
        matched = [(clause.boost, self._field_postings(fields, clause)) for clause in query.clauses]
        postings = [_best_field(boost, found) for boost, found in matched if found]
        if not postings or limit == 0 or query.required > len(query.alternatives):
            return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float64)
        counted = allowed
        if query.required > 1:
            enough = self._enough_alternatives(query, [found for _, found in matched])
            counted = enough if allowed is None else enough & allowed
        slots, scores = self._totals(postings, _reached(matched, limit) if counted is None else None)
        if counted is not None:
            keep = counted[slots] != 0
            slots, scores = slots[keep], scores[keep]
        if len(slots) > limit:
            keep = scores >= np.partition(scores, len(scores) - limit)[len(scores) - limit]
            slots, scores = slots[keep], scores[keep]
        return slots, scores

    def _totals(self, postings: list[tuple[Slots, Scores]], at_least: float | None) -> tuple[Slots, Scores]:
        """The sums over clauses in their order, of all documents or of those that reach a score above 0."""
        if len(postings) == 1:
            return postings[0][0], postings[0][1] + 0.0
        places = np.concatenate([slots for slots, _ in postings])
        weights = np.concatenate([scores for _, scores in postings])
        totals: Scores = np.bincount(places, weights=weights).astype(np.float64, copy=False)
        if at_least is None:
            touched = np.zeros(self._slots, dtype=np.bool_)
            touched[places] = True
            slots: Slots = np.flatnonzero(touched)
        else:
            slots = np.flatnonzero(totals >= at_least)
        scores: Scores = totals[slots]
        return slots, scores

    def _field_postings(self, fields: Fields, clause: Clause) -> list[tuple[float, Posting]]:
        found = []
        for field, boost in fields:
            index = self._indexes.get(field)
            posting = index.posting(clause.tokens, clause.slop) if index is not None else None
            if posting is not None:
                found.append((boost, posting))
        return found

    def _enough_alternatives(self, query: QueryClauses, found: list[list[tuple[float, Posting]]]) -> Mask:
        counts = np.zeros(self._slots, dtype=np.int64)
        for alternative in query.alternatives:
            matching = np.zeros(self._slots, dtype=np.int64)
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


def _reached(matched: list[tuple[float, list[tuple[float, Posting]]]], limit: int) -> float | None:
    """A score above 0 that at least `limit` documents reach or surpass, or none if there is no easy one.

    No clause takes anything away from a document when no score is below 0; so as many documents as reach a score in
    one clause reach it in all.
    """
    best = 0.0
    for clause_boost, found in matched:
        for field_boost, posting in found:
            if posting.lowest() < 0.0:
                return None
            reached = posting.nth(limit)
            if reached is not None:
                best = max(best, clause_boost * (field_boost * reached))
    return best if best > 0.0 else None

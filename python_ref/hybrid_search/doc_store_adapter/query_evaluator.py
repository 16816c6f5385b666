"""Which documents match a text query, and how well (DOC-3)."""

from collections.abc import Mapping, Sequence

import numpy as np

from hybrid_search.doc_store_adapter.inverted_index import InvertedIndex
from hybrid_search.doc_store_adapter.posting import Mask, Posting, Scores, Slots
from hybrid_search.doc_store_adapter.query_clauses import Clause, QueryClauses

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
        room: the same again.
    """

    def __init__(self, indexes: Mapping[str, InvertedIndex], totals: Scores, room: Scores) -> None:
        self._indexes = indexes
        self._all_totals = totals
        self._room = room

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
        if not _none_below_zero(matched):
            slots, scores = _merged(matched)
        else:
            slots, scores = self._totals(matched, limit, counted)
        if counted is not None:
            keep = counted[slots] != 0
            slots, scores = slots[keep], scores[keep]
        if len(slots) > limit:
            keep = scores >= _nth_best(scores, limit)
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

    def _totals(self, matched: Sequence[Matched], limit: int, counted: Mask | None) -> tuple[Slots, Scores]:
        """The sums over clauses in their order, where no score is below 0, of all documents that can be among the best.

        Common clauses are added to all documents: adding 0.0 changes nothing.
        """
        totals = self._all_totals
        for boost, found in matched:
            self._add(boost, found)
        if counted is None:
            at_least = _easily_reached(matched, limit)
            slots = np.flatnonzero(totals >= at_least) if at_least > 0.0 else np.flatnonzero(totals)
        else:
            slots = np.flatnonzero((totals > 0.0) & (counted != 0))
        if len(slots) < limit:
            slots = np.unique(np.concatenate([posting.slots for _, found in matched for _, posting in found]))
        scores: Scores = totals[slots]
        totals.fill(0.0)
        return slots, scores

    def _add(self, boost: float, found: list[tuple[float, Posting]]) -> None:
        """Add what a clause gives to each document, from its best field."""
        totals, room = self._all_totals, self._room
        if len(found) == 1:
            posting = found[0][1]
            if posting.is_common:
                scores = posting.all_scores()
                totals[: len(scores)] += _times(boost, _times(found[0][0], scores))
            else:
                totals[posting.slots] += _times(boost, _times(found[0][0], posting.scores))
            return
        for field_boost, posting in found:
            room[posting.slots] = np.maximum(room[posting.slots], _times(field_boost, posting.scores))
        for _, posting in found:
            # A document that is in several postings is added once: after that its room is 0.0.
            totals[posting.slots] += _times(boost, room[posting.slots])
            room[posting.slots] = 0.0

    def _enough_alternatives(self, query: QueryClauses, found: list[list[tuple[float, Posting]]]) -> Mask:
        counts = np.zeros(len(self._all_totals), dtype=np.int64)
        for alternative in query.alternatives:
            matching = np.zeros(len(self._all_totals), dtype=np.int64)
            for place in alternative:
                for _, posting in found[place]:
                    matching[posting.slots] = 1
            counts += matching
        return (counts >= query.required).astype(np.uint8)


def _merged(matched: Sequence[Matched]) -> tuple[Slots, Scores]:
    """The sums over clauses in their order of all documents that match, whatever the signs of scores."""
    postings = [_best_field(boost, found) for boost, found in matched]
    places = np.concatenate([slots for slots, _ in postings])
    slots, columns = np.unique(places, return_inverse=True)
    scores = np.bincount(columns, weights=np.concatenate([scores for _, scores in postings]))
    return slots, scores.astype(np.float64, copy=False)


def _easily_reached(matched: Sequence[Matched], limit: int) -> float:
    """A sum that `limit` documents reach or surpass, because they do in one clause and one field; 0.0 if unknown."""
    best = 0.0
    for boost, found in matched:
        for field_boost, posting in found:
            best = max(best, boost * (field_boost * posting.nth_best(limit)))
    return best


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


def _nth_best(sums: Scores, place: int) -> float:
    return float(np.partition(sums, len(sums) - place)[len(sums) - place])

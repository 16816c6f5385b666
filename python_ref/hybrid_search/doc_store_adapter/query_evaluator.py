"""Which documents match a text query, and how well (DOC-3)."""

from collections.abc import Mapping, Sequence

import numpy as np

from hybrid_search.doc_store_adapter.inverted_index import InvertedIndex
from hybrid_search.doc_store_adapter.posting import Mask, Posting, Scores, Slots
from hybrid_search.doc_store_adapter.query_clauses import Clause, QueryClauses

LARGEST_PRUNED_LIMIT = 128
FIRST_POSTINGS = 1024
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
        if counted is None and limit <= LARGEST_PRUNED_LIMIT and len(matched) > 1 and _none_below_zero(matched):
            slots, scores = self._pruned(matched, limit)
        else:
            slots, scores = self._totals(matched)
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

        Clauses are added up from the rarest to the most common, a few thousand postings at once. As soon as so many
        documents have so much that those with only the clauses left cannot reach them, no more documents are looked
        for, and with every further clause those that can no longer reach them are left out. The few that stay are
        added up anew, in the order of the clauses. Sums in another order differ in the last bits only, and all
        comparisons leave room for more than that.
        """
        sizes = [sum(len(posting.slots) for _, posting in found) for _, found in matched]  # whole numbers
        order = sorted(range(len(matched)), key=lambda place: (sizes[place], place))
        rest = [0.0]
        for place in reversed(order):
            boost, found = matched[place]
            rest.append(rest[-1] + boost * max(field * posting.highest for field, posting in found))
        rest.reverse()
        totals = self._all_totals
        reached = 0.0
        done = 0
        room = FIRST_POSTINGS
        lists: list[tuple[Slots, Scores]] = []
        while done < len(order) and not rest[done] < reached:
            first = done
            while done < len(order) and room > 0:
                lists.append(_best_field(*matched[order[done]]))
                room -= sizes[order[done]]
                done += 1
            room = sum(sizes[place] for place in order[:done]) * 3  # whole numbers
            slots = np.concatenate([slots for slots, _ in lists[first:]])
            np.add.at(totals, slots, np.concatenate([scores for _, scores in lists[first:]]))
            left = [matched[place] for place in order[done:]]
            reached = max(reached, self._reached(slots, left, limit))
        slots = np.concatenate([slots for slots, _ in lists])
        sums = totals[slots]
        keep = sums >= reached - rest[done]
        candidates, sums = slots[keep], sums[keep]
        numbers = np.arange(len(candidates), dtype=np.float64)
        totals[candidates] = numbers
        keep = totals[candidates] == numbers  # a document that is there several times stays once
        candidates, sums = candidates[keep], sums[keep]
        totals[slots] = 0.0
        if reached == 0.0:
            return self._totals(matched)
        for step in range(done, len(order)):
            if len(candidates) <= 4 * limit:
                break
            sums = sums + _scores_at(matched[order[step]], candidates, self._room)
            reached = max(reached, _nth_best(sums, limit) * (1.0 - SLACK))
            keep = sums >= reached - rest[step + 1]
            candidates, sums = candidates[keep], sums[keep]
        return candidates, self._sums_of(candidates, matched, order, lists)

    def _reached(self, slots: Slots, left: Sequence[Matched], limit: int) -> float:
        """A sum, less the slack, that `limit` documents reach or surpass; 0.0 if there is none.

        Args:
            slots: the documents just added to, some of them more than once.
            left: the clauses not yet added.
            limit: how many documents.
        """
        sums = self._all_totals[slots]
        if len(slots) > 4 * limit:
            slots = slots[np.argpartition(sums, len(sums) - 4 * limit)[len(sums) - 4 * limit :]]
        slots = np.array(list(set(slots.tolist())), dtype=np.int64)
        if len(slots) < limit:
            return 0.0
        sums = self._all_totals[slots]
        for clause in left:
            sums = sums + _scores_at(clause, slots, self._room)
        return _nth_best(sums, limit) * (1.0 - SLACK)

    def _sums_of(
        self, candidates: Slots, matched: Sequence[Matched], order: list[int], lists: Sequence[tuple[Slots, Scores]]
    ) -> Scores:
        """The sums of a few documents over the clauses in their order; `lists` belong to the first of `order`."""
        parts = np.zeros((len(matched), len(candidates)), dtype=np.float64)
        slots = np.concatenate([slots for slots, _ in lists])
        scores = np.concatenate([scores for _, scores in lists])
        totals = self._all_totals
        totals[candidates] = np.arange(1, len(candidates) + 1)
        columns = totals[slots]
        totals[candidates] = 0.0
        found = np.flatnonzero(columns)
        ends = np.cumsum([len(slots) for slots, _ in lists])  # whole numbers
        rows = np.array(order)[ends.searchsorted(found, side="right")]
        parts[rows, columns[found].astype(np.int64) - 1] = scores[found]
        for place in order[len(lists) :]:
            parts[place] = _scores_at(matched[place], candidates, self._room)
        sums: Scores = np.add.accumulate(parts, axis=0)[-1]
        return sums

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


def _scores_at(clause: Matched, slots: Slots, room: Scores) -> Scores:
    """What a clause adds to documents that need not match it; no score is below 0."""
    boost, found = clause
    best = _times(found[0][0], found[0][1].scores_at(slots, room))
    for field_boost, posting in found[1:]:
        best = np.maximum(best, _times(field_boost, posting.scores_at(slots, room)))
    return _times(boost, best)


def _nth_best(sums: Scores, place: int) -> float:
    return float(np.partition(sums, len(sums) - place)[len(sums) - place])

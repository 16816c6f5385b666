"""Finds the scores of clauses in their best fields (DOC-3)."""

from collections.abc import Sequence

import numpy as np

from hybrid_search.accelerated.field_postings import FieldPostings
from hybrid_search.accelerated.posting import Posting
from hybrid_search.doc_store_adapter.queries.query_clauses import Clause

Fields = Sequence[tuple[str, float]]


class BestFields(FieldPostings):
    """The postings of clauses over several fields: the score of a document is its highest field boost · score.

    The postings are cached.
    """

    def postings(self, fields: Fields, clauses: Sequence[Clause]) -> list[Posting | None]:
        """Return for each clause the documents that contain it in any field, and its score in the best of these.

        Args:
            fields: field names and boosts; must be hashable.
            clauses: the clauses to look up; their own boosts are ignored.
        """
        if len(fields) == 1 and fields[0][1] == 1.0:
            index = self._indexes.get(fields[0][0])
            return [None if index is None else index.posting(clause.tokens, clause.slop) for clause in clauses]
        return [self._kept_posting(fields, clause) for clause in clauses]

    def _kept_posting(self, fields: Fields, clause: Clause) -> Posting | None:
        key = (fields, clause.tokens, clause.slop)
        known, posting = self._kept.find(key)
        if not known:
            posting = self._best(fields, clause)
            self._kept.keep(key, posting, max((index.tokens for index in self._indexes.values()), default=0))
        return posting

    def _posting(self, field: str, clause: Clause) -> Posting | None:
        index = self._indexes.get(field)
        return None if index is None else index.posting(clause.tokens, clause.slop)

    def _best(self, fields: Fields, clause: Clause) -> Posting | None:
        found = [(boost, posting) for field, boost in fields if (posting := self._posting(field, clause)) is not None]
        if not found:
            return None
        if len(found) == 1:
            [(boost, posting)] = found
            slots, scores = posting.slots, boost * posting.scores
        else:
            all_slots = np.concatenate([posting.slots for _, posting in found])
            all_scores = np.concatenate([boost * posting.scores for boost, posting in found])
            order = all_slots.argsort(kind="stable")
            all_slots = all_slots[order]
            first = np.ones(len(all_slots), dtype=np.bool_)
            first[1:] = all_slots[1:] != all_slots[:-1]
            (starts,) = first.nonzero()
            slots = all_slots[starts]
            scores = np.maximum.reduceat(all_scores[order], starts)
        return Posting(slots, scores, max(posting.all_slots for _, posting in found))

"""Finds the documents that match a text query, and their scores (DOC-3)."""

import numpy as np

from hybrid_search.accelerated.best_fields import BestFields, Fields
from hybrid_search.accelerated.best_sums import BestSums
from hybrid_search.accelerated.posting import Mask, Scores, Slots
from hybrid_search.doc_store_adapter.queries.query_clauses import QueryClauses


class QueryEvaluator:
    """Evaluates clauses over the inverted indexes of a store.

    The score of a clause is that of its best field: the highest of field boost · score, over the fields where the
    clause matches. These scores, times the clauses' boosts, are added up over the clauses from left to right, beginning
    at 0.0.

    Only documents that may be among the best, according to `TextCandidates`, get their sum.

    Args:
        best_fields: returns the scores of clauses.
        sums: finds the best sums.
    """

    def __init__(self, best_fields: BestFields, sums: BestSums) -> None:
        self._best_fields = best_fields
        self._sums = sums

    def best(self, fields: Fields, query: QueryClauses, limit: int, allowed: Mask | None) -> tuple[Slots, Scores]:
        """Return the slots and scores of documents that match, among them the best `limit` with all ties of the last.

        Args:
            fields: field names and boosts.
            query: the clauses.
            limit: the number of wanted documents, 0 or more.
            allowed: for each slot whether its document may match; `None` if all may.

        Returns:
            Slots and scores, in no order. When more than `limit` documents match, some of those that cannot be among
            the best `limit` may be omitted.
        """
        postings = self._best_fields.postings(fields, query.clauses)
        matched = [
            (clause.boost, posting)
            for clause, posting in zip(query.clauses, postings, strict=True)
            if posting is not None
        ]
        if not matched or limit == 0 or 1 < query.required > len(query.alternatives):
            return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float64)
        counted = allowed
        if query.required > 1:
            alternatives = [
                [posting for place in alternative if (posting := postings[place]) is not None]
                for alternative in query.alternatives
            ]
            counted = self._sums.enough(alternatives, query.required, allowed)
        return self._sums.best(matched, limit, counted)

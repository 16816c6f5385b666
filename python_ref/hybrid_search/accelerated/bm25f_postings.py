"""Finds the scores of the tokens of a bag over several fields (DOC-9)."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from hybrid_search.accelerated import field_parts
from hybrid_search.accelerated.best_sums import BestSums, FirstSums
from hybrid_search.accelerated.cached_postings import CachedPostings
from hybrid_search.accelerated.fast_inverted_index import FastInvertedIndex
from hybrid_search.accelerated.field_parts import FieldPart
from hybrid_search.accelerated.field_postings import FieldPostings
from hybrid_search.accelerated.known_postings import KnownPostings
from hybrid_search.accelerated.posting import Mask, Posting, Scores, Slots
from hybrid_search.accelerated.text_candidates import Matched
from hybrid_search.doc_store_adapter.queries.match_exprs import Bm25fQuery
from hybrid_search.doc_store_adapter.snapshot import bm25f

LEVELS = 2
"""The number of times that a text query caches a posting."""

Fields = tuple[tuple[str, float], ...]


class Bm25fLeg(NamedTuple):
    """The text leg of a bag of tokens, whose documents are summed when they are needed.

    Attributes:
        matched: the count of each token, and its posting.
        limit: the maximum number of documents.
        sums: finds the best sums.
        allowed: for each slot whether it counts; `None` if all do.
    """

    matched: Sequence[Matched]
    limit: int
    sums: BestSums
    allowed: Mask | None

    def best(self) -> tuple[Slots, Scores]:
        """Return the slots and scores of documents with a score, among them the best with all ties of the last."""
        if not self.matched or self.limit == 0:
            return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float64)
        slots, scores = self.sums.best(self.matched, self.limit, self.allowed)
        scored = scores > 0.0
        return slots[scored], scores[scored]

    def first(self, count: int) -> FirstSums | None:
        """Return the first documents, or `None` if `best` must find them."""
        if not self.matched or self.limit <= count:
            return None
        return self.sums.first(self.matched, count, self.limit, self.allowed)


class Bm25fPostings(FieldPostings):
    """The postings of tokens over several fields at once, with a cache.

    Args:
        indexes: as for `FieldPostings`.
        cache: as for `FieldPostings`.
        known: the postings that earlier states have cached; `None` without earlier states.
    """

    def __init__(
        self, indexes: Mapping[str, FastInvertedIndex], cache: CachedPostings, known: KnownPostings | None = None
    ) -> None:
        super().__init__(indexes, cache)
        self._known = known

    def leg(self, query: Bm25fQuery, documents: int, sums: BestSums, allowed: Mask | None) -> Bm25fLeg:
        """Return the leg of a query.

        Args:
            query: the tokens.
            documents: the number of documents.
            sums: finds the best sums.
            allowed: for each slot whether it counts, or `None` if all do.
        """
        fields = tuple(query.fields)
        found = [(float(count), self._kept_posting(fields, token, documents)) for token, count in query.counts.items()]
        matched = [(count, posting) for count, posting in found if posting is not None]
        return Bm25fLeg(matched, query.topn, sums, allowed)

    def _kept_posting(self, fields: Fields, token: str, documents: int) -> Posting | None:
        key = (fields, token)
        is_kept, posting = self._kept.find(key)
        if not is_kept:
            posting = self._posting(key, documents)
            self._kept.keep(key, posting, self._room())
        return posting

    def _posting(self, key: tuple[Fields, str], documents: int) -> Posting | None:
        fields, token = key
        parts = [part for field, weight in fields if (part := self._part(field, weight, token)) is not None]
        if not parts:
            return None
        all_slots = max(index.slots for index in self._indexes.values())
        moved = None if self._known is None else self._known.moved(key, parts, documents, all_slots)
        if moved is not None:
            return moved
        slots, totals = field_parts.totals(parts, all_slots)
        idf = bm25f.idf(documents, len(slots))
        posting = Posting(slots, bm25f.score(1, idf, totals), all_slots)
        if self._known is not None:
            self._known.keep(key, posting, parts, idf)
        return posting

    def _room(self) -> int:
        """Return the number of tokens that sets the room: that of a text query, by field and by the best field."""
        return LEVELS * sum(index.tokens for index in self._indexes.values())  # whole numbers

    def _part(self, field: str, weight: float, token: str) -> FieldPart | None:
        index = self._indexes.get(field)
        if index is None:
            return None
        counts = index.counts((token,), 0)
        return None if counts is None else FieldPart(field, weight, counts, index.average_filled_length)

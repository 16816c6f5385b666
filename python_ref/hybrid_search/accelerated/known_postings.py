"""Caches the slots and steps of tokens from state to state, for later states that differ little (SQL-5, PG-5)."""

from collections.abc import Hashable, Sequence

from hybrid_search.accelerated.field_parts import FieldPart
from hybrid_search.accelerated.kept_entries import KeptEntries
from hybrid_search.accelerated.moved_posting import MovedPosting
from hybrid_search.accelerated.near_posting import NearPosting
from hybrid_search.accelerated.posting import Posting
from hybrid_search.accelerated.text_candidates import SMALLEST

MANY = 256
"""The fewest documents of a posting that is cached; the scores of fewer are computed as fast as they are moved."""
MOST_MOVED = 0.02
"""The part by which a score may have changed; beyond it steps decide too little."""


class KnownPostings(KeptEntries[Hashable, NearPosting]):
    """The large postings that questions have needed, in one state of the tables."""

    def keep(self, key: Hashable, posting: Posting, parts: Sequence[FieldPart], idf: float) -> None:
        """Cache a posting of this state if it is large and none of its scores is tiny.

        Args:
            key: the key of the posting.
            posting: the posting, with exact scores.
            parts: the fields of the token.
            idf: the weight of the token.
        """
        if len(posting.slots) < MANY:
            return
        if posting.lowest < SMALLEST:  # parts of such a score are not exact
            return
        self._set(key, NearPosting.of(posting, parts, idf))

    def moved(self, key: Hashable, parts: Sequence[FieldPart], documents: int, all_slots: int) -> MovedPosting | None:
        """Return the posting of this state, made of the last one.

        The result is `None` if there is none, or if too much has changed since.

        Args:
            key: the key of the posting.
            parts: the fields of the token in this state; at least one.
            documents: the number of documents.
            all_slots: the number of slots of the index.
        """
        entry = self._get(key)
        if entry is None:
            return None
        generation, near = entry
        if not near.is_of(parts):
            touched = self._touched.since(generation)
            if touched is None:
                return None
            near = near.after(touched, parts, documents, all_slots)
        if generation != self._touched.generation:
            self._set(key, near)
        posting = MovedPosting(near, parts, documents)
        return None if posting.doubt > MOST_MOVED else posting

    def _size_of(self, value: NearPosting) -> int:
        return value.size

"""Caches postings with exact scores from state to state, for later states that differ little (SQL-5, PG-5)."""

from collections.abc import Hashable, Sequence

from hybrid_search.accelerated.field_parts import FieldPart
from hybrid_search.accelerated.moved_posting import KnownPosting, MovedPosting
from hybrid_search.accelerated.posting import Posting
from hybrid_search.accelerated.text_candidates import SMALLEST
from hybrid_search.accelerated.touched_documents import TouchedDocuments

MANY = 256
"""The fewest documents of a posting that is cached; the scores of fewer are computed as fast as they are moved."""


class KnownPostings:
    """The large postings that questions have needed, in one state of the tables; the oldest make room.

    Several threads may use it at once without a lock, so the size is only approximate.

    Args:
        memory: the maximum number of bytes.
        touched: the documents that have changed since postings were computed.
    """

    def __init__(self, memory: int, touched: TouchedDocuments) -> None:
        self._memory = memory
        self._touched = touched
        self._kept: dict[Hashable, tuple[int, KnownPosting]] = {}
        self._size = 0

    def after(self, touched: TouchedDocuments) -> "KnownPostings":
        """Return the cache of a later state.

        Args:
            touched: the documents that have changed, among them those since this state.
        """
        later = KnownPostings(self._memory, touched)
        later._kept = dict(self._kept)
        later._size = self._size
        return later

    def keep(self, key: Hashable, posting: Posting, parts: Sequence[FieldPart], idf: float) -> None:
        """Cache a posting of this state if it is large and none of its scores is tiny."""
        if len(posting.slots) < MANY:
            return
        if posting.lowest < SMALLEST:  # parts of such a score are not exact
            return
        known = KnownPosting(posting, parts, idf)
        self._forget(self._kept.pop(key, None))
        self._size += known.most_bytes()
        self._kept[key] = (self._touched.step, known)
        while self._size > self._memory:
            try:
                oldest = next(iter(self._kept))
            except (RuntimeError, StopIteration):  # it is empty, or another thread has changed it meanwhile
                break
            self._forget(self._kept.pop(oldest, None))

    def moved(self, key: Hashable, parts: Sequence[FieldPart], documents: int, all_slots: int) -> MovedPosting | None:
        """Return the posting of this state, made of an earlier one.

        The result is `None` if there is none, or if too much has changed since.

        Args:
            key: the key of the posting.
            parts: the fields of the token in this state; at least one.
            documents: the number of documents.
            all_slots: the number of slots of the index.
        """
        step, known = self._kept.get(key, (0, None))
        if known is None:
            return None
        touched = self._touched.since(step)
        return None if touched is None else MovedPosting(known, parts, documents, touched, all_slots)

    def _forget(self, entry: tuple[int, KnownPosting] | None) -> None:
        if entry is not None:
            self._size -= entry[1].most_bytes()

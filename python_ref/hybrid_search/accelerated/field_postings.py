"""Postings over several fields at once, with a cache (DOC-3, DOC-9)."""

import copy
from collections.abc import Mapping
from typing import Self

from hybrid_search.accelerated.cached_postings import CachedPostings
from hybrid_search.accelerated.fast_inverted_index import FastInvertedIndex


class FieldPostings:
    """Makes postings of several fields; safe to use from several threads.

    Args:
        indexes: field → its inverted index; they must not change.
        cache: the cache.
    """

    def __init__(self, indexes: Mapping[str, FastInvertedIndex], cache: CachedPostings) -> None:
        self._indexes = indexes
        self._kept = cache

    def over(self, indexes: Mapping[str, FastInvertedIndex]) -> Self:
        """Return the same postings, with their cache, over indexes of the same state."""
        same = copy.copy(self)
        same._indexes = indexes
        return same

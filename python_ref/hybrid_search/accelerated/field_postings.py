"""Postings over several fields at once, kept for those who ask again (DOC-3, DOC-9)."""

import copy
from collections.abc import Mapping
from typing import Self

from hybrid_search.accelerated.inverted_index import InvertedIndex
from hybrid_search.accelerated.kept_postings import KeptPostings


class FieldPostings:
    """Makes postings of several fields; several threads may ask at once.

    Args:
        indexes: field → its inverted index, none of which changes.
    """

    def __init__(self, indexes: Mapping[str, InvertedIndex]) -> None:
        self._indexes = indexes
        self._kept = KeptPostings()

    def over(self, indexes: Mapping[str, InvertedIndex]) -> Self:
        """The same, with what is kept, over indexes of the same state."""
        same = copy.copy(self)
        same._indexes = indexes
        return same

"""The terms of the documents that a batch adds, in columns (SQL-1)."""

from collections.abc import Collection, Iterator, Sequence
from itertools import compress

import numpy as np

from hybrid_search.doc_store_adapter.tables.blobs import NUMBER_BITS

Integers = np.ndarray[tuple[int], np.dtype[np.int64]]
Added = Sequence[tuple[int, Sequence[bytes]]]
"""The numbers of documents, ascending, and their tokens in their order."""


class AddedTerms:
    """The different tokens of some documents in a field, and their places.

    Args:
        added: the documents.

    Attributes:
        tokens: the different tokens, in the order of their first places.
        documents: the number of the documents that contain each token.
        counts: the number of places of each token.
        places: those of the first token, ascending, then those of the second.
    """

    def __init__(self, added: Added) -> None:
        terms = _Terms()
        each: list[int] = []
        for _, tokens in added:
            each.extend(map(terms.__getitem__, tokens))
        sizes = np.array([len(tokens) for _, tokens in added], dtype=np.int64)
        numbers = np.array([number for number, _ in added], dtype=np.int64)
        count = len(each)
        rising = np.arange(count)
        firsts = np.cumsum(sizes) - sizes  # whole numbers
        places = np.repeat((numbers << NUMBER_BITS) - firsts, sizes) + rising
        keys = np.sort((np.array(each, dtype=np.int64) << NUMBER_BITS) | rising)
        terms_of = keys >> NUMBER_BITS
        self.places: Integers = places[keys & ((1 << NUMBER_BITS) - 1)]
        self.tokens = list(terms)
        self.counts: Integers = np.bincount(terms_of, minlength=len(terms))
        is_first = np.ones(count, dtype=np.bool_)
        numbers = self.places >> NUMBER_BITS
        is_first[1:] = (terms_of[1:] != terms_of[:-1]) | (numbers[1:] != numbers[:-1])
        self.documents: Integers = np.bincount(terms_of[is_first], minlength=len(terms))

    def each_part(
        self, size: int, without: Collection[bytes]
    ) -> Iterator[tuple[list[bytes], Integers, Integers, Integers]]:
        """Yield the tokens, the counts, the documents and the places of `size` tokens at once, without some tokens."""
        kept = np.array([token not in without for token in self.tokens], dtype=np.bool_)
        tokens = list(compress(self.tokens, kept))
        counts, documents = self.counts[kept], self.documents[kept]
        places = self.places[np.repeat(kept, self.counts)]
        start = 0
        for first in range(0, len(tokens), size):
            part = slice(first, first + size)
            end = start + int(counts[part].sum())  # whole numbers
            yield tokens[part], counts[part], documents[part], places[start:end]
            start = end


class _Terms(dict[bytes, int]):
    """Maps each token to its number among the different tokens."""

    def __missing__(self, token: bytes) -> int:
        self[token] = place = len(self)
        return place

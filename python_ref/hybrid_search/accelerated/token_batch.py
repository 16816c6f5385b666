"""The tokens of one field of new documents, sorted by token."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import chain

import numpy as np

from hybrid_search.accelerated.posting import Slots

POSITION_BITS = 32


class TokenBatch:
    """Documents with their tokens. Fields with the same tokens share one batch.

    Args:
        documents: slots, ascending, each with the tokens of a document.

    Attributes:
        documents: as given.
        tokens: the number of all tokens.
    """

    def __init__(self, documents: Sequence[tuple[int, Sequence[str]]]) -> None:
        self.documents = documents
        self.tokens = sum(len(tokens) for _, tokens in documents)  # whole numbers

    def places(self) -> Iterator[tuple[str, bytes]]:
        """Yield each token with its places, `slot << POSITION_BITS | position` in eight bytes each, ascending."""
        numbers, packed, ends, _ = self._sorted
        return zip(numbers, map(packed.__getitem__, map(slice, [0, *ends[:-1]], ends)), strict=True)

    @property
    def frequencies(self) -> dict[str, int]:
        """Token → the number of documents with it."""
        return self._sorted[3]

    @cached_property
    def _sorted(self) -> tuple[dict[str, int], bytes, list[int], dict[str, int]]:
        numbers = Numbers()
        tokens = chain.from_iterable(tokens for _, tokens in self.documents)
        numbered = np.fromiter(map(numbers.__getitem__, tokens), np.int64, self.tokens)
        order = np.argsort(numbered, kind="stable")
        numbered, places = numbered[order], self._places()[order]
        ends = np.bincount(numbered, minlength=len(numbers)).cumsum()  # whole numbers
        first = np.empty(self.tokens, dtype=np.bool_)
        first[:1] = True
        np.not_equal(places[1:] >> POSITION_BITS, places[:-1] >> POSITION_BITS, out=first[1:])
        first[ends[:-1]] = True
        frequencies = np.bincount(numbered[first], minlength=len(numbers)).tolist()
        return (
            numbers,
            places.tobytes(),
            (ends * places.itemsize).tolist(),
            dict(zip(numbers, frequencies, strict=True)),
        )

    def _places(self) -> Slots:
        """Return the places of all tokens, in the order of the tokens."""
        lengths = np.array([len(tokens) for _, tokens in self.documents], dtype=np.int64)
        slots = np.array([slot for slot, _ in self.documents], dtype=np.int64)
        starts = (slots << POSITION_BITS) - (lengths.cumsum() - lengths)  # whole numbers
        places: Slots = np.arange(self.tokens) + np.repeat(starts, lengths)
        return places


class Numbers(dict[str, int]):
    """Maps tokens to numbers, in the order in which one thread requests them; `get` assigns no new number."""

    def __missing__(self, token: str) -> int:
        return self.setdefault(token, len(self))

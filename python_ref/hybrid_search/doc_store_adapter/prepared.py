"""What a store may make of a document when it is inserted, so that reranking need not read it again (RNK-1).

Tokens become numbers of one vocabulary, four bytes each: whether a document holds a token, or two tokens next to each
other, is then a search for four or eight bytes, which a small bit map mostly spares. The fields stay the truth: a
prepared document gives the same bits.
"""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hybrid_search import numeric
from hybrid_search.doc_store_adapter.stored_fields import StoredFields

BYTES_PER_TOKEN = 4
SMALLEST_FILTER = 64
FILTER_BITS_PER_TOKEN = 8


@dataclass(frozen=True, slots=True)
class TokenPattern:
    """One token, or two that follow one another, as packed tokens are searched for them.

    Attributes:
        first: the number of the token.
        second: the number of the token that follows; none for one token.
        packed: the same as bytes.
    """

    first: int
    second: int | None
    packed: bytes = field(init=False)

    def __post_init__(self) -> None:
        numbers = [self.first] if self.second is None else [self.first, self.second]
        object.__setattr__(self, "packed", _packed(numbers))


class Vocabulary:
    """Tokens and their numbers, in the order in which they were first met; safe to use from several threads."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._lock = threading.Lock()

    def numbers(self, tokens: Sequence[str]) -> list[int]:
        """The numbers of tokens; new tokens get the next numbers."""
        with self._lock:
            return [self._numbers.setdefault(token, len(self._numbers)) for token in tokens]

    def token(self, token: str) -> TokenPattern | None:
        """What to search for, or none if the token is in no prepared document."""
        first = self._numbers.get(token)
        return None if first is None else TokenPattern(first, None)

    def pairs(self, key: str) -> list[TokenPattern]:
        """The pairs of tokens that concatenated are the key."""
        patterns = []
        for cut in range(1, len(key)):
            first = self._numbers.get(key[:cut])
            second = None if first is None else self._numbers.get(key[cut:])
            if first is not None and second is not None:
                patterns.append(TokenPattern(first, second))
        return patterns


@dataclass(frozen=True, slots=True)
class PreparedDocument:
    """A document as the hybrid rerank needs it.

    Attributes:
        vocabulary: what the numbers mean; one per store.
        tokens: the numbers of the tokens of RNK-1, in their order, four bytes each.
        filter: bit `number & last_bit` is set for each token.
        last_bit: the place of the filter's last bit, a power of two less one, at least 63.
        norm: the norm of the vector in the vector field, or none without a usable vector.
        dimension: how many components that vector has; 0 without one.
    """

    vocabulary: Vocabulary
    tokens: bytes
    filter: int
    last_bit: int
    norm: float | None
    dimension: int

    @staticmethod
    def prepare(
        vocabulary: Vocabulary, fields: Mapping[str, Any], vector: Sequence[float] | None
    ) -> "PreparedDocument | None":
        """A document's prepared form, or none when a field is not what it should be (the Reranker then says so).

        Args:
            vocabulary: the store's.
            fields: the stored fields of the document.
            vector: the checked vector of the document, finite and with a finite squared norm, or none.
        """
        reader = StoredFields()
        tokens = StoredFields.hybrid_tokens("", fields, reader)
        if reader.warnings():
            return None
        numbers = vocabulary.numbers(tokens)
        norm = None if vector is None else numeric.norm(vector)
        dimension = 0 if vector is None else len(vector)
        last_bit = _last_bit(len(numbers))
        return PreparedDocument(vocabulary, _packed(numbers), _bit_map(numbers, last_bit), last_bit, norm, dimension)

    def holds(self, pattern: TokenPattern) -> bool:
        """Whether the pattern's tokens are there, next to each other."""
        if not self.filter >> (pattern.first & self.last_bit) & 1:
            return False
        if pattern.second is not None and not self.filter >> (pattern.second & self.last_bit) & 1:
            return False
        found = self.tokens.find(pattern.packed)
        while found >= 0 and found % BYTES_PER_TOKEN:
            found = self.tokens.find(pattern.packed, found + 1)
        return found >= 0


def _packed(numbers: Sequence[int]) -> bytes:
    return b"".join(number.to_bytes(BYTES_PER_TOKEN, "little") for number in numbers)


def _last_bit(count: int) -> int:
    bits = SMALLEST_FILTER
    while bits < count * FILTER_BITS_PER_TOKEN:
        bits *= 2
    return bits - 1


def _bit_map(numbers: Sequence[int], last_bit: int) -> int:
    made = bytearray(last_bit // 8 + 1)
    for number in numbers:
        bit = number & last_bit
        made[bit >> 3] |= 1 << (bit & 7)
    return int.from_bytes(made, "little")

"""What a store may make of a document when it is inserted, so that reranking need not read it again (RNK-1).

Tokens become numbers of one vocabulary, four bytes each: whether a document holds a token, or two tokens next to each
other, is then a search for four or eight bytes. The fields stay the truth: a prepared document gives the same bits.
"""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hybrid_search import numeric
from hybrid_search.doc_store_adapter.stored_fields import StoredFields

BYTES_PER_TOKEN = 4


class Vocabulary:
    """Tokens and their numbers, in the order in which they were first met; safe to use from several threads."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._lock = threading.Lock()

    def find(self, token: str) -> bytes | None:
        """The number of a token as bytes, or none if no prepared document holds it."""
        number = self._numbers.get(token)
        return None if number is None else number.to_bytes(BYTES_PER_TOKEN, "little")

    def pack(self, tokens: Sequence[str]) -> bytes:
        """The numbers of tokens as bytes; new tokens get the next numbers."""
        with self._lock:
            numbers = [self._numbers.setdefault(token, len(self._numbers)) for token in tokens]
        return b"".join(number.to_bytes(BYTES_PER_TOKEN, "little") for number in numbers)


@dataclass(frozen=True, slots=True)
class PreparedDocument:
    """A document as the hybrid rerank needs it.

    Attributes:
        vocabulary: what the numbers mean; one per store.
        tokens: the numbers of the tokens of RNK-1, in their order, four bytes each.
        norm: the norm of the vector in the vector field, or none without a usable vector.
        dimension: how many components that vector has; 0 without one.
    """

    vocabulary: Vocabulary
    tokens: bytes
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
        norm = None if vector is None else numeric.norm(vector)
        return PreparedDocument(vocabulary, vocabulary.pack(tokens), norm, 0 if vector is None else len(vector))

    @staticmethod
    def position(tokens: bytes, pattern: bytes) -> int:
        """Where `pattern` begins in packed tokens, counted in tokens; -1 if it is not there."""
        found = tokens.find(pattern)
        while found >= 0 and found % BYTES_PER_TOKEN:
            found = tokens.find(pattern, found + 1)
        return found // BYTES_PER_TOKEN if found >= 0 else -1

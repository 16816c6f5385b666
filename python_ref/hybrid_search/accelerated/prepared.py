"""Prepares documents when they are inserted, so that reranking need not read them again (RNK-1).

Tokens become numbers of one vocabulary. They show whether a document contains a token, or two tokens next to each
other, without comparing texts. The fields remain authoritative: a prepared document leads to the same bits.
"""

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hybrid_search.accelerated.token_batch import Numbers
from hybrid_search.base import numeric
from hybrid_search.doc_store_adapter.documents.stored_fields import StoredFields

BYTES_PER_TOKEN = 4


class Vocabulary:
    """Tokens and their numbers, in the order of their first appearance.

    One thread may assign numbers while others look them up: a token gets its number after `longest` includes it.

    Attributes:
        longest: the number of characters of the longest token.
    """

    def __init__(self) -> None:
        self._numbers = Numbers()
        self.longest = 0

    def numbers(self, tokens: Sequence[str]) -> list[int]:
        """Return the numbers of tokens; new tokens get the next numbers."""
        self.longest = max(self.longest, *map(len, tokens), 0)
        return list(map(self._numbers.__getitem__, tokens))

    def number(self, token: str) -> int | None:
        """Return the number of a token, or `None` if no prepared document contains it."""
        return self._numbers.get(token)

    def pairs(self, key: str) -> list[tuple[int, int]]:
        """Return the numbers of the pairs of tokens whose concatenation is the key."""
        pairs = []
        for cut in range(max(1, len(key) - self.longest), min(len(key), self.longest + 1)):
            first = self._numbers.get(key[:cut])
            second = None if first is None else self._numbers.get(key[cut:])
            if first is not None and second is not None:
                pairs.append((first, second))
        return pairs


@dataclass(frozen=True, slots=True)
class PreparedDocument:
    """A document in the form that the hybrid rerank needs.

    Attributes:
        vocabulary: the vocabulary of the numbers; one per store.
        tokens: the numbers of the tokens of RNK-1, in their order, four bytes each, the lowest first.
        norm: the norm of the vector in the vector field, or `None` without a usable vector.
        dimension: the number of components of that vector; 0 without one.
    """

    vocabulary: Vocabulary
    tokens: bytes
    norm: float | None
    dimension: int

    @staticmethod
    def prepare(
        vocabulary: Vocabulary, fields: Mapping[str, Any], vector: Sequence[float] | None
    ) -> "PreparedDocument | None":
        """Return a document's prepared form; `None` if a field is invalid, which the Reranker then reports.

        Args:
            vocabulary: the vocabulary of the store.
            fields: the stored fields of the document.
            vector: the checked vector of the document, finite and with a finite squared norm, or `None`.
        """
        reader = StoredFields()
        tokens = StoredFields.hybrid_tokens("", fields, reader)
        if reader.warnings():
            return None
        numbers = vocabulary.numbers(tokens)
        packed = struct.pack(f"<{len(numbers)}I", *numbers)
        norm = None if vector is None else numeric.norm(vector)
        return PreparedDocument(vocabulary, packed, norm, 0 if vector is None else len(vector))

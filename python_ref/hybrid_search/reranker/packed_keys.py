"""The keys of a question looked up in prepared documents (RNK-1, QRY-9)."""

from collections.abc import Sequence
from itertools import pairwise

from hybrid_search.doc_store_adapter.prepared import PreparedDocument, TokenPattern, Vocabulary

LONGEST_KEY = 64
SEPARATOR = "\x00"


class PackedKeys:
    """Finds the keys of a question, its tokens and concatenated neighbours, in prepared documents.

    A document has a key when it has it as a token, or has two neighbouring tokens whose concatenation it is.

    Attributes:
        usable: whether this way is open: no key is longer than 64 characters, none holds U+0000.
    """

    def __init__(self, query_tokens: Sequence[str], vocabulary: Vocabulary) -> None:
        keys = dict.fromkeys(query_tokens)
        keys.update(dict.fromkeys(left + right for left, right in pairwise(query_tokens)))
        self.usable = all(len(key) <= LONGEST_KEY and SEPARATOR not in key for key in keys)
        self._searches = (
            [search for key in keys for search in PackedKeys._searches_of(key, vocabulary)] if self.usable else []
        )
        self._by_bit: dict[int, tuple[int, dict[int, list[tuple[str, TokenPattern]]]]] = {}

    def stand_in(self, prepared: PreparedDocument) -> list[str]:
        """A short list of tokens that has just those keys of the question which the document has."""
        mask, searches = self._by_bit.get(prepared.last_bit) or self._arrange(prepared.last_bit)
        tokens: list[str] = []
        common = prepared.filter & mask
        while common:
            bit = common.bit_length() - 1
            for key, pattern in searches[bit]:
                if prepared.holds(pattern):
                    tokens.append(key)
                    tokens.append(SEPARATOR)
            common ^= 1 << bit
        return tokens

    def _arrange(self, last_bit: int) -> tuple[int, dict[int, list[tuple[str, TokenPattern]]]]:
        """The searches by the bit that filters of this size have for their first token, and all those bits."""
        searches: dict[int, list[tuple[str, TokenPattern]]] = {}
        mask = 0
        for search in self._searches:
            bit = search[1].first & last_bit
            searches.setdefault(bit, []).append(search)
            mask |= 1 << bit
        self._by_bit[last_bit] = (mask, searches)
        return mask, searches

    @staticmethod
    def _searches_of(key: str, vocabulary: Vocabulary) -> list[tuple[str, TokenPattern]]:
        """The key with each of what a document with it may hold: itself, or its two parts, wherever it is cut."""
        whole = vocabulary.token(key)
        patterns = ([] if whole is None else [whole]) + vocabulary.pairs(key)
        return [(key, pattern) for pattern in patterns]

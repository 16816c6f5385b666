"""The keys of a question looked up in prepared documents (RNK-1, QRY-9)."""

from collections.abc import Sequence
from itertools import pairwise

from hybrid_search.doc_store_adapter.prepared import PreparedDocument, Vocabulary

LONGEST_KEY = 64
SEPARATOR = "\x00"


class PackedKeys:
    """Finds the keys of a question, its tokens and concatenated neighbours, in packed tokens.

    A document has a key when it has it as a token, or has two neighbouring tokens whose concatenation it is.

    Attributes:
        usable: whether this way is open: no key is longer than 64 characters, none holds U+0000.
    """

    def __init__(self, query_tokens: Sequence[str], vocabulary: Vocabulary) -> None:
        keys = dict.fromkeys(query_tokens)
        keys.update(dict.fromkeys(left + right for left, right in pairwise(query_tokens)))
        self.usable = all(len(key) <= LONGEST_KEY and SEPARATOR not in key for key in keys)
        found = ((key, self._patterns(key, vocabulary)) for key in keys) if self.usable else ()
        self._patterns_of = [(key, patterns) for key, patterns in found if patterns]

    def stand_in(self, packed: bytes) -> list[str]:
        """A short list of tokens that has just those keys of the question which the packed tokens have."""
        tokens: list[str] = []
        for key, patterns in self._patterns_of:
            for pattern in patterns:
                if PreparedDocument.position(packed, pattern) >= 0:
                    tokens.append(key)
                    tokens.append(SEPARATOR)
                    break
        return tokens

    @staticmethod
    def _patterns(key: str, vocabulary: Vocabulary) -> list[bytes]:
        """What a document with the key holds: the key itself, or its two parts, wherever it is cut."""
        whole = vocabulary.find(key)
        patterns = [] if whole is None else [whole]
        for cut in range(1, len(key)):
            left = vocabulary.find(key[:cut])
            right = None if left is None else vocabulary.find(key[cut:])
            if left is not None and right is not None:
                patterns.append(left + right)
        return patterns

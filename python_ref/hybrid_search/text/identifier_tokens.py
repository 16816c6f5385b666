"""Identifiers as tokens of their own (TXT-10)."""

from collections.abc import Collection

from hybrid_search.text.identifiers import Identifiers
from hybrid_search.text.tokenizer import TokenizerLike

LONGEST_IDENTIFIER = 256
"""The longest identifier that is a token, in code points."""


class IdentifierTokens:
    """Finds the identifiers of texts that a tokenizer takes apart, such as `6-2-1` and `src/a/b.py`.

    Args:
        tokenizer: normalises texts; its tokens are those that need not be found again.
    """

    def __init__(self, tokenizer: TokenizerLike) -> None:
        self._tokenizer = tokenizer
        self._identifiers = Identifiers()

    def tokens(self, text: str, known: Collection[str]) -> list[str]:
        """The identifiers of a text that are not among its tokens, in order, with repeats.

        Each is followed by the identifiers between its `/`, `@` and `:`. Numbers have no commas. Neither words joined
        by hyphens nor single letters joined by stops count.

        Args:
            text: a text as it was given.
            known: the tokens that the tokenizer gives of the text.
        """
        known = frozenset(known)
        found = (word.replace(",", "") for word in self.written(text))
        return [token for token in found if token not in known]

    def written(self, text: str) -> list[str]:
        """As `tokens`, but all of them, and numbers as they are written."""
        prepared = self._identifiers.prepare(self._tokenizer.normalize(text))
        found = (word for word in self._identifiers.found(prepared) if len(word) <= LONGEST_IDENTIFIER)
        words = (part for word in found for part in (word, *self._identifiers.enclosed(word)))
        return [word for word in words if not self._identifiers.is_prose(word)]

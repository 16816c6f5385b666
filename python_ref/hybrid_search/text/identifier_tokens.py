"""Identifiers as tokens of their own (TXT-10)."""

from collections.abc import Collection, Iterable

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
        return self.among(self._found(text), known)

    def among(self, found: Iterable[str], known: Collection[str]) -> list[str]:
        """As `tokens`, of what `Identifiers.found` gives of the prepared text."""
        known = frozenset(known)
        words = (word.replace(",", "") for word in self._written(found))
        return [token for token in words if token not in known]

    def written(self, text: str) -> list[str]:
        """As `tokens`, but all of them, and numbers as they are written."""
        return self._written(self._found(text))

    def _found(self, text: str) -> list[str]:
        return self._identifiers.found(self._identifiers.prepare(self._tokenizer.normalize(text)))

    def _written(self, found: Iterable[str]) -> list[str]:
        short = (word for word in found if len(word) <= LONGEST_IDENTIFIER)
        words = (part for word in short for part in (word, *self._identifiers.enclosed(word)))
        return [word for word in words if not self._identifiers.is_prose(word)]

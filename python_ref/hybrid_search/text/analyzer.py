"""Extracts the tokens of a document's texts, the parts of tokens, and identifiers (TXT-4, TXT-5, TXT-10)."""

from collections.abc import Collection, Sequence

from hybrid_search.text.identifiers import IdentifierTokens
from hybrid_search.text.tokenizer import TokenizerLike


class Analyzer:
    """Passes each text and each token to a tokenizer.

    Args:
        tokenizer: cuts texts into tokens.
    """

    def __init__(self, tokenizer: TokenizerLike) -> None:
        self._tokenizer = tokenizer
        self._identifiers = IdentifierTokens(tokenizer)

    def tokens(self, text: str) -> list[str]:
        """Return the tokens of a text, in order (TXT-4)."""
        return self._tokenizer.tokenize(text)

    def fine_grained(self, tokens: Sequence[str]) -> list[str]:
        """Return the parts of each token, in order (TXT-5)."""
        return [part for token in tokens for part in self._tokenizer.fine_grained(token)]

    def identifiers(self, text: str, known: Collection[str]) -> list[str]:
        """Return the identifiers of a text that are not among the known tokens, in order, with repeats (TXT-10)."""
        return self._identifiers.tokens(text, known)

"""Counts the tokens of texts, for the sizes of chunks (CHK-1)."""

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Protocol

import numpy as np

from hybrid_search.base import awaitable, object_checks, validation
from hybrid_search.base.characters import character_class
from hybrid_search.errors import InvalidInputError

LONGEST_TOKEN = 8
"""The maximum number of letters and digits of one token, not counting marks."""
MOST_MARKS = 3
"""The maximum number of marks that belong to the character before them."""
_ASCII_SIGNS = r"!-/:-@\[-`{-~"
ACCEPTED = "a callable, or an object with tokenize"


class CountingTokenizer(Protocol):
    """Cuts a text into tokens, of which only the number counts."""

    def tokenize(self, text: str, /) -> Sequence[Any]:
        """Return the tokens."""


CountTokens = Callable[[str], "Sequence[Any] | int"]


@cache
def _token() -> re.Pattern[str]:
    white, mark = character_class("WHITE"), character_class("MARK")
    letters = "".join(character_class(name).without(mark).pattern for name in ("ALPHABETIC", "DIGIT"))
    single = "".join(character_class(name).pattern for name in ("HAN", "KANA", "HANGUL"))
    marks = f"[{mark.pattern}]{{0,{MOST_MARKS}}}"
    # The last alternative also matches single characters; they come first since that is faster.
    return re.compile(
        f"[{_ASCII_SIGNS}{single}]{marks}|(?:[{letters}]{marks}){{1,{LONGEST_TOKEN}}}|[^{white.pattern}]{marks}"
    )


def tokens(text: str) -> list[str]:
    """Return the tokens of a text in order; they cover all its characters except WHITE."""
    return _token().findall(text)


class TokenCounter:
    """Counts the tokens of texts.

    Args:
        tokenizer: an object with `tokenize`, or a function that returns the tokens of a text or their number; `None`
            counts those of `tokens`.
    """

    def __init__(self, tokenizer: CountingTokenizer | CountTokens | None = None) -> None:
        self._count = _len_of_tokens if tokenizer is None else _accepted(tokenizer)

    def count(self, text: str) -> int:
        """Return the number of tokens.

        Raises:
            InvalidInputError: the tokenizer failed, or returned neither a list nor a number.
        """
        if self._count is _len_of_tokens:
            return _len_of_tokens(text)
        try:
            answer: Any = self._count(text)
        except Exception as problem:
            raise InvalidInputError(f"the tokenizer failed: {validation.foreign_error(problem)}") from problem
        awaitable.refuse_answer("the tokenizer", answer, InvalidInputError)
        if isinstance(answer, (list, tuple, np.ndarray)):
            return len(answer)
        if isinstance(answer, (int, np.integer)) and not isinstance(answer, bool) and answer >= 0:
            return int(answer)
        raise validation.fail("the tokenizer's answer", answer, "a list of tokens or their number")


def _len_of_tokens(text: str) -> int:
    """Return the number of tokens that `tokens` finds."""
    return len(_token().findall(text))


def _accepted(value: Any) -> Callable[[str], Any]:
    if object_checks.has(value, "tokenize"):
        awaitable.refuse("tokenizer", value, ["tokenize"])
        tokenize: Callable[[str], Any] = value.tokenize
        return tokenize
    if not object_checks.able(value):
        raise validation.fail("tokenizer", value, ACCEPTED)
    awaitable.refuse("tokenizer", value)
    function: Callable[[str], Any] = value
    return function

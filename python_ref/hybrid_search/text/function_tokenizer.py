"""Lets a function serve as a tokenizer (TXT-9)."""

from collections.abc import Callable, Sequence
from typing import Any

from hybrid_search.base import awaitable, characters, object_checks, validation
from hybrid_search.errors import InvalidInputError
from hybrid_search.text.normalizer import Normalizer
from hybrid_search.text.tokenizer import TokenizerLike

METHODS = ("tokenize", "fine_grained", "frequency", "tag", "normalize")
ACCEPTED = "a callable, or an object with tokenize, fine_grained, frequency, tag and normalize"

Cut = Callable[[str], str | Sequence[str]]


class FunctionTokenizer:
    """Tokens are the words that a function returns for a normalised text; they have no parts, frequencies or tags.

    Args:
        function: returns the words of a text, as a list or separated by white space.
    """

    def __init__(self, function: Cut) -> None:
        self._function = function
        self._normalizer = Normalizer()

    def tokenize(self, text: str) -> list[str]:
        """Return the words, in order; white space within one divides it.

        Raises:
            InvalidInputError: the text is not a text, or the function failed or returned neither a text nor a list of
                texts.
        """
        normalized = self._normalizer.normalize(text)
        try:
            answer: Any = self._function(normalized)
        except Exception as problem:
            raise InvalidInputError(f"the tokenizer failed: {validation.foreign_error(problem)}") from problem
        awaitable.refuse_answer("the tokenizer", answer, InvalidInputError)
        if not isinstance(answer, str):
            if isinstance(answer, bytes) or not isinstance(answer, Sequence):
                raise validation.fail("the tokenizer's answer", answer, "a text or a list of texts")
            answer = " ".join(validation.texts("the tokenizer's answer", answer))
        return characters.split_white(validation.text("the tokenizer's answer", answer))

    def fine_grained(self, token: str) -> list[str]:
        """Return the token itself."""
        return [validation.text("token", token)]

    def frequency(self, term: str) -> int:
        """Return 0."""
        validation.text("term", term)
        return 0

    def tag(self, term: str) -> str:
        """Return "", since no term has a tag."""
        validation.text("term", term)
        return ""

    def normalize(self, text: str) -> str:
        """Return the text as the function receives it (TXT-1)."""
        return self._normalizer.normalize(text)


def accept(name: str, value: Any) -> TokenizerLike:
    """Return the given tokenizer: an object with the methods of one, or a function that cuts texts.

    Raises:
        InvalidInputError: the value is neither; the message begins with `name`.
    """
    if object_checks.able(value) and not any(object_checks.has(value, method) for method in METHODS):
        awaitable.refuse(name, value)
        return FunctionTokenizer(value)
    tokenizer: TokenizerLike = object_checks.having(name, value, METHODS, ACCEPTED)
    return tokenizer

"""Checks that a keyword extractor has the method that will be called (ERR-3)."""

from typing import Any

from hybrid_search.base import object_checks
from hybrid_search.text.keyword_extractor import KeywordExtractor

ACCEPTED = "a KeywordExtractor, or an object with extract"


def accept(name: str, value: Any) -> Any:
    """Return the given keyword extractor; the default `KeywordExtractor` for `None`.

    Raises:
        InvalidInputError: the value has no `extract`; the message begins with `name`.
    """
    return KeywordExtractor() if value is None else object_checks.having(name, value, ("extract",), ACCEPTED)

"""What keywords may be asked of, checked where it is given (ERR-3)."""

from typing import Any

from hybrid_search.base import object_checks
from hybrid_search.text.keyword_extractor import KeywordExtractor

ACCEPTED = "a KeywordExtractor, or an object with extract"


def accept(name: str, value: Any) -> Any:
    """What finds keywords, that was given; the default `KeywordExtractor` of none.

    Raises:
        InvalidInputError: it has no `extract`; the message begins with `name`.
    """
    return KeywordExtractor() if value is None else object_checks.having(name, value, ("extract",), ACCEPTED)

"""The tokens of stored documents, by which near duplicates and similar hits are found (ARR-2, ARR-3)."""

from collections.abc import Mapping, Set
from typing import Any

from hybrid_search.base import characters

MOST_TOKENS = 512
"""The maximum number of tokens of a content that are compared."""
SHINGLE = 3
"""The number of tokens in a shingle."""


def tokens(document: Mapping[str, Any]) -> list[str]:
    """Return the first tokens of a content, at most `MOST_TOKENS`."""
    stored = document.get("content_ltks")
    return characters.split_white(stored)[:MOST_TOKENS] if isinstance(stored, str) else []


def shingles(document: Mapping[str, Any]) -> Set[str]:
    """Return every `SHINGLE` consecutive tokens, joined by blanks; if there are fewer tokens, all as one shingle."""
    words = tokens(document)
    if not words:
        return frozenset()
    last = max(0, len(words) - SHINGLE)
    return frozenset(" ".join(words[first : first + SHINGLE]) for first in range(last + 1))


def jaccard(left: Set[str], right: Set[str]) -> float:
    """Return the number of common members divided by the number of all; 0.0 if there are none."""
    common = len(left & right)
    return common / (len(left) + len(right) - common) if common else 0.0

"""Patterns of terms and of tokens for an index of OpenSearch (DOC-2, OS-1)."""

import hashlib
import re
from collections.abc import Sequence

from hybrid_search.doc_store_adapter.filters import value_keys
from hybrid_search.doc_store_adapter.filters.comparisons import TextPart

LONGEST_TOKEN = 8_000
BEFORE_DIGEST = "[^\0]*"
SPECIAL = re.compile(r"[\x21-\x2f\x3a-\x40\x5b-\x60\x7b-\x7e]")
"""The characters that may have a meaning in a regular expression of Lucene: all ASCII punctuation."""


def value_pattern(name: str, parts: Sequence[TextPart]) -> str:
    """Return a regular expression that matches the terms of texts with all parts, before the digest of a long text.

    Args:
        name: the field, which must be an attribute.
        parts: at least one part.
    """
    start = _quoted(value_keys.prefix(name) + value_keys.KINDS["text"])
    return "&".join(f"({start}{_pattern(part)})" for part in parts)


def _pattern(part: TextPart) -> str:
    text = _quoted(part.part)
    if part.operator == "starts_with":
        return f"{text}.*"
    return f"{BEFORE_DIGEST}{text}" + (f"{BEFORE_DIGEST}(\0.*)?" if part.operator == "contains" else "")


def _quoted(text: str) -> str:
    """Return a text as a regular expression of Lucene."""
    return SPECIAL.sub(r"\\\g<0>", text)


def token(text: str) -> str:
    """Return a token as the engine can store it: a token longer than a term may be is replaced by its digest."""
    return (
        text if len(text.encode("utf-8")) <= LONGEST_TOKEN else "\0" + hashlib.sha256(text.encode("utf-8")).hexdigest()
    )

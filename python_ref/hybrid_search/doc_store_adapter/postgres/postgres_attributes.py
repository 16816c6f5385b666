"""The attributes that PostgreSQL filters documents by, as JSON for the type jsonb (PG-2)."""

import json
from collections.abc import Mapping
from typing import Any

from hybrid_search.doc_store_adapter.documents.stored_json import MOST_BITS
from hybrid_search.doc_store_adapter.filters import attributes

ESCAPES = str.maketrans({"\0": "\1\1", "\1": "\1\2"})


class UnholdableError(Exception):
    """A value that jsonb cannot represent exactly."""


def of(fields: Mapping[str, Any], vector_fields: Mapping[str, Any]) -> str | None:
    """Return the attributes of a document as JSON, name → value; `None` if one of them cannot be represented."""
    found = attributes.of(fields, vector_fields)
    try:
        return write({escaped(name): plain(attributes.read(written)) for name, written in found.items()})
    except UnholdableError:
        return None


def plain(value: Any) -> Any:
    """Return a value that PostgreSQL compares with others as conditions do.

    Raises:
        UnholdableError: an integer is too large.
    """
    if isinstance(value, str):
        return escaped(value)
    if isinstance(value, float):
        return int(value) if value.is_integer() else value
    if isinstance(value, int) and value.bit_length() > MOST_BITS:
        raise UnholdableError
    if isinstance(value, list):
        return [plain(member) for member in value]
    return value


def escaped(text: str) -> str:
    """Return a text without U+0000; the order of texts is preserved."""
    return text.translate(ESCAPES)


def write(value: Any) -> str:
    """Return a plain value as JSON."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))

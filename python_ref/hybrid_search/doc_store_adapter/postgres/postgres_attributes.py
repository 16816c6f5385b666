"""What of a document PostgreSQL filters by, as JSON that jsonb can hold (PG-2)."""

import json
from collections.abc import Mapping
from typing import Any

from hybrid_search.doc_store_adapter.documents.stored_json import MOST_BITS
from hybrid_search.doc_store_adapter.filters import attributes

ESCAPES = str.maketrans({"\0": "\1\1", "\1": "\1\2"})


class UnholdableError(Exception):
    """A value that jsonb cannot hold as it is."""


def of(fields: Mapping[str, Any], vector_fields: Mapping[str, Any]) -> str | None:
    """The attributes of a document, name → value; none where one of them cannot be held."""
    found = attributes.of(fields, vector_fields)
    try:
        return write({escaped(name): plain(attributes.read(written)) for name, written in found.items()})
    except UnholdableError:
        return None


def plain(value: Any) -> Any:
    """A value as PostgreSQL tells it from others: as conditions do.

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
    """A text without U+0000; the order of texts stays."""
    return text.translate(ESCAPES)


def write(value: Any) -> str:
    """A plain value as JSON."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))

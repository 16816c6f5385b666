"""Records made of a framework's document, and the metadata of a framework's document made of a record (IDX-1)."""

from collections.abc import Mapping, Sequence
from typing import Any

from hybrid_search.base import validation

OF_RECORDS = (
    "title",
    "document_name",
    "doc_id",
    "kb_id",
    "parent",
    "keywords",
    "questions",
    "tags",
    "page_rank",
    "positions",
)
"""The keys of a record, other than its metadata, that a framework's document shows as metadata."""


def record_keys(given: Sequence[str]) -> tuple[str, ...]:
    """Return the keys of metadata that are stored as keys of the record, checked.

    Raises:
        InvalidInputError: a name is not one of `OF_RECORDS`.
    """
    names = validation.texts("record_keys", given)
    return tuple(validation.choice(f"record_keys[{place}]", name, OF_RECORDS) for place, name in enumerate(names))


def record(identifier: str, content: Any, metadata: Mapping[str, Any], keys: Sequence[str]) -> dict[str, Any]:
    """Return a record for `Index.upsert`.

    Args:
        identifier: its id.
        content: its text.
        metadata: the metadata of the document.
        keys: the keys of metadata that are stored as keys of the record.
    """
    found: dict[str, Any] = {"id": identifier, "content": content}
    found.update((key, metadata[key]) for key in keys if key in metadata)
    found["metadata"] = {key: value for key, value in metadata.items() if key not in keys}
    return found


def metadata(plain: Mapping[str, Any]) -> dict[str, Any]:
    """Return the metadata of a record or of a hit as plain data, together with its other keys.

    A key of the metadata takes precedence. A `doc_id` that is the id, and a `document_name` that is the title, are
    omitted.
    """
    found = dict(plain.get("metadata") or {})
    same = {"doc_id": plain["id"], "document_name": plain.get("title")}
    for key in OF_RECORDS:
        value = plain.get(key)
        if value not in (None, "", [], {}) and value != same.get(key):
            found.setdefault(key, value)
    return found

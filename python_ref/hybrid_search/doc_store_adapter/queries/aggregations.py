"""Counts the values of a field (DOC-4)."""

from collections.abc import Iterable
from typing import Any

from hybrid_search.doc_store_adapter.documents.stored_document import scalar_key

KINDS = ("number", "text", "boolean")


def count(values: Iterable[Any]) -> list[tuple[Any, int]]:
    """Return each different value with the number of documents that have it.

    The order is by count descending, then by value ascending: numbers, then texts (by code points), then false and
    true. 1 and 1.0 are one value, shown as 1. A list counts once for each different member; objects, nested lists,
    null and NaN do not count.

    Args:
        values: for each document, the value of the field.
    """
    counts: dict[tuple[str, Any], int] = {}
    for value in values:
        members = value if isinstance(value, list) else [value]
        for key in {scalar_key(member) for member in members}:
            if key is not None:
                counts[key] = counts.get(key, 0) + 1
    ordered = sorted(counts.items(), key=lambda item: (-item[1], KINDS.index(item[0][0]), item[0][1]))
    return [
        (int(value) if kind == "number" and isinstance(value, int) else value, found)
        for (kind, value), found in ordered
    ]

"""What a store tells of its content, in plain data (DOC-6)."""

from collections.abc import Iterable, Mapping
from typing import Any

from hybrid_search.doc_store_adapter import vector_models
from hybrid_search.doc_store_adapter.documents import stored_document

NUMBER_BYTES = 8
"""What a number, a place in a list and a place in an index count for."""

Held = tuple[Mapping[str, Any], Iterable[str]]
"""The fields of a document but its vectors, and the names of its vector fields."""


def of_documents(documents: Iterable[Held], sources: vector_models.Sources) -> dict[str, Any]:
    """How much documents hold, by field, and an estimate of the memory that takes.

    Args:
        documents: every one of them.
        sources: what is kept of vector fields.
    """
    fields: dict[str, dict[str, int | None]] = {}
    counts: dict[str, int] = {}
    memory = {"documents": 0, "text": 0, "vectors": 0}
    total = without_vectors = 0
    for own, vector_fields in documents:
        total += 1
        memory["documents"] += size(own)
        for field, value in own.items():
            _count(fields, memory, field, value)
        names = list(vector_fields)
        without_vectors += not names
        for field in names:
            counts[field] = counts.get(field, 0) + 1
            memory["vectors"] += NUMBER_BYTES * (stored_document.vector_dimension(field, field) + 1)
    return {
        "tokens": sum(told["tokens"] or 0 for told in fields.values()),  # whole numbers
        "fields": dict(sorted(fields.items())),
        "vectors": vector_models.described(counts, sources, total),
        "without_vectors": without_vectors,
        "memory": {**memory, "total": sum(memory.values())},  # whole numbers
    }


def size(value: Any) -> int:
    """The bytes a stored value counts for: a text those of UTF-8, all else that is single, and each place, 8."""
    if isinstance(value, str):
        return len(value) if value.isascii() else len(value.encode("utf-8"))
    if isinstance(value, Mapping):
        return sum(NUMBER_BYTES + size(key) + size(item) for key, item in value.items())  # whole numbers
    if isinstance(value, list):
        return sum(NUMBER_BYTES + size(item) for item in value)  # whole numbers
    return NUMBER_BYTES


def _count(fields: dict[str, dict[str, int | None]], memory: dict[str, int], field: str, value: Any) -> None:
    told = fields.setdefault(field, {"documents": 0, "tokens": None})
    told["documents"] = (told["documents"] or 0) + 1
    if stored_document.is_searchable(field):
        tokens = len(stored_document.tokens(field, value))
        told["tokens"] = (told["tokens"] or 0) + tokens
        memory["text"] += NUMBER_BYTES * (tokens + 1)

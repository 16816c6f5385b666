"""Counts of a store's content as plain data (DOC-6)."""

from collections.abc import Iterable, Mapping
from typing import Any

from hybrid_search.doc_store_adapter import vector_models
from hybrid_search.doc_store_adapter.documents import stored_document

NUMBER_BYTES = 8
"""The estimated bytes of a number, of an entry of a list and of an entry of an index."""

Held = tuple[Mapping[str, Any], Iterable[str]]
"""The fields of a document without its vectors, and the names of its vector fields."""


def of_documents(documents: Iterable[Held], sources: vector_models.Sources) -> dict[str, Any]:
    """Return the counts of documents by field, with an estimate of the memory that they take.

    Args:
        documents: all documents.
        sources: the stored models and origins of vector fields.
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
    """Return the estimated bytes of a value: its UTF-8 for text, 8 for other scalars, and 8 more for each entry."""
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

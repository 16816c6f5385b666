"""Checks an argument that must be a document store (ERR-3)."""

from typing import Any

from hybrid_search.base import object_checks
from hybrid_search.doc_store_adapter.base import DocStoreAdapter

METHODS = (
    "insert", "update", "upsert", "delete", "get", "count", "generation", "health", "stats", "vector_fields",
    "keep_vector_model", "search", "rank", "fuses_scores",
)  # fmt: skip
ACCEPTED = "a document store, as a subclass of DocStoreAdapter is"


def accept(name: str, value: Any) -> DocStoreAdapter:
    """Return the given store.

    Raises:
        InvalidInputError: the value lacks a method of a store; the message begins with `name`.
    """
    store: DocStoreAdapter = object_checks.having(name, value, METHODS, ACCEPTED)
    return store

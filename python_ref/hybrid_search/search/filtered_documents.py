"""Reads documents that are shown because a hit leads to them, such as its parent, if they pass the filters (ARR-5)."""

from collections.abc import Mapping
from typing import Any

from hybrid_search.doc_store_adapter.base import DocStoreAdapter
from hybrid_search.doc_store_adapter.documents import stored_document
from hybrid_search.doc_store_adapter.filters.filters import Filters

AVAILABLE = "available_int"


class FilteredDocuments:
    """Reads documents that satisfy the filters of a search.

    Args:
        store: the documents.
        filters: the filters.
    """

    def __init__(self, store: DocStoreAdapter, filters: Filters) -> None:
        self._store = store
        self._filters = filters

    def of(self, asked: Mapping[str, Mapping[str, Any] | None]) -> dict[str, Mapping[str, Any]]:
        """Return the documents of some ids, without those that are missing or do not pass the filters.

        Args:
            asked: id → the document whose availability counts instead of its own; `None` for its own.
        """
        identifiers = list(asked)
        found = zip(identifiers, self._store.get_many(identifiers), strict=True)
        return {name: document for name, document in found if document and self._accepts(name, document, asked[name])}

    def _accepts(self, identifier: str, document: Mapping[str, Any], leading: Mapping[str, Any] | None) -> bool:
        vectors = {name: value for name, value in document.items() if stored_document.is_vector_field(name)}
        fields = {name: value for name, value in document.items() if name not in vectors}
        if leading is not None:
            fields = {name: value for name, value in fields.items() if name != AVAILABLE}
            fields |= {AVAILABLE: leading[AVAILABLE]} if AVAILABLE in leading else {}
        return self._filters.accepts(identifier, fields, vectors)

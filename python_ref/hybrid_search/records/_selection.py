"""Documents that filters choose, whether available or not (IDX-6)."""

from collections.abc import Mapping
from typing import Any

from hybrid_search.doc_store_adapter._filter_parser import FilterParser
from hybrid_search.doc_store_adapter.base import DocStoreAdapter
from hybrid_search.errors import InvalidInputError
from hybrid_search.records._record_writer import RecordWriter
from hybrid_search.retriever._field_words import FieldWords

BATCH = 1024
"""The number of documents that are removed at once."""


def read(filters: Any, may_be_empty: bool = True) -> dict[str, Any]:
    """Return filters in the names of the store.

    Raises:
        InvalidInputError: they are not acceptable, or hold no condition where they must.
    """
    found: dict[str, Any] = FilterParser(FieldWords()).parse(filters).data()
    if not found and not may_be_empty:
        raise InvalidInputError("filters must hold at least one condition; clear removes all documents")
    return found


def count(store: DocStoreAdapter, filters: Mapping[str, Any]) -> int:
    """Return the number of documents that pass."""
    return store.search(select_fields=[], filters=filters, limit=0).total


def delete(store: DocStoreAdapter, writer: RecordWriter, filters: Mapping[str, Any]) -> int:
    """Remove the documents that pass, batch by batch, and return their number."""
    removed = 0
    while ids := store.search(select_fields=[], filters=filters, limit=BATCH).ids:
        deleted = writer.delete(list(ids))
        removed += deleted
        if deleted == 0:  # others have removed them, or a store that has not caught up shows them again
            break
    return removed

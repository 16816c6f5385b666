"""Documents that pass filters, whether available or not (IDX-6)."""

from collections.abc import Mapping
from typing import Any

from hybrid_search.doc_store_adapter.base import DocStoreAdapter
from hybrid_search.doc_store_adapter.filters.filter_conditions import (
    AllConditions,
    AnyCondition,
    Condition,
    Conjunction,
    Negation,
)
from hybrid_search.doc_store_adapter.filters.filter_parser import FilterParser
from hybrid_search.errors import InvalidInputError
from hybrid_search.records.record_writer import RecordWriter
from hybrid_search.retriever.field_words import FieldWords

BATCH = 1024
"""The number of documents that are removed at once."""


def read(filters: Any, may_be_empty: bool = True) -> dict[str, Any]:
    """Return filters in the names of the store.

    Raises:
        InvalidInputError: the filters are not acceptable, or pass every document although they must not.
    """
    parsed = FilterParser(FieldWords()).parse(filters)
    if not may_be_empty and _always(True, parsed):
        raise InvalidInputError("filters must hold a condition that not every document meets; clear removes all")
    return parsed.data()


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


def _always(answer: bool, condition: Condition) -> bool:
    """Return whether a condition passes every document (`answer` true) or no document (false) in any store."""
    match condition:
        case Conjunction(conditions=parts) | AllConditions(filters=parts):
            return (all if answer else any)(_always(answer, part) for part in parts)
        case AnyCondition(filters=parts):
            return (any if answer else all)(_always(answer, part) for part in parts)
        case Negation(filters=part):
            return _always(not answer, part)
    return False

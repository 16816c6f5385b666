"""Makes the search for documents that are similar to a stored one (IDX-6)."""

from collections.abc import Mapping
from typing import Any

from hybrid_search.base import validation
from hybrid_search.doc_store_adapter.base import DocStoreAdapter
from hybrid_search.errors import InvalidInputError
from hybrid_search.records import record_of

LONGEST_TEXT = 1024
"""The maximum number of characters that are compared of a document without a vector."""


def similar_search(store: DocStoreAdapter, identifier: str, options: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the question and the options of the search for similar documents.

    Args:
        store: the documents.
        identifier: the id of the stored document.
        options: as given, with the filters of the call or of the index.

    Raises:
        InvalidInputError: the document does not exist, or a vector is given.
    """
    if options.get("vector") is not None:
        raise InvalidInputError("vector must not be set: it is that of the document")
    document = store.get(identifier)
    if document is None:
        raise InvalidInputError(f"id must be that of a stored document, not {validation.describe(identifier)}")
    vector = record_of.vector_of(document)
    record = record_of.record(document)
    question = "" if vector is not None else f"{record.get('title', '')} {record['content']}"[:LONGEST_TEXT]
    others: dict[str, Any] = {"not": {"id": identifier}}
    filters = options.get("filters")
    wanted = others if filters is None else {"all": [filters, others]}
    return question, {**options, "vector": vector, "filters": wanted, "rewrite": None}

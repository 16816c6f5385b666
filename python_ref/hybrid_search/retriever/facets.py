"""Counts the values of fields over all results (RET-9)."""

from collections.abc import Mapping, Sequence
from typing import Any

from hybrid_search.doc_store_adapter.documents.field_path import FieldPath
from hybrid_search.doc_store_adapter.queries import aggregations
from hybrid_search.retriever.request import RetrievalRequest


def counts(request: RetrievalRequest, documents: Sequence[Mapping[str, Any]]) -> dict[str, Sequence[tuple[Any, int]]]:
    """Return the values and their counts for each field of the facets.

    Args:
        request: the request.
        documents: the fields of each document to count.
    """
    paths = {field: FieldPath.of(field) for field in (request.facets or {}).values()}
    return {field: aggregations.count(path.value(fields) for fields in documents) for field, path in paths.items()}


def facets(
    request: RetrievalRequest, found: Mapping[str, Sequence[tuple[Any, int]]]
) -> dict[str, list[dict[str, Any]]] | None:
    """Return the values and counts of each requested facet, up to the requested number; `None` without facets.

    Args:
        request: the request.
        found: field of the store → value and count, in the order of DOC-4.
    """
    if request.facets is None:
        return None
    return {
        name: [{"value": value, "count": count} for value, count in found.get(field, ())[: request.facet_limit]]
        for name, field in request.facets.items()
    }

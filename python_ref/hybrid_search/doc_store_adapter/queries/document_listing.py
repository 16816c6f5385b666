"""A slice of all documents that pass filters (DOC-1)."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from hybrid_search.doc_store_adapter.documents.field_path import FieldPath
from hybrid_search.doc_store_adapter.queries.sort_order import SortOrder


class DocumentListing(NamedTuple):
    """A slice of sorted documents.

    Attributes:
        total: the number of all documents that pass.
        identifiers: the ids of the documents in the slice.
    """

    total: int
    identifiers: list[str]


def of(
    identifiers: Sequence[str],
    order: SortOrder,
    offset: int,
    limit: int,
    values: Callable[[FieldPath, Sequence[str]], Sequence[Any]],
) -> DocumentListing:
    """Sort documents and return a slice of them.

    Args:
        identifiers: the ids of all documents that pass, in any order.
        order: the order; ids in ascending order break ties.
        offset: the position at which the slice begins.
        limit: the maximum number of documents in the slice.
        values: returns the values of documents at a path, given their ids.
    """
    ranking = [(identifier, 0.0) for identifier in sorted(identifiers)]
    order.arrange(ranking, values)
    return DocumentListing(len(ranking), [identifier for identifier, _ in ranking[offset : offset + limit]])

"""A stretch of all documents that pass filters (DOC-1)."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from hybrid_search.doc_store_adapter.documents.field_path import FieldPath
from hybrid_search.doc_store_adapter.queries.sort_order import SortOrder


class DocumentListing(NamedTuple):
    """A stretch of documents.

    Attributes:
        total: how many there are in all.
        identifiers: the ids of those that are shown.
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
    """A stretch of some documents.

    Args:
        identifiers: the ids of all, in any order.
        order: what decides before ids do, ascending.
        offset: where the stretch begins.
        limit: how many are shown at the most.
        values: what documents have at a path, by their ids.
    """
    ranking = [(identifier, 0.0) for identifier in sorted(identifiers)]
    order.arrange(ranking, values)
    return DocumentListing(len(ranking), [identifier for identifier, _ in ranking[offset : offset + limit]])

"""Lists the documents of a collection in PostgreSQL, and reads only the documents shown (PG-5)."""

from collections.abc import Hashable, Mapping

import numpy as np

from hybrid_search.accelerated import postgres_masks
from hybrid_search.accelerated.posting import Mask, Slots
from hybrid_search.doc_store_adapter.documents.field_path import FieldPath
from hybrid_search.doc_store_adapter.filters.filters import Filters
from hybrid_search.doc_store_adapter.postgres.postgres_attributes import UnholdableError
from hybrid_search.doc_store_adapter.postgres.postgres_order import PostgresOrder
from hybrid_search.doc_store_adapter.postgres.postgres_tables import PostgresTables
from hybrid_search.doc_store_adapter.queries.sort_order import SortOrder

BY_ID = (FieldPath.of("id"), False)
MOST_PAGES = 16
"""The number of pages whose places are cached."""
MOST_ORDERS = 4
"""The number of listings by fields for which the numbers of all documents are cached."""


class PostgresListings:
    """Lists documents, in one state of a collection. Several threads may search at once.

    In the order of ids, the server continues after the last id of the previous page, along its index of ids. Any other
    order is computed once, for all documents. The resulting numbers of documents are cached.
    """

    def __init__(self) -> None:
        self._pages: tuple[tuple[Hashable, int, list[str]], ...] = ()
        self._orders: Mapping[Hashable, Slots] = {}

    def by_id(
        self, filters: Filters, mask: Mask | None, offset: int, limit: int, tables: PostgresTables
    ) -> dict[str, int]:
        """Return the ids and numbers of a slice in the order of ids.

        Args:
            filters: the filters that documents have to pass.
            mask: for each number whether its document passes; `None` if all do.
            offset: the number of documents before the slice.
            limit: the maximum number of documents in the slice.
            tables: the state.
        """
        place, last = self._nearest(filters.key, offset)
        among, values = postgres_masks.among(mask, tables)
        start = b"" if last is None else last.encode("utf-8") + b"\0"  # nothing is between a text and that
        rows = tables.listed(offset - place, limit, start, among, values)
        self._pages = (*self._pages[1 - MOST_PAGES :], (filters.key, offset, list(rows)))
        return rows

    def ordered(self, filters: Filters, mask: Mask | None, order: SortOrder, tables: PostgresTables) -> Slots | None:
        """Return the numbers of all documents that pass, in an order; `None` if the server cannot determine it."""
        key = (filters.key, tuple(order.criteria))
        if key not in self._orders:
            try:
                expression = PostgresOrder(order, tables.connection.statements)
            except UnholdableError:
                return None
            numbers = tables.ordered(expression, *postgres_masks.among(mask, tables))
            if numbers is None:
                return None
            self._orders = {
                **dict(list(self._orders.items())[1 - MOST_ORDERS :]),
                key: np.frombuffer(numbers, dtype=">i4"),
            }
        return self._orders[key]

    def _nearest(self, key: Hashable, offset: int) -> tuple[int, str | None]:
        """Return the last place, up to that of a slice, whose preceding id is known, and this id."""
        best: tuple[int, str | None] = (0, None)
        for filters, first, identifiers in self._pages:
            place = min(offset, first + len(identifiers))
            if filters == key and place > max(best[0], first):
                best = (place, identifiers[place - first - 1])
        return best


def is_by_id(order: SortOrder) -> bool:
    """Return whether the order is by ascending ids alone."""
    return not order.criteria or order.criteria[0] == BY_ID

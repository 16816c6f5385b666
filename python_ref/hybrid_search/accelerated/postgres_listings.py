"""Stretches of all documents of a collection in PostgreSQL, of which only what is shown is read (PG-5)."""

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
"""Of how many stretches is kept where they were."""
MOST_ORDERS = 4
"""Of how many listings by fields the numbers of all documents are kept."""


class PostgresListings:
    """Lists documents, in one state of a collection. Several threads may ask at once.

    In the order of ids the server goes on behind the last id of the page before, along its index of ids. Another order
    it makes once, for all documents; what it gives are their numbers, and these are kept.
    """

    def __init__(self) -> None:
        self._pages: tuple[tuple[Hashable, int, list[str]], ...] = ()
        self._orders: Mapping[Hashable, Slots] = {}

    def by_id(
        self, filters: Filters, mask: Mask | None, offset: int, limit: int, tables: PostgresTables
    ) -> dict[str, int]:
        """The ids and numbers of a stretch in the order of ids.

        Args:
            filters: what the documents have to pass.
            mask: for each number whether its document does, or none where all do.
            offset: where the stretch begins.
            limit: how many are shown at the most.
            tables: the state.
        """
        place, last = self._nearest(filters.key, offset)
        among, values = postgres_masks.among(mask, tables)
        start = b"" if last is None else last.encode("utf-8") + b"\0"  # nothing is between a text and that
        rows = tables.listed(offset - place, limit, start, among, values)
        self._pages = (*self._pages[1 - MOST_PAGES :], (filters.key, offset, list(rows)))
        return rows

    def ordered(self, filters: Filters, mask: Mask | None, order: SortOrder, tables: PostgresTables) -> Slots | None:
        """The numbers of all documents that pass, in an order; none where the server cannot tell it."""
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
        """The last place up to that of a stretch whose id before it is known, and this id."""
        best: tuple[int, str | None] = (0, None)
        for filters, first, identifiers in self._pages:
            place = min(offset, first + len(identifiers))
            if filters == key and place > max(best[0], first):
                best = (place, identifiers[place - first - 1])
        return best


def is_by_id(order: SortOrder) -> bool:
    """Whether ids alone decide, ascending."""
    return not order.criteria or order.criteria[0] == BY_ID

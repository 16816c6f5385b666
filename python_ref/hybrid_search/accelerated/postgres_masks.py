"""Finds the documents of a collection in PostgreSQL that pass filters, and caches the result (PG-2, PG-5)."""

from typing import Any

import numpy as np

from hybrid_search.accelerated.cached_masks import CachedMasks, accepted
from hybrid_search.accelerated.posting import Mask
from hybrid_search.doc_store_adapter.filters.filters import Filters
from hybrid_search.doc_store_adapter.postgres.postgres_attributes import UnholdableError
from hybrid_search.doc_store_adapter.postgres.postgres_filters import PostgresFilters
from hybrid_search.doc_store_adapter.postgres.postgres_tables import PostgresTables

MOST_LISTED = 1000
"""The maximum number of passing documents that are listed for the server; if there are more, it reads all."""


class PostgresMasks(CachedMasks):
    """Finds the documents that pass on the server, if it can decide."""

    def _made(self, filters: Filters, tables: PostgresTables) -> Mask | None:
        passing = _passing(filters, tables)
        if len(passing) == tables.count:
            return None
        mask = np.zeros(tables.numbers, dtype=np.uint8)
        mask[passing] = 1
        return mask


def among(mask: Mask | None, tables: PostgresTables) -> tuple[str, list[Any]]:
    """Return the statement that excludes documents that do not pass, empty if all do, and its parameters."""
    if mask is None:
        return "", []
    numbers = np.flatnonzero(mask)
    if len(numbers) == tables.count:
        return "", []
    if len(numbers) <= MOST_LISTED:
        return "among_numbers", [numbers.tolist()]
    return "among_marked", [np.packbits(mask, bitorder="little").tobytes()]


def _passing(filters: Filters, tables: PostgresTables) -> list[int]:
    """Return the numbers of the documents that pass."""
    try:
        statement = PostgresFilters(filters, tables.connection.statements)
    except UnholdableError:
        return accepted(filters, (row for rows in tables.all_documents() for row in rows))
    rows = tables.connection.rows_of(statement.text, statement.values)
    unclear = [number for number, is_unclear in rows if is_unclear]
    found = [number for number, is_unclear in rows if not is_unclear]
    return found + accepted(filters, tables.documents(unclear) if unclear else ())

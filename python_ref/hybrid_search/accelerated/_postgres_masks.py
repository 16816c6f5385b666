"""Which documents of a collection in PostgreSQL pass filters, remembered (PG-2, PG-5)."""

from collections.abc import Iterable

import numpy as np

from hybrid_search.accelerated._kept_masks import KeptMasks
from hybrid_search.accelerated._posting import Mask
from hybrid_search.doc_store_adapter._postgres_attributes import UnholdableError
from hybrid_search.doc_store_adapter._postgres_filters import PostgresFilters
from hybrid_search.doc_store_adapter._postgres_tables import DocumentRow, PostgresTables
from hybrid_search.doc_store_adapter.filters import Filters


class PostgresMasks(KeptMasks):
    """The server tells which documents pass, as far as it can."""

    def _made(self, filters: Filters, tables: PostgresTables) -> Mask:
        mask = np.zeros(tables.numbers, dtype=np.uint8)
        mask[_passing(filters, tables)] = 1
        return mask


def _passing(filters: Filters, tables: PostgresTables) -> list[int]:
    """The numbers of the documents that pass."""
    try:
        statement = PostgresFilters(filters, tables.connection.statements)
    except UnholdableError:
        return _accepted(filters, (row for rows in tables.all_documents() for row in rows))
    rows = tables.connection.rows_of(statement.text, statement.values)
    unclear = [number for number, is_unclear in rows if is_unclear]
    found = [number for number, is_unclear in rows if not is_unclear]
    return found + _accepted(filters, tables.documents(unclear) if unclear else ())


def _accepted(filters: Filters, rows: Iterable[DocumentRow]) -> list[int]:
    return [row.number for row in rows if filters.accepts(row.identifier, row.fields, dict.fromkeys(row.vector_fields))]

"""Finds the documents in the tables of a database that pass filters, and caches the result (DOC-2, SQL-5, PG-5)."""

from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from typing import Any, Self

import numpy as np

from hybrid_search.accelerated.filter_masks import MOST_FILTER_MASKS
from hybrid_search.accelerated.posting import Mask
from hybrid_search.doc_store_adapter.filters.filters import Filters
from hybrid_search.doc_store_adapter.tables.document_row import DocumentRow


class CachedMasks(ABC):
    """Masks of filters over the numbers of documents, in one state of the tables. Safe to use from several threads."""

    def __init__(self) -> None:
        self._masks: OrderedDict[Any, tuple[Filters, Mask | None]] = OrderedDict()

    def mask(self, filters: Filters, tables: Any) -> Mask | None:
        """Return for each number whether its document passes; `None` if all documents pass."""
        if filters.is_empty():
            return None
        known = self._masks.pop(filters.key, None)
        mask = self._made(filters, tables) if known is None else known[1]
        self._masks[filters.key] = (filters, mask)
        if len(self._masks) > MOST_FILTER_MASKS:
            self._masks.popitem(last=False)
        return mask

    @property
    def is_empty(self) -> bool:
        """Whether no masks are cached."""
        return not self._masks

    def after(self, touched: Sequence[int], rows: Sequence[DocumentRow], tables: Any) -> Self:
        """Return the masks of a later state.

        Args:
            touched: the numbers of the documents that have changed.
            rows: those among them that are stored; not needed without masks.
            tables: the later state.
        """
        later = type(self)()
        for key, (filters, before) in list(self._masks.items()):
            passing = accepted(filters, rows)
            if before is not None:
                mask = np.zeros(tables.numbers, dtype=np.uint8)
                mask[: len(before)] = before
                mask[list(touched)] = 0
                mask[passing] = 1
                later._masks[key] = (filters, mask)
            elif len(passing) == len(rows):
                later._masks[key] = (filters, None)
        return later

    @abstractmethod
    def _made(self, filters: Filters, tables: Any) -> Mask | None:
        """Return the mask of filters that are not empty; it may be `None` if all documents pass."""


def accepted(filters: Filters, rows: Iterable[DocumentRow]) -> list[int]:
    """Return the numbers of those documents that pass filters."""
    return [row.number for row in rows if filters.accepts(row.identifier, row.fields, dict.fromkeys(row.vector_fields))]

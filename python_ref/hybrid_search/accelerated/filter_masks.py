"""Finds the documents that pass filters, and caches the result (DOC-2)."""

from collections import OrderedDict
from typing import Any

import numpy as np

from hybrid_search.accelerated.document_table import DocumentTable
from hybrid_search.accelerated.posting import Mask
from hybrid_search.doc_store_adapter.filters.filters import Filters

MOST_FILTER_MASKS = 16


class FilterMasks:
    """Masks of filters over the slots of all views of one table, cached.

    The content of a slot never changes. The mask of older slots therefore remains valid when others are added. A mask
    does not show which documents were removed. Several threads may search at once.
    """

    def __init__(self) -> None:
        self._masks: OrderedDict[Any, Mask] = OrderedDict()

    def mask(self, filters: Filters, table: DocumentTable) -> Mask | None:
        """Return for each slot whether its document passes; `None` if all documents pass."""
        if filters.is_empty():
            return None
        if filters.identifiers is not None:
            return _mask_of_identifiers(filters, table)
        end = table.living.limit
        mask = self._masks.get(filters.key)
        if mask is None or len(mask) < end:
            known = 0 if mask is None else len(mask)
            fresh = np.array([_passes(slot, filters, table) for slot in range(known, end)], dtype=np.uint8)
            mask = fresh if mask is None else np.concatenate([mask, fresh])
        self._masks.pop(filters.key, None)
        self._masks[filters.key] = mask
        if len(self._masks) > MOST_FILTER_MASKS:
            self._masks.popitem(last=False)
        return mask[:end]


def _mask_of_identifiers(filters: Filters, table: DocumentTable) -> Mask:
    mask = np.zeros(table.living.limit, dtype=np.uint8)
    for identifier in filters.identifiers or ():
        slot = table.slot(identifier)
        if slot is not None:
            mask[slot] = _passes(slot, filters, table)
    return mask


def _passes(slot: int, filters: Filters, table: DocumentTable) -> bool:
    entry = table.entry_if_any(slot)
    return entry is not None and filters.accepts(entry.identifier, entry.fields, entry.vector_fields)

"""Which documents in the tables of a database pass filters, remembered (DOC-2, SQL-5, PG-5)."""

from abc import ABC, abstractmethod
from collections import OrderedDict
from typing import Any

from hybrid_search.accelerated.filter_masks import MOST_FILTER_MASKS
from hybrid_search.accelerated.posting import Mask
from hybrid_search.doc_store_adapter.filters.filters import Filters


class CachedMasks(ABC):
    """For filters a mask over the numbers of documents, in one state of the tables. Several threads may ask at once."""

    def __init__(self) -> None:
        self._masks: OrderedDict[Any, tuple[Filters, Mask | None]] = OrderedDict()

    def mask(self, filters: Filters, tables: Any) -> Mask | None:
        """For each number whether its document passes, or none when all do."""
        if filters.is_empty():
            return None
        known = self._masks.pop(filters.key, None)
        mask = self._made(filters, tables) if known is None else known[1]
        self._masks[filters.key] = (filters, mask)
        if len(self._masks) > MOST_FILTER_MASKS:
            self._masks.popitem(last=False)
        return mask

    @abstractmethod
    def _made(self, filters: Filters, tables: Any) -> Mask | None:
        """The mask of filters, of which there are some; it may be none when all documents pass."""

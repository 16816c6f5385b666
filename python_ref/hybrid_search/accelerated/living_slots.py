"""Records which documents count in one published state of a store, by slots (DOC-1)."""

from collections.abc import Sequence

import numpy as np

from hybrid_search.accelerated.posting import Mask


class LivingSlots:
    """The slots that contain a document; immutable.

    Documents are numbered by slots. Each slot is assigned once, in ascending order. The data at a slot never change. A
    reader therefore needs only this object to know which documents exist: slots from `limit` on belong to later
    changes, or to changes that were interrupted. A removed document keeps its slot.

    Attributes:
        limit: a number above all slots.
        count: the number of documents.
        mask: for each slot whether it contains a document; `None` if all do.
    """

    __slots__ = ("count", "limit", "mask")

    def __init__(self, limit: int = 0, count: int = 0, mask: Mask | None = None) -> None:
        self.limit = limit
        self.count = count
        self.mask = mask

    def holds(self, slot: int) -> bool:
        """Return whether a slot contains a document."""
        return slot < self.limit and (self.mask is None or self.mask[slot] == 1)

    @property
    def dead(self) -> int:
        """Return the number of slots without a document."""
        return self.limit - self.count

    def changed(self, removed: Sequence[int], first: int, added: int) -> "LivingSlots":
        """Return the slots after a change.

        Args:
            removed: the slots of removed documents.
            first: the first slot of the new documents; slots from `limit` up to it are empty.
            added: the number of new documents.
        """
        end = first + added
        count = self.count + added - len(removed)
        if self.mask is None and not removed and first == self.limit:
            return LivingSlots(end, count)
        mask = np.zeros(end, dtype=np.uint8)
        mask[: self.limit] = 1 if self.mask is None else self.mask
        mask[first:] = 1
        mask[list(removed)] = 0
        return LivingSlots(end, count, mask)

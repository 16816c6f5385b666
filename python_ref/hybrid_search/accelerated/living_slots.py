"""Which documents count in one state of a store: slots as they were when it was published (DOC-1)."""

from collections.abc import Sequence

import numpy as np

from hybrid_search.accelerated.posting import Mask


class LivingSlots:
    """The slots that hold a document; never changed.

    Documents are numbered by slots, which are given once and only grow. What is written at a slot stays there. So one
    who reads needs only this to tell what is there: slots from `limit` on are of later changes, or of changes that were
    interrupted, and a document that was removed keeps its slot.

    Attributes:
        limit: all slots are below.
        count: how many documents there are.
        mask: for each slot whether it holds a document, or none when all do.
    """

    __slots__ = ("count", "limit", "mask")

    def __init__(self, limit: int = 0, count: int = 0, mask: Mask | None = None) -> None:
        self.limit = limit
        self.count = count
        self.mask = mask

    def holds(self, slot: int) -> bool:
        """Whether a slot holds a document."""
        return slot < self.limit and (self.mask is None or self.mask[slot] == 1)

    @property
    def dead(self) -> int:
        """How many slots hold nothing that counts."""
        return self.limit - self.count

    def changed(self, removed: Sequence[int], first: int, added: int) -> "LivingSlots":
        """The slots after a change.

        Args:
            removed: slots of documents that are gone.
            first: the first slot of the new documents; those from `limit` up to it hold nothing.
            added: how many new documents there are.
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

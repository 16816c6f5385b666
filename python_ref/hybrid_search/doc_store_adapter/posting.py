"""The documents that hold a term or a phrase, and what it scores in them (DOC-3)."""

import numpy as np
import numpy.typing as npt

Slots = npt.NDArray[np.int64]
Scores = npt.NDArray[np.float64]
Mask = npt.NDArray[np.uint8]

COMMON = 16
MUCH_LONGER = 32


class Posting:
    """Slots and scores.

    Args:
        slots: the slots of the documents, ascending; at least one.
        scores: what it scores in each.
        all_slots: how many slots the index has.

    Attributes:
        lowest: the lowest score.
        highest: the highest score.
    """

    __slots__ = ("_all_scores", "_all_slots", "highest", "lowest", "scores", "slots")

    def __init__(self, slots: Slots, scores: Scores, all_slots: int) -> None:
        self.slots = slots
        self.scores = scores
        self.lowest = float(scores.min())
        self.highest = float(scores.max())
        self._all_slots = all_slots
        self._all_scores: Scores | None = None

    @property
    def is_common(self) -> bool:
        """Whether so many documents hold it that the scores of every slot are kept."""
        return len(self.slots) * COMMON > self._all_slots

    @property
    def size(self) -> int:
        """How many numbers are kept, in the end."""
        return len(self.slots) + (self._all_slots if self.is_common else 0)

    def scores_at(self, slots: Slots, room: Scores) -> Scores:
        """What it scores in documents that need not hold it, 0.0 where they do not.

        Args:
            slots: the documents.
            room: a number for each slot, 0.0 at all of `slots` and of its own; it comes back as it was.
        """
        found: Scores
        if self.is_common:
            if self._all_scores is None:
                self._all_scores = np.zeros(self._all_slots, dtype=np.float64)
                self._all_scores[self.slots] = self.scores
            found = self._all_scores[slots]
            return found
        if len(self.slots) < len(slots) * MUCH_LONGER:
            room[self.slots] = self.scores
            found = room[slots]
            room[self.slots] = 0.0
            return found
        places = self.slots.searchsorted(slots)
        np.minimum(places, len(self.slots) - 1, out=places)
        found = np.where(self.slots[places] == slots, self.scores[places], 0.0)
        return found

"""The documents that hold a term or a phrase, and what it scores in them (DOC-3)."""

import numpy as np
import numpy.typing as npt

Slots = npt.NDArray[np.int64]
Scores = npt.NDArray[np.float64]
Mask = npt.NDArray[np.uint8]

COMMON = 16
KEPT_BEST = 128


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

    __slots__ = ("_all_scores", "_all_slots", "_best", "highest", "lowest", "scores", "slots")

    def __init__(self, slots: Slots, scores: Scores, all_slots: int) -> None:
        self.slots = slots
        self.scores = scores
        self.lowest = float(scores.min())
        self.highest = float(scores.max())
        self._all_slots = all_slots
        self._all_scores: Scores | None = None
        self._best: Scores | None = None

    @property
    def is_common(self) -> bool:
        """Whether so many documents hold it that the scores of every slot are kept."""
        return len(self.slots) * COMMON > self._all_slots

    @property
    def size(self) -> int:
        """How many numbers are kept, in the end."""
        return len(self.slots) + (self._all_slots if self.is_common else 0)

    def all_scores(self) -> Scores:
        """The scores of every slot, 0.0 where it is not held; of common ones only."""
        if self._all_scores is None:
            self._all_scores = np.zeros(self._all_slots, dtype=np.float64)
            self._all_scores[self.slots] = self.scores
        return self._all_scores

    def nth_best(self, place: int) -> float:
        """The score that `place` documents reach or surpass; 0.0 if there are fewer, or for places beyond the kept."""
        if place > min(KEPT_BEST, len(self.slots)):
            return 0.0
        if self._best is None:
            kept = min(KEPT_BEST, len(self.slots))
            self._best = np.sort(np.partition(self.scores, len(self.scores) - kept)[len(self.scores) - kept :])[::-1]
        return float(self._best[place - 1])

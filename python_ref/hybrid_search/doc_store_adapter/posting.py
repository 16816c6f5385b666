"""The documents that hold a term or a phrase, and what it scores in them (DOC-3)."""

import numpy as np
import numpy.typing as npt

Slots = npt.NDArray[np.int64]
Scores = npt.NDArray[np.float64]
Estimates = npt.NDArray[np.float32]
Mask = npt.NDArray[np.uint8]

COMMON = 16


class Posting:
    """Slots and scores.

    Args:
        slots: the slots of the documents, ascending; at least one.
        scores: what it scores in each.
        all_slots: how many slots the index has.

    Attributes:
        all_slots: as given.
        lowest: the lowest score.
        highest: the highest score.
    """

    __slots__ = ("_all_scores", "_estimates", "all_slots", "highest", "lowest", "scores", "slots")

    def __init__(self, slots: Slots, scores: Scores, all_slots: int) -> None:
        self.slots = slots
        self.scores = scores
        self.lowest = float(scores.min())
        self.highest = float(scores.max())
        self.all_slots = all_slots
        self._estimates: Estimates | None = None
        self._all_scores: Scores | None = None

    @property
    def is_common(self) -> bool:
        """Whether so many documents hold it that the scores of every slot are kept."""
        return len(self.slots) * COMMON > self.all_slots

    @property
    def size(self) -> int:
        """How many numbers are kept, in the end."""
        return len(self.slots) + (2 * self.all_slots if self.is_common else 0)

    def add_estimates(self, totals: Estimates, factor: float) -> None:
        """Add `factor` times the scores to the totals of all slots, about; scores are at least 0 and below 1e30."""
        estimates = self._factored(self._estimated(), factor)
        if self.is_common:
            totals[: len(estimates)] += estimates
        else:
            np.add.at(totals, self.slots, estimates)

    def add_estimates_at(self, slots: Slots, totals: Estimates, factor: float) -> None:
        """The same for the totals of some slots only, all below `all_slots`; of common ones only."""
        totals += self._factored(self._estimated().take(slots), factor)

    def scores_at(self, slots: Slots) -> Scores:
        """The scores of some slots, ascending, 0.0 where it is not held."""
        if self.is_common and (not len(slots) or slots[-1] < self.all_slots):
            if self._all_scores is None:
                self._all_scores = self._of_all()
            return self._all_scores.take(slots)
        places = self.slots.searchsorted(slots)
        found = self.slots.take(places, mode="clip") == slots
        scores: Scores = self.scores.take(places, mode="clip")
        scores *= found
        return scores

    def _estimated(self) -> Estimates:
        """The scores in single precision: of common ones those of all slots."""
        if self._estimates is None:
            self._estimates = (self._of_all() if self.is_common else self.scores).astype(np.float32)
        return self._estimates

    @staticmethod
    def _factored(estimates: Estimates, factor: float) -> Estimates:
        return estimates if factor == 1.0 else estimates * np.float32(factor)

    def _of_all(self) -> Scores:
        scores = np.zeros(self.all_slots, dtype=np.float64)
        scores[self.slots] = self.scores
        return scores

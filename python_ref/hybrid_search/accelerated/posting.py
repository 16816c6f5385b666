"""The documents that contain a term or a phrase, and its scores in them (DOC-3)."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Slots = npt.NDArray[np.int64]
Scores = npt.NDArray[np.float64]
Estimates = npt.NDArray[np.float32]
Steps = npt.NDArray[np.uint16]
Mask = npt.NDArray[np.uint8]
Lengths = npt.NDArray[np.integer[Any]]

COMMON = 16
USUAL_FACTORS = (128.0, 16.0)


class Counts(NamedTuple):
    """The documents that contain a token or a phrase.

    Attributes:
        slots: their slots, ascending; at least one.
        frequencies: the frequency in each document.
        lengths: the number of tokens of the field of each.
    """

    slots: Slots
    frequencies: npt.NDArray[Any]
    lengths: Lengths


class Posting:
    """Slots and scores.

    Args:
        slots: the slots of the documents, ascending; at least one.
        scores: the score in each slot.
        all_slots: the number of slots of the index.

    Attributes:
        all_slots: as given.
        is_common: whether enough documents contain it to store the scores of every slot.
        size: the number of bytes of all arrays that have been computed.
    """

    __slots__ = (
        "_all_scores", "_estimates", "_highest", "_kept_steps", "_lowest", "_scores", "all_slots", "is_common", "size",
        "slots",
    )  # fmt: skip

    def __init__(self, slots: Slots, scores: Scores, all_slots: int) -> None:
        self.slots = slots
        self._scores: Scores | None = scores
        self.all_slots = all_slots
        self.is_common = len(slots) * COMMON > all_slots
        self.size: int = slots.nbytes + scores.nbytes
        self._lowest: float | None = None
        self._highest: float | None = None
        self._kept_steps: dict[float, Steps] = {}
        self._estimates: Estimates | None = None
        self._all_scores: Scores | None = None

    @property
    def scores(self) -> Scores:
        """The score in each slot."""
        if self._scores is None:
            self._scores = self._computed_scores()
            self.size += self._scores.nbytes
        return self._scores

    @property
    def lowest(self) -> float:
        """The lowest score."""
        if self._lowest is None:
            self._lowest = float(self.scores.min())
        return self._lowest

    @property
    def highest(self) -> float:
        """The highest score."""
        if self._highest is None:
            self._highest = float(self.scores.max())
        return self._highest

    def steps(self, factor: float) -> Steps:
        """Return `factor` times the scores, each rounded down to a whole number; for common tokens, those of all slots.

        Args:
            factor: at least 0. The products may be off by a few parts in 2^24 before they are rounded down.
        """
        steps = self._kept_steps.get(factor)
        if steps is not None:
            return steps
        if not self.is_common:
            steps = (self.scores * factor).astype(np.uint16)
        elif factor in USUAL_FACTORS:
            steps = np.zeros(self.all_slots, dtype=np.uint16)
            steps[self.slots] = (self.scores * factor).astype(np.uint16)
        else:
            if self._estimates is None:
                self._estimates = self._of_all().astype(np.float32)
                self.size += self._estimates.nbytes
            steps = (self._estimates * np.float32(factor)).astype(np.uint16)
        if factor in USUAL_FACTORS:
            self._kept_steps[factor] = steps
            self.size += steps.nbytes
        return steps

    def slack(self, _factor: float) -> int:
        """Return a number of steps; scores whose steps differ by as many have the order of their steps."""
        return 1

    def add_scores(self, sums: Scores, slots: Slots, boost: float) -> None:
        """Add `boost` times the scores of some slots, ascending, to their sums; 0 for documents without the term."""
        if self.is_common and (not len(slots) or slots[-1] < self.all_slots):
            scores = self._scores_of_all().take(slots)
            held = True
        else:
            places = self.slots.searchsorted(slots)
            scores = self.scores.take(places, None, None, "clip")
            held = self.slots.take(places, None, None, "clip") == slots
        if boost != 1.0:
            scores *= boost
        np.add(sums, scores, sums, where=held)

    def add_all_scores(self, sums: Scores, boost: float) -> None:
        """Add `boost` times the scores of all slots to their sums."""
        if not self.is_common:
            sums[self.slots] += self.scores if boost == 1.0 else self.scores * boost
            return
        part = sums[: self.all_slots]
        part += self._scores_of_all() if boost == 1.0 else self._scores_of_all() * boost

    def _computed_scores(self) -> Scores:
        raise NotImplementedError  # only a posting that begins without scores computes them

    def _scores_of_all(self) -> Scores:
        if self._all_scores is None:
            self._all_scores = self._of_all()
            self.size += self._all_scores.nbytes
        return self._all_scores

    def _of_all(self) -> Scores:
        scores = np.zeros(self.all_slots, dtype=np.float64)
        scores[self.slots] = self.scores
        return scores

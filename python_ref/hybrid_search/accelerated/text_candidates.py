"""Finds the documents that may be among the best for some clauses, by approximate sums (DOC-3)."""

import math
from collections.abc import Sequence

import numpy as np

from hybrid_search.accelerated.posting import USUAL_FACTORS, Mask, Posting, Slots, Steps

Matched = tuple[float, Posting]
"""The boost of a clause that matches somewhere, and its posting in its best fields."""

MOST_STEPS = 65_000
"""The maximum of a sum of steps, rounding included, so that none overflows."""
FEWEST_STEPS = 1024
FEWEST_GROUPS = 1024
GROUPS_PER_PLACE = 4
FEW = 8
SMALLEST = 1e-20
LARGEST = 1e30


class TextCandidates:
    """Adds up the scores of all documents in whole steps, rounded down, sixteen bits for each.

    The contribution of a clause is too low by less than one step, and never too high, unless its posting has more
    slack. If the steps of a document are below those of another one by at least the slack of all clauses, its score is
    therefore not higher.

    Args:
        totals: room for a number per slot.
    """

    def __init__(self, totals: Steps) -> None:
        self._totals = totals
        self._slack = 0

    def find(self, matched: Sequence[Matched], limit: int, counted: Mask | None) -> Slots | None:
        """Return the slots of documents that match, pass, and may be among the best `limit`; ascending.

        Args:
            matched: the clauses; at least one.
            limit: the maximum number of wanted documents, 1 or more.
            counted: for each slot whether its document may match; `None` if all may.

        Returns:
            `None` if steps do not decide: fewer than `limit` documents have enough of them, or a score is below 0 or
            beyond the range of steps.
        """
        totals = self._totals
        scale = None if limit > len(totals) else _scale(matched)
        if scale is None:
            return None
        totals.fill(0)
        self._add(matched, scale)
        self._slack = sum(posting.slack(boost * scale) for boost, posting in matched)  # whole numbers
        if counted is not None:
            np.multiply(totals, counted, out=totals)
        groups = max(FEWEST_GROUPS, GROUPS_PER_PLACE * limit)
        rows = len(totals) // groups
        table = totals[: rows * groups].reshape(rows, groups)
        highest = table.max(axis=0) if rows > 1 else totals
        if len(highest) < limit:
            return None
        least = int(np.partition(highest, len(highest) - limit)[len(highest) - limit]) - self._slack
        if least < 1:
            return None
        columns = (highest >= least).nonzero()[0]
        if rows <= 1 or len(columns) * FEW > groups:
            return (totals >= least).nonzero()[0]
        row, place = (table.take(columns, axis=1) >= least).nonzero()
        row *= groups
        row += columns.take(place)
        behind = (totals[rows * groups :] >= least).nonzero()[0]
        return np.concatenate((row, behind + rows * groups)) if len(behind) else row

    def fewest(self) -> int:
        """Return a number of documents of the last search that match and pass; there may be more."""
        return int(np.count_nonzero(self._totals))

    def beside(self, slot: int) -> tuple[int, Slots]:
        """Return the number of documents of the last search that score more than one, and those that may tie with it.

        Args:
            slot: the slot of this document.
        """
        own, slack = int(self._totals[slot]), self._slack
        near = (self._totals >= own - slack) & (self._totals <= own + slack)
        return int(np.count_nonzero(self._totals > own + slack)), near.nonzero()[0]

    def _add(self, matched: Sequence[Matched], scale: float) -> None:
        totals = self._totals
        slots, steps = [], []
        for boost, posting in matched:
            if posting.is_common:
                part = totals[: posting.all_slots]
                part += posting.steps(boost * scale)
            else:
                slots.append(posting.slots)
                steps.append(posting.steps(boost * scale))
        if slots:
            np.add.at(totals, np.concatenate(slots), np.concatenate(steps))


def _scale(matched: Sequence[Matched]) -> float | None:
    """Return the number of steps of a score of 1.0: the usual one, if this results in a suitable number of steps."""
    most = 0.0
    for boost, posting in matched:
        if posting.lowest < 0.0 or posting.highest >= LARGEST or boost >= LARGEST:
            return None
        most += boost * posting.highest
    for scale in USUAL_FACTORS:
        if FEWEST_STEPS <= most * scale < MOST_STEPS:
            return scale
    if not SMALLEST <= most < LARGEST:
        return None
    scale = math.ldexp(1.0, 15 - math.frexp(most)[1])
    if any(boost * scale >= LARGEST for boost, _ in matched):
        return None
    return scale

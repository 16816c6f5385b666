"""The scores of a token in an earlier state, updated where documents have changed (DOC-9, PG-5)."""

import math
import weakref
from collections.abc import Mapping, Sequence
from typing import NamedTuple, Self

import numpy as np

from hybrid_search.accelerated import field_parts
from hybrid_search.accelerated.field_parts import FieldPart
from hybrid_search.accelerated.posting import USUAL_FACTORS, Posting, Slots, Steps
from hybrid_search.doc_store_adapter.snapshot import bm25f

ROUNDING = 1e-9
"""The part of a score that may be lost by rounding, much more than ever is."""
FACTOR = USUAL_FACTORS[0]
"""The factor of steps. A score is below its idf, so it has less than 3,000 of them."""

Mark = weakref.ReferenceType[Slots]
"""The slots of a token in a field, which are recognised, but not cached."""


class Basis(NamedTuple):
    """What the scores of a token depend on in a state, besides the documents that contain it.

    Attributes:
        averages: field → mean length, of the fields of the token.
        idf: the weight of the token.
    """

    averages: Mapping[str, float]
    idf: float

    @classmethod
    def of(cls, parts: Sequence[FieldPart], idf: float) -> Self:
        """Return the basis of a state, given the fields of the token in it and its weight."""
        return cls({part.field: part.average for part in parts}, idf)

    def factors(self, parts: Sequence[FieldPart], idf: float) -> tuple[float, float]:
        """Return a lower and an upper bound of the factor by which a score has changed in another state, or 1.

        The share of an unchanged document in each field changes at most by the factor of the field's average, and its
        score at most by that of its shares, times that of the idf.

        Args:
            parts: the fields of the token in the other state.
            idf: the weight of the token in the other state.
        """
        weight = idf / self.idf
        factors = [weight * part.average / self.averages.get(part.field, part.average) for part in parts]
        return min([1.0, weight, *factors]) * (1.0 - ROUNDING), max([1.0, weight, *factors]) * (1.0 + ROUNDING)


class NearPosting(NamedTuple):
    """The slots of a token, with the steps of scores that differ little from those of the current state; immutable.

    Attributes:
        slots: the slots of the documents that contain the token, ascending.
        all_slots: the number of slots of the index when one of these documents was last changed.
        is_common: as for `Posting`.
        steps: the steps of the scores by `FACTOR`, in the form of `Posting.steps`.
        lowest: the lowest of the scores.
        highest: the highest of them.
        low: a lower bound of the factor by which a score has changed until the state of the basis, or 1.
        high: an upper bound of it, or 1.
        basis: what scores depend on in the state of the last change of these documents.
        marks: the slots of the documents in each field.
    """

    slots: Slots
    all_slots: int
    is_common: bool
    steps: Steps
    lowest: float
    highest: float
    low: float
    high: float
    basis: Basis
    marks: Sequence[Mark]

    @classmethod
    def of(cls, posting: Posting, parts: Sequence[FieldPart], idf: float) -> Self:
        """Return the posting of a state.

        Args:
            posting: a posting with exact scores.
            parts: the fields of the token.
            idf: the weight of the token.
        """
        form = posting.slots, posting.all_slots, posting.is_common, posting.steps(FACTOR)
        return cls(*form, posting.lowest, posting.highest, 1.0, 1.0, Basis.of(parts, idf), _marks(parts))

    @property
    def size(self) -> int:
        """The number of bytes of slots and steps."""
        return self.slots.nbytes + self.steps.nbytes

    def steps_by(self, factor: float) -> Steps:
        """Return the steps by another factor; `slack` states how near they are."""
        if factor == FACTOR:
            return self.steps
        steps: Steps = (self.steps * np.float32(factor / FACTOR)).astype(np.uint16)
        return steps

    def slack(self, factor: float, low: float, high: float) -> int:
        """Return the number of steps by which a score may differ from those that `steps_by` returns.

        Args:
            factor: as for `steps_by`.
            low: a lower bound of the factor by which scores have changed.
            high: an upper bound of it.
        """
        highest = factor * self.highest
        of_factor = 0 if factor == FACTOR else 1 + math.ceil(factor / FACTOR)
        return 1 + of_factor + math.ceil(highest * (1.0 - low)) + math.ceil(highest * (high - 1.0))

    def factors(self, parts: Sequence[FieldPart], idf: float) -> tuple[float, float]:
        """Return a lower and an upper bound of the factor by which scores have changed, or 1.

        Args:
            parts: the fields of the token in another state.
            idf: the weight of the token in that state.
        """
        low, high = self.basis.factors(parts, idf)
        return self.low * low, self.high * high

    def is_of(self, parts: Sequence[FieldPart]) -> bool:
        """Return whether the documents that contain a token are those of this posting, unchanged.

        Args:
            parts: the fields of the token.
        """
        return [id(mark()) for mark in self.marks] == [id(part.counts.slots) for part in parts]

    def after(self, touched: Slots, parts: Sequence[FieldPart], documents: int, all_slots: int) -> "NearPosting":
        """Return the posting after a change.

        Args:
            touched: the slots of the documents that have changed, ascending.
            parts: the fields of the token in the later state; at least one.
            documents: the number of documents.
            all_slots: the number of slots of the index.
        """
        places = self.slots.searchsorted(touched)
        there = self.slots.take(places, None, None, "clip") == touched
        held, totals = field_parts.totals_at(parts, touched)
        gone, own, slots = places[there], touched[held], self.slots
        if not np.array_equal(there, held):
            left = np.delete(slots, gone)
            places = left.searchsorted(own)
            slots = np.insert(left, places, own)
        idf = bm25f.idf(documents, len(slots))
        low, high = self.factors(parts, idf)
        scores = bm25f.score(1, idf, totals[held])
        lowest, highest = min([self.lowest, *scores.tolist()]), max([self.highest, *scores.tolist()])
        own_steps = (scores * FACTOR).astype(np.uint16)
        if self.is_common:
            steps = np.zeros(all_slots, dtype=np.uint16)
            steps[: len(self.steps)] = self.steps
            steps[self.slots[gone]] = 0
            steps[own] = own_steps
        elif slots is self.slots:
            steps = self.steps.copy()
            steps[gone] = own_steps
        else:
            steps = np.insert(np.delete(self.steps, gone), places, own_steps)
        form = slots, all_slots, self.is_common, steps
        return NearPosting(*form, lowest, highest, low, high, Basis.of(parts, idf), _marks(parts))


def _marks(parts: Sequence[FieldPart]) -> list[Mark]:
    return [weakref.ref(part.counts.slots) for part in parts]

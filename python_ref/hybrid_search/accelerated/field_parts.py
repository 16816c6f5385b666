"""The documents that contain a token in one of several fields, for sums over these fields (DOC-9)."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hybrid_search.accelerated.posting import COMMON, Counts, Scores, Slots
from hybrid_search.doc_store_adapter.snapshot import bm25f


class FieldPart(NamedTuple):
    """The documents that contain a token in a field.

    Attributes:
        field: the name of the field.
        weight: the weight of the field.
        counts: the documents.
        average: the mean length of the field.
    """

    field: str
    weight: float
    counts: Counts
    average: float

    def frequencies(self) -> Scores:
        """Return the field's share in the frequency of the token, in each of its documents."""
        found: Scores = bm25f.frequency(self.weight, self.counts.frequencies, self.counts.lengths, self.average)
        return found


def totals(parts: Sequence[FieldPart], all_slots: int) -> tuple[Slots, Scores]:
    """Return the slots in any of several fields, and their frequencies added up in the order of the fields.

    Args:
        parts: the fields; at least one.
        all_slots: the number of slots of the index.
    """
    if len(parts) == 1:
        return parts[0].counts.slots, parts[0].frequencies()
    count = sum(len(part.counts.slots) for part in parts)  # whole numbers
    if count * COMMON > all_slots:  # to go through all slots is cheaper than to sort
        held = np.zeros(all_slots, dtype=np.bool_)
        everywhere = np.zeros(all_slots, dtype=np.float64)
        for part in parts:
            held[part.counts.slots] = True
            everywhere[part.counts.slots] += part.frequencies()
        slots = held.nonzero()[0]
        return slots, everywhere[slots]
    slots = np.sort(np.concatenate([part.counts.slots for part in parts]))
    slots = slots[np.append(True, slots[1:] != slots[:-1])]  # np.unique would load numpy.ma
    found = np.zeros(len(slots), dtype=np.float64)
    for part in parts:
        found[slots.searchsorted(part.counts.slots)] += part.frequencies()
    return slots, found


def totals_at(parts: Sequence[FieldPart], slots: Slots) -> tuple[npt.NDArray[np.bool_], Scores]:
    """Return which of some documents contain the token, and their frequencies; 0.0 for the others."""
    found = np.zeros(len(slots), dtype=np.float64)
    held = np.zeros(len(slots), dtype=np.bool_)
    for part in parts:
        own, frequencies, lengths = part.counts
        places = own.searchsorted(slots)
        here = own.take(places, None, None, "clip") == slots
        counts, sizes = frequencies.take(places, None, None, "clip"), lengths.take(places, None, None, "clip")
        np.add(found, bm25f.frequency(part.weight, counts, sizes, part.average), found, where=here)
        held |= here
    return held, found

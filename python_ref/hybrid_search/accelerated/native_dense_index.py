"""Finds exact nearest neighbours by cosine (DOC-3, NUM-3) with the native kernels."""

import copy
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from hybrid_search.accelerated.living_slots import LivingSlots
from hybrid_search.accelerated.posting import Mask, Scores, Slots
from hybrid_search.base import kernels, numeric


class NativeDenseIndex:
    """The vectors of one field, in one state of a store: the interface and the guarantees of `FastDenseIndex`.

    The rows are in memory of the native package, which never moves them, so that a search needs no lock. A screen of
    whole steps selects the rows that can be among the best; they get the exact sum of NUM-2 (docs/native.md).

    Args:
        dimension: the number of components of a vector.
    """

    def __init__(self, dimension: int) -> None:
        self._rows: Any = kernels.native().Rows(dimension)
        self._used = 0
        self._row_of: dict[int, int] = {}
        self._living = LivingSlots()

    def changed(self, living: LivingSlots, added: Iterable[tuple[int, Sequence[float], float]]) -> "NativeDenseIndex":
        """Return the index after a change; the arguments are those of `FastDenseIndex.changed`."""
        index = copy.copy(self)
        for slot, vector, norm in added:
            index._rows.put(index._used, slot, list(vector), norm)
            index._row_of[slot] = index._used
            index._used += 1
        index._living = living
        return index

    def vector(self, slot: int) -> list[float] | None:
        """Return the vector of a document, or `None`."""
        row = self._row_of.get(slot)
        if row is None:
            return None
        components: list[float] = self._rows.vector(row)
        return components

    def best(
        self, vector: Sequence[float], limit: int, similarity: float | None, allowed: Mask | None
    ) -> tuple[Slots, Scores]:
        """Return the slots and cosines of the best `limit` documents with all ties of the last, in no order.

        Args:
            vector: the query.
            limit: the maximum number of wanted documents; 0 or more.
            similarity: the lowest cosine that counts, or `None`.
            allowed: for each slot whether it counts, or `None` if all do.
        """
        query = list(vector)
        norm = numeric.norm(query)
        slots, scores = self._rows.nearest(
            self._used, query, norm, min(limit, self._used), similarity, self._living.mask, allowed
        )
        return np.frombuffer(slots, dtype=np.int64), np.frombuffer(scores, dtype=np.float64)

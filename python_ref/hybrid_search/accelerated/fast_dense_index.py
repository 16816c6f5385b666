"""Exact nearest neighbours by cosine (DOC-3, NUM-3)."""

import copy
import math
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from hybrid_search.accelerated.living_slots import LivingSlots
from hybrid_search.accelerated.posting import Mask, Scores, Slots
from hybrid_search.accelerated.row_dots import RowDots

ROOM = 256
"""The number of rows for which room is reserved at first."""
SMALLEST_SCREENED = 1e-30
LARGEST_SCREENED = 1e30


class FastDenseIndex:
    """The vectors of one field, in one state of a store; its results never change.

    Rows are stored as float32 if that is exact, else as float64. A product with the whole matrix, in any order of
    summation, only selects the rows that need the exact sum of NUM-2. Its error is bounded, so no row of the result is
    missed.

    All states share the rows. A change writes after the rows that it found; only the state that `changed` returns reads
    there. An abandoned change leaves rows there, which the next one overwrites. Several threads may search at once.
    Only one change at a time may be made, each from the state of the last change that was not abandoned.

    Args:
        dimension: the number of components of a vector.
    """

    def __init__(self, dimension: int) -> None:
        self._dimension = dimension
        self._rows: npt.NDArray[np.floating] = np.empty((0, dimension), dtype=np.float32)
        self._slots: Slots = np.empty(0, dtype=np.int64)
        self._norms: Scores = np.empty(0, dtype=np.float64)
        self._used = 0
        self._is_sound = True
        self._row_of: dict[int, int] = {}
        self._living = LivingSlots()

    @classmethod
    def of(cls, dimension: int, rows: npt.NDArray[np.floating], slots: Slots, norms: Scores) -> "FastDenseIndex":
        """Return an index of vectors that are rows already; it cannot be changed.

        Args:
            dimension: the number of components of a vector.
            rows: the vectors, with 32 or 64 bits for each component.
            slots: the slot of each row's document; no two rows share a slot.
            norms: the norm of each row.
        """
        index = cls(dimension)
        index._rows, index._slots, index._norms, index._used = rows, slots, norms, len(slots)
        index._is_sound = bool(((norms > SMALLEST_SCREENED) & (norms < LARGEST_SCREENED)).all())
        return index

    def changed(self, living: LivingSlots, added: Iterable[tuple[int, Sequence[float], float]]) -> "FastDenseIndex":
        """Return the index after a change.

        Args:
            living: the slots that contain a document after the change.
            added: slot, vector and norm of new documents, in ascending slots that are higher than all before.
        """
        index = copy.copy(self)
        for slot, vector, norm in added:
            index._add(slot, vector, norm)
        index._living = living
        return index

    def vector(self, slot: int) -> list[float] | None:
        """Return the vector of a document, or `None`."""
        row = self._row_of.get(slot)
        if row is None:
            return None
        components: list[float] = self._rows[row].astype(np.float64).tolist()
        return components

    def best(
        self, vector: Sequence[float], limit: int, similarity: float | None, allowed: Mask | None
    ) -> tuple[Slots, Scores]:
        """Return the slots and cosines of the best `limit` documents with all ties of the last, in no order.

        Args:
            vector: the query.
            limit: the maximum number of wanted documents, 0 or more.
            similarity: the lowest cosine of a match, or `None`.
            allowed: for each slot whether its document may match; `None` if all may.
        """
        slots = self._slots[: self._used]
        query = np.array(vector, dtype=np.float64)
        query_norm = RowDots.norm_of(query)
        rows = self._worth(slots, allowed, query, query_norm, limit, similarity) if limit else slots[:0]
        scores = self._cosines(rows, query, query_norm)
        if similarity is not None:
            keep = scores >= similarity
            rows, scores = rows[keep], scores[keep]
        if len(rows) > limit:
            keep = scores >= np.partition(scores, len(scores) - limit)[len(scores) - limit]
            rows, scores = rows[keep], scores[keep]
        return slots[rows], scores

    def _add(self, slot: int, vector: Sequence[float], norm: float) -> None:
        row = np.array(vector, dtype=np.float64)
        if self._rows.dtype == np.float32 and not _fits_float32(row):
            self._rows = self._rows.astype(np.float64)
        if self._used == len(self._slots):
            self._grow()
        self._rows[self._used] = row
        self._slots[self._used] = slot
        self._norms[self._used] = norm
        self._is_sound = self._is_sound and _is_screened(norm)
        self._row_of[slot] = self._used
        self._used += 1

    def _grow(self) -> None:
        size = max(ROOM, 2 * self._used)
        rows = np.zeros((size, self._dimension), dtype=self._rows.dtype)
        rows[: self._used] = self._rows[: self._used]
        slots = np.full(size, -1, dtype=np.int64)
        slots[: self._used] = self._slots[: self._used]
        norms = np.zeros(size, dtype=np.float64)
        norms[: self._used] = self._norms[: self._used]
        self._rows, self._slots, self._norms = rows, slots, norms

    def _worth(
        self, slots: Slots, allowed: Mask | None, query: Scores, query_norm: float, limit: int, similarity: float | None
    ) -> Slots:
        """Return the rows that may be among the best."""
        if allowed is None and self._living.mask is None and self._is_sound and _is_screened(query_norm):
            estimates = self._products(query, query_norm) / self._norms[: self._used]
            return (estimates >= self._least(estimates, limit, similarity)).nonzero()[0]
        return self._screen(self._counted(slots, allowed), query, query_norm, limit, similarity)

    def _products(self, query: Scores, query_norm: float) -> Scores:
        """Return the approximate products of all rows with the unit vector of a query."""
        unit = (query / query_norm).astype(self._rows.dtype)
        products: Scores = (self._rows[: self._used] @ unit).astype(np.float64)  # recall only
        return products

    def _least(self, estimates: Scores, limit: int, similarity: float | None) -> float:
        """Return the lowest estimate of rows that may be among the best."""
        unit_roundoff = 2.0**-24 if self._rows.dtype == np.float32 else 2.0**-53
        margin = 4.0 * (self._dimension + 8) * unit_roundoff
        least = -math.inf if similarity is None else similarity - margin
        if len(estimates) > limit:
            nth = float(np.partition(estimates, len(estimates) - limit)[len(estimates) - limit])
            least = max(least, nth - 2.0 * margin)
        return least

    def _counted(self, slots: Slots, allowed: Mask | None) -> Slots:
        """Return the rows of documents that count."""
        living = self._living.mask
        if living is None:
            return np.arange(len(slots)) if allowed is None else np.flatnonzero(allowed.take(slots))
        return np.flatnonzero(living.take(slots) if allowed is None else living.take(slots) & allowed.take(slots))

    def _screen(self, rows: Slots, query: Scores, query_norm: float, limit: int, similarity: float | None) -> Slots:
        """Return the rows that may be among the best, or all of them if the bound does not hold."""
        if not _is_screened(query_norm):
            return rows
        norms = self._norms[rows]
        with np.errstate(all="ignore"):
            estimates = self._products(query, query_norm)[rows] / norms
        sound = (norms > SMALLEST_SCREENED) & (norms < LARGEST_SCREENED)
        worth = ~sound
        reachable = estimates[sound]
        worth[sound] = reachable >= self._least(reachable, limit, similarity)
        return rows[worth]

    def _cosines(self, rows: Slots, query: Scores, query_norm: float) -> Scores:
        if query_norm == 0.0:
            return np.zeros(len(rows), dtype=np.float64)
        products = RowDots.dots(self._rows.take(rows, axis=0), query)
        norms = self._norms[rows]
        cosines = np.zeros(len(rows), dtype=np.float64)
        usable = norms != 0.0
        cosines[usable] = products[usable] / (query_norm * norms[usable])
        return cosines


def _is_screened(norm: float) -> bool:
    return SMALLEST_SCREENED < norm < LARGEST_SCREENED


def _fits_float32(row: Scores) -> bool:
    with np.errstate(all="ignore"):
        return bool(np.array_equal(row.astype(np.float32).astype(np.float64), row))

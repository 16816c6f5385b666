"""Caches the vectors of one field of an index file that searches have read (SQL-5, DOC-3)."""

import copy
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hybrid_search.accelerated.fast_dense_index import FastDenseIndex
from hybrid_search.accelerated.posting import Mask, Scores, Slots
from hybrid_search.accelerated.touched_documents import MOST_TOUCHED
from hybrid_search.doc_store_adapter.sqlite import sqlite_schema as schema
from hybrid_search.doc_store_adapter.sqlite.sqlite_tables import SqliteTables
from hybrid_search.doc_store_adapter.tables import vector_sketch

SINGLE_ROUNDOFF = 2.0**-24
BYTES_OF_STEPS = 1
BYTES_OF_SKETCH = 4
BYTES_OF_COMPONENT = BYTES_OF_SKETCH + 8
BYTES_OF_VECTOR = 40
NORM_BYTES = 8
VECTORS_AT_ONCE = 1024
"""The number of sketches that become floats together, which then fit into the processor's cache."""
READ_AHEAD = 256
"""The number of further vectors that a question reads."""

Entries = Sequence[tuple[int, int]]
"""The keys of blocks of sketches, and the generation of the last change of each."""


class SketchPart(NamedTuple):
    """The sketches of a block.

    Attributes:
        entry: its key, and the generation of its last change.
        numbers: the numbers of the documents that have a vector in it.
        ratios: see `VectorSketch`.
        bounds: the maximum difference of an estimate from the cosine.
        steps: a row for each vector.
    """

    entry: tuple[int, int]
    numbers: Slots
    ratios: Scores
    bounds: Scores
    steps: npt.NDArray[np.int8]

    def estimates(self, unit: npt.NDArray[np.float32]) -> Scores:
        """Return the approximate cosine of each vector with a unit vector."""
        estimates: Scores = (self.steps.astype(np.float32) @ unit).astype(np.float64) * self.ratios  # recall only
        return estimates


def read_part(field: int, dimension: int, tables: SqliteTables, entry: tuple[int, int]) -> SketchPart:
    """Return the sketches of a block, without the places that have none."""
    found = tables.sketches(field, entry[0], dimension)
    if found is None:
        raise tables.damaged()
    steps = np.frombuffer(found.steps, dtype=np.int8).reshape(dimension, schema.VECTORS_IN_BLOCK)
    errors, ratios = (np.frombuffer(packed, dtype="<f8") for packed in (found.errors, found.ratios))
    there = errors != vector_sketch.ABSENT
    bounds = errors[there] + (1.0 + errors[there]) * vector_sketch.slack(dimension, SINGLE_ROUNDOFF)
    numbers = entry[0] * schema.VECTORS_IN_BLOCK + there.nonzero()[0]
    return SketchPart(entry, numbers, ratios[there], bounds, np.ascontiguousarray(steps.T)[there])


def vector_in(packed: bytes, dimension: int) -> tuple[float, npt.NDArray[np.floating]]:
    """Return the norm and the components of a vector in its stored form."""
    (norm,) = np.frombuffer(packed, "<f8", 1)
    form = "<f4" if len(packed) == NORM_BYTES + 4 * dimension else "<f8"
    return norm, np.frombuffer(packed, form, offset=NORM_BYTES)


def fitting(dimension: int, entries: Entries, memory: int) -> int | None:
    """Return the maximum number of bytes of a component so that the sketches of some blocks fit, or `None`.

    With `BYTES_OF_COMPONENT` there is room for vectors too, with `BYTES_OF_SKETCH` for sketches of floats, and with
    `BYTES_OF_STEPS` for sketches in their stored form. Vectors may take only half of the memory: they save much less
    time than floats do, for three times the bytes.
    """
    rooms = ((BYTES_OF_COMPONENT, memory // 2), (BYTES_OF_SKETCH, memory), (BYTES_OF_STEPS, memory))
    return next((size for size, room in rooms if bytes_needed(dimension, entries, size) <= room), None)


def bytes_needed(dimension: int, entries: Entries, component: int) -> int:
    """Return the size in bytes of the sketches of some blocks, if a component takes that many bytes."""
    return len(entries) * schema.VECTORS_IN_BLOCK * (component * dimension + BYTES_OF_VECTOR)


class KeptVectors:
    """The sketches of all vectors, and the vectors that a search has read.

    Consecutive states of a file share them: `after` only replaces changed documents by their vectors. The sketches of
    these remain, but are not used. Several threads may search at once: vectors that a search reads are written before
    they are marked as read.

    Args:
        field: the key of the field.
        dimension: the number of components.
        tables: the state of the file.
        entries: the blocks of sketches in this state.
        before: the cache of an earlier state; unchanged blocks are not read again.
        component: the number of bytes of a component, see `fitting`.

    Attributes:
        has_rows: whether vectors that a search has read are cached too.
        numbers: the number of each sketch's document, ascending.
        bounds: see `SketchPart`.
        size: the size in bytes.
    """

    def __init__(
        self,
        field: int,
        dimension: int,
        tables: SqliteTables,
        entries: Entries,
        before: "KeptVectors | None",
        component: int,
    ) -> None:
        known: dict[tuple[int, int], slice] = {}
        if before is not None:
            known = before._places if before._component == component else {}
        self.size = bytes_needed(dimension, entries, component)
        has_rows = component == BYTES_OF_COMPONENT
        self.has_rows: bool = has_rows
        self._component: int = component
        self._field, self._dimension = field, dimension
        self._places: dict[tuple[int, int], slice] = {}
        parts: list[SketchPart | slice] = [
            known[entry] if entry in known else read_part(field, dimension, tables, entry) for entry in entries
        ]
        sizes = [part.stop - part.start if isinstance(part, slice) else len(part.numbers) for part in parts]
        count = sum(sizes)  # whole numbers
        self.numbers: Slots = np.empty(count, dtype=np.int64)
        self.bounds: Scores = np.empty(count)
        self._ratios: Scores = np.empty(count)
        form = np.int8 if component == BYTES_OF_STEPS else np.float32
        self._steps: npt.NDArray[np.int8 | np.float32] = np.empty((count, dimension), dtype=form)
        rows = count if has_rows else 0
        self._rows: npt.NDArray[np.floating] = np.empty((rows, dimension), dtype=np.float64)
        self._whole: FastDenseIndex | None = None
        self._norms: Scores = np.empty(rows)
        self._is_read = np.zeros(rows, dtype=np.bool_)
        self._touched: frozenset[int] = frozenset()
        self._fresh: dict[int, tuple[float, list[float]]] = {}
        first = 0
        for entry, part, size in zip(entries, parts, sizes, strict=True):
            place = self._places[entry] = slice(first, first + size)
            first += size
            if isinstance(part, SketchPart):
                self.numbers[place], self._ratios[place], self.bounds[place] = part.numbers, part.ratios, part.bounds
                self._steps[place] = part.steps
                continue
            assert before is not None
            self._steps[place] = before._steps[part]
            columns = [(self.numbers, before.numbers), (self._ratios, before._ratios), (self.bounds, before.bounds)]
            if has_rows:
                columns += [(self._rows, before._rows), (self._norms, before._norms), (self._is_read, before._is_read)]
            for own, other in columns:
                own[place] = other[part]

    def estimates(self, unit: npt.NDArray[np.float32]) -> Scores:
        """Return the approximate cosine of each vector with a unit vector."""
        if self._component == BYTES_OF_STEPS:
            firsts = range(0, len(self.numbers), VECTORS_AT_ONCE)
            parts = [self._steps[first : first + VECTORS_AT_ONCE].astype(np.float32) @ unit for first in firsts]
            products = np.concatenate([np.empty(0, dtype=np.float32), *parts])
        else:
            products = self._steps @ unit
        estimates: Scores = products.astype(np.float64) * self._ratios  # recall only
        return estimates

    @property
    def count(self) -> int:
        """The number of vectors."""
        gone = np.isin(self.numbers, list(self._touched)) if self._touched else ()
        return len(self.numbers) - int(np.count_nonzero(gone)) + len(self._fresh)

    def after(self, touched: frozenset[int], tables: SqliteTables) -> "KeptVectors | None":
        """Return the cache of a later state, or `None` if most documents have changed, so that sketches are better.

        Args:
            touched: the numbers of the documents that have changed since this state.
            tables: the later state.
        """
        later = copy.copy(self)
        later._touched = self._touched | touched
        if len(later._touched) > MOST_TOUCHED:
            return None
        later._fresh = {number: held for number, held in self._fresh.items() if number not in touched}
        later._fresh.update(tables.vectors(self._field, sorted(touched), self._dimension))
        return later

    def sketched(self, allowed: Mask | None, tables: SqliteTables) -> Mask | None:
        """Return for each number whether its sketch counts: its document may match and has not changed."""
        if not self._touched:
            return allowed
        mask = np.ones(tables.numbers, dtype=np.uint8) if allowed is None else allowed.copy()
        mask[list(self._touched)] = 0
        return mask

    def numbers_at(self, places: Slots, allowed: Mask | None) -> Slots:
        """Return the numbers of the documents at some places, and of all that have changed."""
        return np.concatenate([self.numbers[places], np.array(self._fresh_numbers(allowed), dtype=np.int64)])

    def exact(self, places: Slots, tables: SqliteTables, allowed: Mask | None) -> FastDenseIndex:
        """Return an index of the vectors at some places, and of all documents that have changed.

        Vectors that have not been read are read.
        """
        self._read(places[~self._is_read[places]], tables)
        rows, slots, norms = self._rows.take(places, axis=0), self.numbers[places], self._norms[places]
        if self._fresh:
            own_rows, own_slots, own_norms = self._fresh_rows(allowed)
            rows, slots = np.concatenate([rows, own_rows]), np.concatenate([slots, own_slots])
            norms = np.concatenate([norms, own_norms])
        return FastDenseIndex.of(self._dimension, rows, slots, norms)

    def fresh(self, allowed: Mask | None) -> FastDenseIndex | None:
        """Return an index of the vectors of all documents that have changed, or `None` without any."""
        return FastDenseIndex.of(self._dimension, *self._fresh_rows(allowed)) if self._fresh else None

    def whole(self, tables: SqliteTables) -> FastDenseIndex | None:
        """Return an index of the vectors at all places, or `None` until they have been read.

        Each call reads some more, so that in the end no question needs sketches. The places of changed documents
        contain zeros, which must not count.
        """
        if self._whole is None:
            unread = self._unread()
            self._read(unread[:READ_AHEAD], tables)
            if len(unread) <= READ_AHEAD:
                self._whole = self._whole_index()
        return self._whole

    def _unread(self) -> Slots:
        """Return the places of vectors that have not been read, except those of changed documents."""
        unread = (~self._is_read).nonzero()[0]
        return unread[np.isin(self.numbers[unread], list(self._touched), invert=True)] if self._touched else unread

    def _whole_index(self) -> FastDenseIndex:
        """Return an index of all vectors; single floats are stored as such from now on.

        Vectors that are read for an earlier state from now on do not count here, as rows are no longer shared with it.
        """
        is_read = self._is_read.copy()
        unread = (~is_read).nonzero()[0]
        norms = self._norms.copy()
        with np.errstate(all="ignore"):
            rows: npt.NDArray[np.floating] = self._rows.astype(np.float32)
            is_single = (rows == self._rows).all(axis=1)
        is_single[unread] = True
        if not is_single.all():
            rows = self._rows.copy() if len(unread) else self._rows
        rows[unread], norms[unread] = 0.0, 0.0
        self._rows, self._is_read = rows, is_read
        return FastDenseIndex.of(self._dimension, rows, self.numbers, norms)

    def _read(self, places: Slots, tables: SqliteTables) -> None:
        """Read the vectors at some places."""
        if not len(places):
            return
        numbers = self.numbers[places].tolist()
        place_of = dict(zip(numbers, places.tolist(), strict=True))
        for number, packed in tables.packed_vectors(self._field, numbers, self._dimension):
            place = place_of.pop(number)
            self._norms[place], self._rows[place] = vector_in(packed, self._dimension)
            self._is_read[place] = True
        if place_of:
            raise tables.damaged()

    def _fresh_rows(self, allowed: Mask | None) -> tuple[Scores, Slots, Scores]:
        """Return the numbers, vectors and norms of changed documents that may match."""
        numbers = self._fresh_numbers(allowed)
        held = [self._fresh[number] for number in numbers]
        rows = np.array([vector for _, vector in held], dtype=np.float64).reshape(len(held), self._dimension)
        return rows, np.array(numbers, dtype=np.int64), np.array([norm for norm, _ in held], dtype=np.float64)

    def _fresh_numbers(self, allowed: Mask | None) -> list[int]:
        return [number for number in self._fresh if allowed is None or allowed[number]]

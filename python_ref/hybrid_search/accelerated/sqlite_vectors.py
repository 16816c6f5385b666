"""Finds the nearest vectors of an index file by their sketches, which are cached as long as they fit (SQL-5, DOC-3)."""

import math
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from hybrid_search.accelerated.fast_dense_index import FastDenseIndex
from hybrid_search.accelerated.kept_vectors import KeptVectors, SketchPart, fitting, read_part, vector_in
from hybrid_search.accelerated.posting import Mask, Scores, Slots
from hybrid_search.accelerated.row_dots import RowDots
from hybrid_search.doc_store_adapter.documents.stored_document import vector_dimension
from hybrid_search.doc_store_adapter.queries.match_exprs import DenseQuery
from hybrid_search.doc_store_adapter.sqlite.sqlite_tables import SqliteTables
from hybrid_search.doc_store_adapter.tables import vector_sketch
from hybrid_search.doc_store_adapter.tables.posting_tables import FieldRow

BYTES_AT_ONCE = 16 << 20


class SqliteVectors:
    """Finds the nearest documents in one state of a file.

    Sketches are read when a question needs them, and so are vectors. They are cached from state to state until they
    have changed.
    If both exceed half of the limit, only sketches are cached, as floats or in their stored form. If these exceed the
    limit too, they are read for each question, one block after the other.
    Several threads may search at once.

    Args:
        memory: the maximum number of cached bytes.
    """

    def __init__(self, memory: int) -> None:
        self._memory = memory
        self._kept: dict[str, tuple[KeptVectors, frozenset[int] | None]] = {}

    def after(self, touched: Iterable[int] | None) -> "SqliteVectors":
        """Return the object that finds the nearest documents in a later state.

        Args:
            touched: the numbers of the documents that have changed since; `None` if they are not known.
        """
        later = SqliteVectors(self._memory)
        for name, (kept, changed) in self._kept.items():
            both = None if touched is None or changed is None else changed.union(touched)
            later._kept[name] = (kept, both)
        return later

    def best(
        self, query: DenseQuery, row: FieldRow, tables: SqliteTables, allowed: Mask | None
    ) -> tuple[Slots, Scores]:
        """Return the numbers and cosines of documents, among them the best `topn` with all ties of the last."""
        counted = tables.numbers if allowed is None else int(np.count_nonzero(allowed))
        vector = np.array(query.vector, dtype=np.float64)
        norm = RowDots.norm_of(vector)
        if counted <= query.topn or not vector_sketch.is_sound(norm):
            numbers = np.arange(tables.numbers) if allowed is None else np.flatnonzero(allowed)
            return self._read(query, row, tables, numbers, row.documents if allowed is None else None)
        unit = (vector / norm).astype(np.float32)
        is_known = row.name in self._kept
        kept = self._kept_of(row, len(query.vector), tables)
        if kept is not None:
            if kept.count != row.documents:
                raise tables.damaged()
            whole = kept.whole(tables) if kept.has_rows and is_known else None
            if whole is not None:
                return _both(query, whole, kept.sketched(allowed, tables), kept.fresh(allowed))
            places = _worth(kept.numbers, kept.estimates(unit), kept.bounds, query, kept.sketched(allowed, tables))
            if kept.has_rows:
                return kept.exact(places, tables, allowed).best(query.vector, query.topn, query.similarity, None)
            numbers = kept.numbers_at(places, allowed)
            return self._read(query, row, tables, numbers, len(numbers))
        numbers, estimates, bounds = _estimates(unit, self._parts(row, len(unit), tables))
        if len(numbers) != row.documents:
            raise tables.damaged()
        numbers = numbers[_worth(numbers, estimates, bounds, query, allowed)]
        return self._read(query, row, tables, numbers, len(numbers))

    def _read(
        self, query: DenseQuery, row: FieldRow, tables: SqliteTables, numbers: Slots, expected: int | None
    ) -> tuple[Slots, Scores]:
        """Return the best of some documents by reading their vectors; a known number of vectors is checked."""
        dimension = vector_dimension("field", query.field)
        at_once = max(1, BYTES_AT_ONCE // (8 * dimension))
        vectors = 0
        found, cosines = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.float64)]
        for first in range(0, len(numbers), at_once):
            index, size = _exact(row.field, dimension, tables, numbers[first : first + at_once].tolist())
            vectors += size
            part = index.best(query.vector, query.topn, query.similarity, None)
            found.append(part[0])
            cosines.append(part[1])
        if expected is not None and vectors != expected:
            raise tables.damaged()
        return np.concatenate(found), np.concatenate(cosines)

    def _kept_of(self, row: FieldRow, dimension: int, tables: SqliteTables) -> KeptVectors | None:
        """Return the cache of a field, or `None` if it exceeds the limit."""
        known, changed = self._kept.get(row.name, (None, None))
        if known is not None and changed is not None:
            later = known.after(changed, tables) if changed else known
            if later is not None:
                self._kept = {**self._kept, row.name: (later, frozenset())}
                return later
        entries = tables.sketch_generations(row.field)
        component = fitting(dimension, entries, self._memory)
        if component is None:
            self._kept.pop(row.name, None)
            return None
        kept = KeptVectors(row.field, dimension, tables, entries, known, component)
        self._kept = {**self._others(row.name, kept.size), row.name: (kept, frozenset())}
        return kept

    def _parts(self, row: FieldRow, dimension: int, tables: SqliteTables) -> Iterator[SketchPart]:
        entries = tables.sketch_generations(row.field)
        return (read_part(row.field, dimension, tables, entry) for entry in entries)

    def _others(self, name: str, size: int) -> dict[str, tuple[KeptVectors, frozenset[int] | None]]:
        """Return the caches of other fields that still fit."""
        room = self._memory - size
        others = {}
        for other, (kept, changed) in self._kept.items():
            if other != name and kept.size <= room:
                others[other] = (kept, changed)
                room -= kept.size
        return others


def _both(
    query: DenseQuery, whole: FastDenseIndex, allowed: Mask | None, fresh: FastDenseIndex | None
) -> tuple[Slots, Scores]:
    """Return the best of unchanged vectors and of changed ones."""
    found = whole.best(query.vector, query.topn, query.similarity, allowed)
    if fresh is None:
        return found
    slots, scores = fresh.best(query.vector, query.topn, query.similarity, None)
    return np.concatenate([found[0], slots]), np.concatenate([found[1], scores])


def _estimates(unit: npt.NDArray[np.float32], parts: Iterator[SketchPart]) -> tuple[Slots, Scores, Scores]:
    """Return each vector's document number, its approximate cosine with a unit vector, and the bound of the error."""
    numbers, estimates, bounds = [np.empty(0, dtype=np.int64)], [np.empty(0)], [np.empty(0)]
    for part in parts:
        numbers.append(part.numbers)
        estimates.append(part.estimates(unit))
        bounds.append(part.bounds)
    return np.concatenate(numbers), np.concatenate(estimates), np.concatenate(bounds)


def _worth(numbers: Slots, estimates: Scores, bounds: Scores, query: DenseQuery, allowed: Mask | None) -> Slots:
    """Return the places of vectors that may be among the best."""
    if allowed is None:
        return _reaching(estimates, bounds, query.topn, query.similarity)
    counts = (allowed.take(numbers) != 0).nonzero()[0]
    places: Slots = counts[_reaching(estimates[counts], bounds[counts], query.topn, query.similarity)]
    return places


def _reaching(estimates: Scores, errors: Scores, limit: int, similarity: float | None) -> Slots:
    """Return the places of those that may be among the best `limit`.

    For every other place, `limit` documents are at least as near in their worst case as it is in its best.
    """
    least = -math.inf if similarity is None else similarity
    if len(estimates) > limit:
        lowest = estimates - errors
        least = max(least, float(np.partition(lowest, len(lowest) - limit)[len(lowest) - limit])) if limit else math.inf
    return (estimates + errors >= least).nonzero()[0]


def _exact(field: int, dimension: int, tables: SqliteTables, numbers: Sequence[int]) -> tuple[FastDenseIndex, int]:
    """Return an index of the vectors of some documents, and the number of these vectors."""
    found = list(tables.packed_vectors(field, numbers, dimension))
    slots = np.array([number for number, _ in found], dtype=np.int64)
    norms = np.empty(len(found), dtype=np.float64)
    rows = np.empty((len(found), dimension), dtype=np.float64)
    for place, (_, packed) in enumerate(found):
        norms[place], rows[place] = vector_in(packed, dimension)
    return FastDenseIndex.of(dimension, rows, slots, norms), len(found)

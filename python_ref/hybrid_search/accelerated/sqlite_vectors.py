"""Finds the nearest vectors of an index file by their sketches, which are kept as long as they fit (SQL-5, DOC-3)."""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hybrid_search.accelerated.fast_dense_index import FastDenseIndex
from hybrid_search.accelerated.posting import Mask, Scores, Slots
from hybrid_search.base import numeric
from hybrid_search.doc_store_adapter.documents.stored_document import vector_dimension
from hybrid_search.doc_store_adapter.queries.match_exprs import DenseQuery
from hybrid_search.doc_store_adapter.sqlite import sqlite_schema as schema
from hybrid_search.doc_store_adapter.sqlite.sqlite_tables import SqliteTables
from hybrid_search.doc_store_adapter.tables import vector_sketch
from hybrid_search.doc_store_adapter.tables.posting_tables import FieldRow

BYTES_AT_ONCE = 16 << 20
SINGLE_ROUNDOFF = 2.0**-24

Blocks = Sequence[tuple[int, int]]
"""Blocks, and when each was changed last."""


class _Block(NamedTuple):
    """The sketches of a block.

    Attributes:
        entry: its key, and when it was changed last.
        ratios: see `VectorSketch`.
        errors: likewise.
        steps: a row for each component.
    """

    entry: tuple[int, int]
    ratios: Scores
    errors: Scores
    steps: npt.NDArray[np.int8]


class SqliteVectors:
    """Finds the nearest documents in each state of a file.

    Sketches are read when a question needs them, and kept until blocks of them have changed. Where those of a field are
    more than may be kept, they are read for each question, one block after the other. Several threads may ask at once.

    Args:
        memory: how many bytes of them may be kept.
    """

    def __init__(self, memory: int) -> None:
        self._memory = memory
        self._kept: dict[str, list[_Block]] = {}

    def best(
        self, query: DenseQuery, row: FieldRow, tables: SqliteTables, allowed: Mask | None
    ) -> tuple[Slots, Scores]:
        """The numbers and cosines of documents, among them the best `topn` with all ties of the last, in no order."""
        dimension = vector_dimension("field", query.field)
        numbers, all_there = self._worth(query, row, dimension, tables, allowed)
        at_once = max(1, BYTES_AT_ONCE // (8 * dimension))
        vectors = 0
        found, cosines = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.float64)]
        for first in range(0, len(numbers), at_once):
            index, size = _exact(row.field, dimension, tables, numbers[first : first + at_once].tolist())
            vectors += size
            part = index.best(query.vector, query.topn, query.similarity, None)
            found.append(part[0])
            cosines.append(part[1])
        if vectors != len(numbers) if all_there else allowed is None and vectors != row.documents:
            raise tables.damaged()
        return np.concatenate(found), np.concatenate(cosines)

    def _worth(
        self, query: DenseQuery, row: FieldRow, dimension: int, tables: SqliteTables, allowed: Mask | None
    ) -> tuple[Slots, bool]:
        """The numbers of documents that may be among the best, ascending, and whether all of them have a vector."""
        counted = np.arange(tables.numbers) if allowed is None else np.flatnonzero(allowed)
        norm = numeric.norm(query.vector)
        if len(counted) <= query.topn or not vector_sketch.is_sound(norm):
            return counted, False
        unit = (np.array(query.vector, dtype=np.float64) / norm).astype(np.float32)
        numbers, estimates, errors = _estimates(unit, self._blocks(row, dimension, tables))
        if len(numbers) != row.documents:
            raise tables.damaged()
        if allowed is not None:
            counts = allowed.take(numbers) != 0
            numbers, estimates, errors = numbers[counts], estimates[counts], errors[counts]
        return numbers[_reaching(estimates, errors, query.topn, query.similarity)], True

    def _blocks(self, row: FieldRow, dimension: int, tables: SqliteTables) -> Iterator[_Block]:
        entries = tables.sketch_generations(row.field)
        known = {block.entry: block for block in self._kept.get(row.name, ())}
        if len(entries) * _block_size(dimension) > self._memory:
            self._kept.pop(row.name, None)
            return (_block(row.field, dimension, tables, entry) for entry in entries)
        blocks = [known.get(entry) or _block(row.field, dimension, tables, entry) for entry in entries]
        self._kept = {**self._others(row.name, len(blocks) * _block_size(dimension)), row.name: blocks}
        return iter(blocks)

    def _others(self, name: str, size: int) -> dict[str, list[_Block]]:
        """What is kept of other fields, as far as there is room."""
        room = self._memory - size
        others = {}
        for other, kept in self._kept.items():
            size = sum(block.steps.nbytes + 2 * block.errors.nbytes for block in kept)  # whole numbers
            if other != name and size <= room:
                others[other] = kept
                room -= size
        return others


def _block_size(dimension: int) -> int:
    return schema.VECTORS_IN_BLOCK * (dimension + 16)


def _block(field: int, dimension: int, tables: SqliteTables, entry: tuple[int, int]) -> _Block:
    found = tables.sketches(field, entry[0], dimension)
    if found is None:
        raise tables.damaged()
    steps = np.frombuffer(found.steps, dtype=np.int8).reshape(dimension, schema.VECTORS_IN_BLOCK)
    return _Block(entry, np.frombuffer(found.ratios, dtype="<f8"), np.frombuffer(found.errors, dtype="<f8"), steps)


def _estimates(unit: npt.NDArray[np.float32], blocks: Iterator[_Block]) -> tuple[Slots, Scores, Scores]:
    """Of each vector the number of its document, about what its cosine with a unit vector is, and within what bound."""
    numbers, estimates, errors = [np.empty(0, dtype=np.int64)], [np.empty(0)], [np.empty(0)]
    for block in blocks:
        there = block.errors != vector_sketch.ABSENT
        products = (unit @ block.steps.astype(np.float32)).astype(np.float64)  # recall only
        numbers.append(block.entry[0] * schema.VECTORS_IN_BLOCK + there.nonzero()[0])
        estimates.append((products * block.ratios)[there])
        errors.append(block.errors[there])
    bounds = np.concatenate(errors)
    bounds = bounds + (1.0 + bounds) * vector_sketch.slack(len(unit), SINGLE_ROUNDOFF)
    return np.concatenate(numbers), np.concatenate(estimates), bounds


def _reaching(estimates: Scores, errors: Scores, limit: int, similarity: float | None) -> Slots:
    """The places of those that may be among the best `limit`: `limit` others are at least as near as their worst."""
    least = -math.inf if similarity is None else similarity
    if len(estimates) > limit:
        lowest = estimates - errors
        least = max(least, float(np.partition(lowest, len(lowest) - limit)[len(lowest) - limit])) if limit else math.inf
    return (estimates + errors >= least).nonzero()[0]


def _exact(field: int, dimension: int, tables: SqliteTables, numbers: Sequence[int]) -> tuple[FastDenseIndex, int]:
    """An index of the vectors that some documents have, and the number of these vectors."""
    found: list[int] = []
    norms: list[float] = []
    rows = np.empty((len(numbers), dimension), dtype=np.float64)
    for number, (norm, vector) in tables.vectors(field, numbers, dimension):
        rows[len(found)] = vector
        found.append(number)
        norms.append(norm)
    index = FastDenseIndex.of(
        dimension, rows[: len(found)], np.array(found, dtype=np.int64), np.array(norms, dtype=np.float64)
    )
    return index, len(found)

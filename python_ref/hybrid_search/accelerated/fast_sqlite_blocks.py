"""Writes the vectors of an index file (SQL-1), fast: norms and sketches of many vectors are computed at once."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from hybrid_search.accelerated.row_dots import RowDots
from hybrid_search.doc_store_adapter.sqlite.sqlite_blocks import Measured, SqliteBlocks
from hybrid_search.doc_store_adapter.sqlite.sqlite_schema import VECTORS_IN_BLOCK
from hybrid_search.doc_store_adapter.tables import vector_sketch
from hybrid_search.doc_store_adapter.tables.vector_sketch import MOST_STEPS, WIDER, WIDER_BY, VectorSketch


class FastSqliteBlocks(SqliteBlocks):
    """Changes blocks as `SqliteBlocks` does."""

    def _measured(self, vectors: Mapping[int, Sequence[float]]) -> Iterator[tuple[int, Measured]]:
        numbers = list(vectors)
        for first in range(0, len(numbers), VECTORS_IN_BLOCK):
            some = numbers[first : first + VECTORS_IN_BLOCK]
            yield from zip(some, _measured([vectors[number] for number in some]), strict=True)


def _measured(vectors: Sequence[Sequence[float]]) -> Iterator[Measured]:
    """Return the norms and sketches of vectors, computed by the steps of `vector_sketch.of`."""
    matrix = np.array(vectors, dtype=np.float64)
    norms = RowDots.norms(matrix)
    sound = np.array([vector_sketch.is_sound(norm) for norm in norms.tolist()])
    rows = np.where(sound[:, np.newaxis], matrix, 1.0)
    lengths = np.maximum(rows.max(axis=1), -rows.min(axis=1)) / MOST_STEPS
    steps = np.floor(rows / lengths[:, np.newaxis] + 0.5)
    missed = RowDots.norms(rows - lengths[:, np.newaxis] * steps)
    packed = steps.astype(np.int8)
    for place, norm in enumerate(norms.tolist()):
        if sound[place]:
            length, rest = float(lengths[place]), float(missed[place])
            sketch = VectorSketch(length / norm, rest / norm * WIDER + WIDER_BY, packed[place].tobytes())
        else:
            sketch = vector_sketch.of(vectors[place], norm)
        yield norm, sketch

"""The vectors of an index file, kept as long as they fit (SQL-5, DOC-3)."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hybrid_search.accelerated._dense_index import DenseIndex
from hybrid_search.accelerated._posting import Mask, Scores, Slots
from hybrid_search.doc_store_adapter._match_exprs import DenseQuery
from hybrid_search.doc_store_adapter._posting_tables import FieldRow
from hybrid_search.doc_store_adapter._sqlite_tables import SqliteTables
from hybrid_search.doc_store_adapter._stored_document import vector_dimension

BYTES_AT_ONCE = 16 << 20

Blocks = Sequence[tuple[int, int, int]]
"""Blocks, when each was changed last, and how many bytes its components have."""


class _Rows(NamedTuple):
    """Vectors as rows.

    Attributes:
        blocks: the blocks they are of, each with the generation of its last change.
        ends: the row behind the last of each block.
        vectors: the rows.
        numbers: of each row its document.
        norms: of each row its norm.
    """

    blocks: Blocks
    ends: list[int]
    vectors: npt.NDArray[np.floating]
    numbers: Slots
    norms: Scores


class SqliteVectors:
    """Finds the nearest documents in each state of a file.

    _Rows are read when a question needs them, and kept until blocks of them have changed. Where those of a field are
    more than may be kept, they are read part by part for each question. Several threads may ask at once.

    Args:
        memory: how many bytes of them may be kept.
    """

    def __init__(self, memory: int) -> None:
        self._memory = memory
        self._kept: dict[str, _Rows] = {}

    def best(
        self, query: DenseQuery, row: FieldRow, tables: SqliteTables, allowed: Mask | None
    ) -> tuple[Slots, Scores]:
        """The numbers and cosines of documents, among them the best `topn` with all ties of the last, in no order."""
        dimension = vector_dimension("field", query.field)
        slots, scores = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.float64)]
        for rows in self._parts(row, dimension, tables):
            index = DenseIndex.of(dimension, rows.vectors, rows.numbers, rows.norms)
            found = index.best(query.vector, query.topn, query.similarity, allowed)
            slots.append(found[0])
            scores.append(found[1])
        return np.concatenate(slots), np.concatenate(scores)

    def _parts(self, row: FieldRow, dimension: int, tables: SqliteTables) -> Iterator[_Rows]:
        blocks = tables.vector_generations(row.field)
        known = self._kept.get(row.name)
        if known is not None and known.blocks == blocks:
            yield known
            return
        size = 16 * row.documents + sum(size for _, _, size in blocks)  # whole numbers
        if size > self._memory:
            self._kept.pop(row.name, None)
            per_part = max(1, len(blocks) * BYTES_AT_ONCE // size)
            for start in range(0, len(blocks), per_part):
                yield _rows(row.field, dimension, tables, blocks[start : start + per_part], None)
            return
        rows = _rows(row.field, dimension, tables, blocks, known)
        self._kept = {**self._others(row.name, rows), row.name: rows}
        yield rows

    def _others(self, name: str, rows: _Rows) -> dict[str, _Rows]:
        """What is kept of other fields, as far as there is room."""
        room = self._memory - rows.vectors.nbytes
        others = {}
        for other, kept in self._kept.items():
            if other != name and kept.vectors.nbytes <= room:
                others[other] = kept
                room -= kept.vectors.nbytes
        return others


def _rows(field: int, dimension: int, tables: SqliteTables, blocks: Blocks, known: _Rows | None) -> _Rows:
    """The rows of blocks; those that have not changed are taken from what is known."""
    starts = {} if known is None else {block: place for place, block in enumerate(known.blocks)}
    vectors: list[npt.NDArray[np.floating]] = [np.empty((0, dimension), dtype=np.float32)]
    numbers: list[Slots] = [np.empty(0, dtype=np.int64)]
    norms: list[Scores] = [np.empty(0, dtype=np.float64)]
    ends: list[int] = []
    for entry in blocks:
        place = starts.get(entry)
        if known is not None and place is not None:
            part = slice(known.ends[place - 1] if place else 0, known.ends[place])
            vectors.append(known.vectors[part])
            numbers.append(known.numbers[part])
            norms.append(known.norms[part])
        else:
            block = tables.vector_block(field, entry[0])
            if block is None:
                raise tables.damaged()
            numbers.append(np.frombuffer(block.numbers, dtype="<i4").astype(np.int64))
            norms.append(np.frombuffer(block.norms, dtype="<f8"))
            components = np.frombuffer(block.components, dtype=f"<f{block.width}")
            vectors.append(components.reshape(len(numbers[-1]), dimension))
        ends.append((ends[-1] if ends else 0) + len(numbers[-1]))
    return _Rows(list(blocks), ends, np.concatenate(vectors), np.concatenate(numbers), np.concatenate(norms))

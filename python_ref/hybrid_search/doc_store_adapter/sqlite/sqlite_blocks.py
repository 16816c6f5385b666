"""Writes the lengths of fields and the vectors of documents, in blocks of neighbouring numbers (SQL-1)."""

import struct
from collections.abc import Iterator, Mapping, Sequence

from hybrid_search.base import numeric
from hybrid_search.doc_store_adapter.documents.stored_document import vector_dimension
from hybrid_search.doc_store_adapter.sqlite import sqlite_schema as schema
from hybrid_search.doc_store_adapter.sqlite.sqlite_rows import SketchBlock
from hybrid_search.doc_store_adapter.sqlite.sqlite_tables import SqliteTables
from hybrid_search.doc_store_adapter.tables import blobs, row_checksum, vector_sketch
from hybrid_search.doc_store_adapter.tables.blobs import NO_LENGTH, NUMBER_BITS
from hybrid_search.doc_store_adapter.tables.vector_sketch import VectorSketch

Measured = tuple[float, VectorSketch]
"""The norm of a vector, and its sketch."""
NOTHING = (0.0, None)
"""The norm and the sketch of a missing vector."""


class SqliteBlocks:
    """Changes blocks, in a transaction.

    Args:
        tables: the tables in the view of the transaction.
    """

    def __init__(self, tables: SqliteTables) -> None:
        self._connection = tables.connection
        self._tables = tables

    def change_lengths(self, field: int, changes: Mapping[int, int | None]) -> int:
        """Write the numbers of tokens that documents have in a field; return the number of new blocks.

        Args:
            field: the key of the field.
            changes: number of a document → number of tokens, or `None` for a document without the field.
        """
        fresh = 0
        for block, numbers in _by_block(changes, blobs.LENGTHS_IN_BLOCK).items():
            known = self._tables.length_block(field, block)
            lengths = [NO_LENGTH] * blobs.LENGTHS_IN_BLOCK if known is None else list(blobs.unpack_lengths(known))
            for number in numbers:
                length = changes[number]
                lengths[number % blobs.LENGTHS_IN_BLOCK] = NO_LENGTH if length is None else length
            packed = blobs.pack_lengths(lengths)
            key = (field << NUMBER_BITS) + block
            checksum = row_checksum.of((key,), packed)
            if known is None:
                fresh += 1
                self._connection.run("INSERT INTO lengths VALUES (?, ?, ?)", key, packed, checksum)
            else:
                self._connection.run("REPLACE INTO lengths VALUES (?, ?, ?)", key, packed, checksum)
        return fresh

    def change_vectors(
        self, field: int, name: str, changes: Mapping[int, Sequence[float] | None], generation: int
    ) -> None:
        """Write vectors.

        Args:
            field: the key of the field.
            name: the name of the field.
            changes: number → the vector, or `None` for a document without the field.
            generation: the generation of the file after the change.
        """
        dimension = vector_dimension("field", name)
        measured = dict(self._measured({number: one for number, one in changes.items() if one is not None}))
        for number, vector in changes.items():
            self._write_vector((field << NUMBER_BITS) + number, vector, measured.get(number, NOTHING)[0])
        for block, numbers in _by_block(changes, schema.VECTORS_IN_BLOCK).items():
            known = self._tables.sketches(field, block, dimension)
            sketches = _Sketches(dimension, known)
            for number in numbers:
                sketches.put(number % schema.VECTORS_IN_BLOCK, measured.get(number, NOTHING)[1])
            self._write_sketches((field << NUMBER_BITS) + block, generation, sketches)

    def _measured(self, vectors: Mapping[int, Sequence[float]]) -> Iterator[tuple[int, Measured]]:
        """Yield the number of each vector with its norm and its sketch."""
        for number, vector in vectors.items():
            norm = numeric.norm(vector)
            yield number, (norm, vector_sketch.of(vector, norm))

    def _write_vector(self, key: int, vector: Sequence[float] | None, norm: float) -> None:
        if vector is None:
            self._connection.run("DELETE FROM vectors WHERE vector = ?", key)
            return
        width = "f" if blobs.fits_single(vector) else "d"
        content = struct.pack("<d", norm) + struct.pack(f"<{len(vector)}{width}", *vector)
        checksum = row_checksum.of((key,), content)
        self._connection.run("REPLACE INTO vectors VALUES (?, ?, ?)", key, content, checksum)

    def _write_sketches(self, key: int, generation: int, sketches: "_Sketches") -> None:
        if sketches.is_empty():
            self._connection.run("DELETE FROM sketches WHERE block = ?", key)
            return
        parts = sketches.parts()
        checksum = row_checksum.of((key, generation), *parts)
        self._connection.run("REPLACE INTO sketches VALUES (?, ?, ?, ?, ?, ?)", key, generation, *parts, checksum)


class _Sketches:
    """The sketches of a block.

    Args:
        dimension: the number of components of a vector.
        known: the stored sketches, if there are any.
    """

    def __init__(self, dimension: int, known: SketchBlock | None) -> None:
        self._size = schema.VECTORS_IN_BLOCK
        if known is None:
            self._ratios, self._errors = [0.0] * self._size, [vector_sketch.ABSENT] * self._size
            self._steps = bytearray(self._size * dimension)
        else:
            layout = f"<{self._size}d"
            self._ratios, self._errors = (
                list(struct.unpack(layout, packed)) for packed in (known.ratios, known.errors)
            )
            self._steps = bytearray(known.steps)

    def put(self, place: int, sketch: VectorSketch | None) -> None:
        """Set the sketch at a place; `None` removes it."""
        if sketch is None:
            sketch = VectorSketch(0.0, vector_sketch.ABSENT, bytes(len(self._steps) // self._size))
        self._ratios[place], self._errors[place], self._steps[place :: self._size] = sketch

    def is_empty(self) -> bool:
        """Return whether there is no sketch."""
        return set(self._errors) == {vector_sketch.ABSENT}

    def parts(self) -> tuple[bytes, bytes, bytes]:
        """Return the sketches in their stored form."""
        layout = f"<{self._size}d"
        return struct.pack(layout, *self._ratios), struct.pack(layout, *self._errors), bytes(self._steps)


def _by_block(numbers: Mapping[int, object], size: int) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for number in numbers:
        found.setdefault(number // size, []).append(number)
    return found

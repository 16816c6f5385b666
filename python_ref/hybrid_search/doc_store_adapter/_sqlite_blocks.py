"""Writes the lengths of fields and the vectors of documents, in blocks of neighbouring numbers (SQL-1)."""

import struct
from collections.abc import Mapping, Sequence
from zlib import crc32

from hybrid_search import _numeric as numeric
from hybrid_search.doc_store_adapter import _blobs as blobs
from hybrid_search.doc_store_adapter import _sqlite_schema as schema
from hybrid_search.doc_store_adapter._blobs import NO_LENGTH, NUMBER_BITS
from hybrid_search.doc_store_adapter._sqlite_connection import SqliteConnection
from hybrid_search.doc_store_adapter._sqlite_tables import SqliteTables, VectorBlock
from hybrid_search.doc_store_adapter._stored_document import vector_dimension

Rows = dict[int, tuple[float, Sequence[float]]]


class SqliteBlocks:
    """Changes blocks, in a transaction.

    Args:
        connection: one with an open transaction.
        tables: what it sees.
    """

    def __init__(self, connection: SqliteConnection, tables: SqliteTables) -> None:
        self._connection = connection
        self._tables = tables

    def change_lengths(self, field: int, changes: Mapping[int, int | None]) -> None:
        """Write down how many tokens documents have in a field.

        Args:
            field: its key.
            changes: number → how many, or none for a document without the field.
        """
        for block, numbers in _by_block(changes, blobs.LENGTHS_IN_BLOCK).items():
            known = self._tables.length_block(field, block)
            lengths = [NO_LENGTH] * blobs.LENGTHS_IN_BLOCK if known is None else list(blobs.unpack_lengths(known))
            for number in numbers:
                length = changes[number]
                lengths[number % blobs.LENGTHS_IN_BLOCK] = NO_LENGTH if length is None else length
            packed = blobs.pack_lengths(lengths)
            key = (field << NUMBER_BITS) + block
            self._connection.run("REPLACE INTO lengths VALUES (?, ?, ?)", key, packed, crc32(packed))

    def change_vectors(
        self, field: int, name: str, changes: Mapping[int, Sequence[float] | None], generation: int
    ) -> None:
        """Write down vectors.

        Args:
            field: its key.
            name: its name.
            changes: number → the vector, or none for a document without the field.
            generation: the one that the file then has.
        """
        dimension = vector_dimension("field", name)
        for block, numbers in _by_block(changes, schema.vectors_in_block(dimension)).items():
            known = self._tables.vector_block(field, block)
            rows = {} if known is None else _rows(known, dimension)
            for number in numbers:
                vector = changes[number]
                rows.pop(number, None)
                if vector is not None:
                    rows[number] = (numeric.norm(vector), vector)
            self._write_vectors((field << NUMBER_BITS) + block, rows, generation)

    def _write_vectors(self, key: int, rows: Rows, generation: int) -> None:
        if not rows:
            self._connection.run("DELETE FROM vectors WHERE block = ?", key)
            return
        ordered = sorted(rows)
        components = [component for number in ordered for component in rows[number][1]]
        width = 4 if blobs.fits_single(components) else 8
        parts = (
            struct.pack(f"<{len(ordered)}i", *ordered),
            struct.pack(f"<{len(ordered)}d", *(rows[number][0] for number in ordered)),
            struct.pack(f"<{len(components)}{'f' if width == 4 else 'd'}", *components),
        )
        checksum = crc32(b"".join(parts))
        self._connection.run(
            "REPLACE INTO vectors VALUES (?, ?, ?, ?, ?, ?, ?)", key, generation, *parts, width, checksum
        )


def _by_block(numbers: Mapping[int, object], size: int) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for number in numbers:
        found.setdefault(number // size, []).append(number)
    return found


def _rows(block: VectorBlock, dimension: int) -> Rows:
    count = len(block.numbers) // 4
    numbers = struct.unpack(f"<{count}i", block.numbers)
    norms = struct.unpack(f"<{count}d", block.norms)
    layout = f"<{dimension}{'f' if block.width == 4 else 'd'}"
    vectors = struct.iter_unpack(layout, block.components)
    return {number: (norm, vector) for number, norm, vector in zip(numbers, norms, vectors, strict=True)}

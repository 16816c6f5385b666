"""The documents that the last batches of an index file have touched (SQL-8)."""

from collections.abc import Sequence
from typing import NamedTuple

from hybrid_search.doc_store_adapter.sqlite import sqlite_schema as schema
from hybrid_search.doc_store_adapter.sqlite.sqlite_tables import SqliteTables
from hybrid_search.doc_store_adapter.tables import blobs, document_changes, row_checksum
from hybrid_search.doc_store_adapter.tables.document_row import DocumentRow

UNKNOWN = b""
"""The numbers of a batch that does not note its documents."""
IS_THERE = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'changes'"
IS_FREE = "SELECT 1 FROM free_numbers WHERE number = ?"
LATER = "SELECT generation, mark, numbers, checksum FROM changes WHERE generation >= ? ORDER BY generation"


class ChangesSince(NamedTuple):
    """The changes between two states of one file.

    Attributes:
        numbers: the numbers of the documents that have changed, ascending; `None` if they are not known, or too many.
    """

    numbers: list[int] | None


class SqliteChanges:
    """The table `changes`, in a transaction. A file that only earlier commits have written has no such table.

    Args:
        tables: the tables as the transaction sees them.
    """

    def __init__(self, tables: SqliteTables) -> None:
        self._tables = tables
        self._connection = tables.connection

    def add(self, numbers: Sequence[int]) -> None:
        """Write the row of the batch that has made the state of the tables, and remove the oldest rows.

        Args:
            numbers: the numbers of the documents that the batch has touched.
        """
        generation, mark = self._tables.generation, self._tables.whole.mark
        packed = blobs.pack_lengths(numbers) if len(numbers) <= document_changes.MOST_NOTED else UNKNOWN
        self._connection.run(schema.CHANGES)
        checksum = row_checksum.of((generation,), mark, packed)
        self._connection.run("REPLACE INTO changes VALUES (?, ?, ?, ?)", generation, mark, packed, checksum)
        self._connection.run("DELETE FROM changes WHERE generation <= ?", generation - document_changes.MOST_BATCHES)

    def clear(self) -> None:
        """Remove all rows, so that no state after this one follows from one before it."""
        self._connection.run(schema.CHANGES)
        self._connection.run("DELETE FROM changes")

    def mark(self) -> bytes | None:
        """Return the mark of the batch that has made the state of the tables, or `None` if it is not known."""
        rows = self._rows(self._tables.generation)
        return rows[0][1] if rows else None

    def since(self, generation: int, mark: bytes | None) -> ChangesSince | None:
        """Return the changes since a state, or `None` if the state of the tables does not follow from it.

        Args:
            generation: the generation of that state.
            mark: the mark of the batch that has made it, or `None` if it is not known.
        """
        rows = self._rows(generation)
        expected = list(range(generation, self._tables.generation + 1))
        if not expected or [row[0] for row in rows] != expected or rows[0][1] != mark:
            return None
        touched: set[int] = set()
        for _, _, packed in rows[1:]:
            touched.update(blobs.unpack_lengths(packed))
        is_known = UNKNOWN not in [packed for _, _, packed in rows[1:]]
        return ChangesSince(sorted(touched) if is_known and len(touched) <= document_changes.MOST_TOUCHED else None)

    def documents(self, numbers: Sequence[int]) -> list[DocumentRow]:
        """Return those of some changed documents that are stored; the numbers of all others must be free."""
        found = [DocumentRow(number, held[0]["id"], *held) for number, held in self._tables.fields_of(numbers)]
        missing = set(numbers).difference(row.number for row in found)
        if missing != {number for number in missing if self._connection.row(IS_FREE, number) is not None}:
            raise self._tables.damaged()
        return found

    def _rows(self, generation: int) -> list[tuple[int, bytes, bytes]]:
        """Return the generation, the mark and the numbers of each batch from a generation on."""
        if self._connection.row(IS_THERE) is None:
            return []
        found = []
        for own, mark, packed, checksum in self._connection.rows(LATER, generation):
            self._tables.check(checksum, (own,), mark, packed)
            found.append((own, mark, packed))
        return found

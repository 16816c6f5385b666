"""Converts an index file of the previous schema to this one, in a transaction (SQL-1)."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from hybrid_search.doc_store_adapter.sqlite import sqlite_packing
from hybrid_search.doc_store_adapter.sqlite import sqlite_schema as schema
from hybrid_search.doc_store_adapter.sqlite.sqlite_tables import SqliteTables
from hybrid_search.doc_store_adapter.tables import row_checksum

BEFORE = 3
"""The version of the schema that is converted: its texts and places are not packed."""
AT_ONCE = 1000
TEXTS = "SELECT number, content, checksum FROM earlier_texts WHERE number > ? ORDER BY number LIMIT ?"
TERMS = "SELECT term, field, token, documents, chunks, places, checksum FROM terms WHERE term > ? ORDER BY term LIMIT ?"
POSTINGS = "SELECT chunk, places, checksum FROM postings WHERE chunk > ? ORDER BY chunk LIMIT ?"


class SqliteConversion:
    """Packs texts and places, after checking each row.

    Args:
        tables: the tables as the transaction sees them.
    """

    def __init__(self, tables: SqliteTables) -> None:
        self._tables = tables
        self._connection = tables.connection

    def convert(self) -> None:
        """Convert the file, and write the new version into it."""
        self._connection.run("ALTER TABLE texts RENAME TO earlier_texts")
        for statement in schema.TABLES.split(";\n"):
            if "CREATE TABLE texts " in statement:
                self._connection.run(statement)
        self._each(TEXTS, "INSERT INTO texts (content, checksum, number) VALUES (?, ?, ?)", self._text)
        self._connection.run("DROP TABLE earlier_texts")
        self._each(TERMS, "UPDATE terms SET places = ?, checksum = ? WHERE term = ?", self._term)
        self._each(POSTINGS, "UPDATE postings SET places = ?, checksum = ? WHERE chunk = ?", self._chunk)
        self._tables.change_state()
        self._connection.run(f"PRAGMA user_version = {schema.VERSION}")

    def _each(self, asked: str, written: str, converted: Callable[..., tuple[bytes, int]]) -> None:
        for rows in self._rows(asked):
            self._connection.run_many(written, [(*converted(*row), row[0]) for row in rows])

    def _rows(self, statement: str) -> Iterator[Sequence[Sequence[Any]]]:
        last = -1
        while rows := self._connection.rows(statement, last, AT_ONCE):
            yield rows
            last = rows[-1][0]

    def _text(self, number: int, content: bytes, checksum: int) -> tuple[bytes, int]:
        try:
            packed = sqlite_packing.pack_text(self._tables.sound(content, checksum, number).decode("utf-8"))
        except UnicodeDecodeError:
            raise self._tables.damaged() from None
        return packed, row_checksum.of((number,), packed)

    def _term(
        self, _term: int, field: int, token: bytes, documents: int, chunks: int, places: bytes, checksum: int
    ) -> tuple[bytes, int]:
        self._tables.check(checksum, (field, documents, chunks), token, places)
        packed = sqlite_packing.pack_places(places)
        return packed, row_checksum.of((field, documents, chunks), token, packed)

    def _chunk(self, chunk: int, places: bytes, checksum: int) -> tuple[bytes, int]:
        packed = sqlite_packing.pack_places(self._tables.sound(places, checksum, chunk))
        return packed, row_checksum.of((chunk,), packed)

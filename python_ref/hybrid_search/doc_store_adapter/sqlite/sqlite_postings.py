"""Writes the terms of an index file and their places (SQL-1)."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from hybrid_search.doc_store_adapter.sqlite import sqlite_packing
from hybrid_search.doc_store_adapter.sqlite.sqlite_tables import SqliteTables
from hybrid_search.doc_store_adapter.tables import blobs, row_checksum
from hybrid_search.doc_store_adapter.tables.blobs import NUMBER_BITS, PLACE_BYTES
from hybrid_search.doc_store_adapter.tables.document_changes import FieldChange, TermChange

WITHIN = "SELECT chunk, places, checksum FROM postings WHERE chunk BETWEEN ? AND ? ORDER BY chunk"
HIGHEST = (1 << NUMBER_BITS) - 1
TermValues = tuple[int | bytes, ...]
"""The values of the columns of a term."""


class TermRow(NamedTuple):
    """The row of a term.

    Attributes:
        term: its key, or `None` for a term without a row.
        documents: the number of documents that contain it.
        chunks: the number of its chunks.
        places: the last places, packed.
    """

    term: int | None
    documents: int
    chunks: int
    places: bytes


class SqlitePostings:
    """Changes terms, in a transaction.

    The last places of a term are in its own row; if they become many, the first of them move to a chunk. The places of
    a document are never in two of these.

    Args:
        tables: the tables in the view of the transaction.
    """

    def __init__(self, tables: SqliteTables) -> None:
        self._connection = tables.connection
        self._tables = tables

    def change(self, field: int, changes: FieldChange) -> int:
        """Change terms of a field; return the increase of the number of terms.

        Args:
            field: the key of the field.
            changes: its documents are in ascending order of their numbers.
        """
        frequencies: Counter[int] = Counter()
        fresh, known = self._change(field, changes.terms(), frequencies)
        self._write(fresh, known)
        self._count(field, frequencies)
        return -frequencies[0]

    def _change(
        self, field: int, changes: Mapping[bytes, TermChange], frequencies: Counter[int]
    ) -> tuple[list[TermValues], list[TermValues]]:
        """Return the rows of terms without a row, and of those with one; count their documents."""
        fresh: list[TermValues] = []
        known: list[TermValues] = []
        for token, change in changes.items():
            term, documents, chunks, places = self._known(field, token)
            frequencies[documents] -= 1
            frequencies[documents + change.documents] += 1
            if term is None and len(change.added) > 2 * blobs.PLACES_IN_CHUNK:
                term = self._new_term(field, token)
            places, chunks = self._changed(term, chunks, places, change)
            documents += change.documents
            checksum = row_checksum.of((field, documents, chunks), token, places)
            if term is None:
                fresh.append((field, token, documents, chunks, places, checksum))
            else:
                known.append((documents, chunks, places, checksum, term))
        return fresh, known

    def _write(self, fresh: Iterable[TermValues], known: Iterable[TermValues]) -> None:
        """Write the rows of terms without a row, and of those with one."""
        self._connection.run_many(
            "INSERT INTO terms (field, token, documents, chunks, places, checksum) VALUES (?, ?, ?, ?, ?, ?)", fresh
        )
        self._connection.run_many(
            "UPDATE terms SET documents = ?, chunks = ?, places = ?, checksum = ? WHERE term = ?",
            [row for row in known if row[0]],
        )
        self._connection.run_many("DELETE FROM terms WHERE term = ?", [row[-1:] for row in known if not row[0]])

    def _known(self, field: int, token: bytes) -> TermRow:
        row = self._connection.row(
            "SELECT term, documents, chunks, places, checksum FROM terms WHERE field = ? AND token = ?", field, token
        )
        if row is None:
            return TermRow(None, 0, 0, b"")
        term, documents, chunks, places, checksum = row
        self._tables.check(checksum, (field, documents, chunks), token, places)
        self._tables.check_term(term)
        return TermRow(term, documents, chunks, places)

    def _new_term(self, field: int, token: bytes) -> int:
        return self._connection.insert(
            "INSERT INTO terms (field, token, documents, chunks, places, checksum) VALUES (?, ?, 0, 0, x'', 0)",
            field,
            token,
        )

    def _changed(self, term: int | None, chunks: int, packed: bytes, change: TermChange) -> tuple[bytes, int]:
        """Return the new places in a term's row, and the new number of chunks."""
        removed, added = change.removed, change.added
        last = self._tables.unpacked_places([packed])
        if chunks:
            first = blobs.first_number(last)
            numbers = {number for number in removed if number < first}
            numbers.update(place >> NUMBER_BITS for place in added if place >> NUMBER_BITS < first)
            if numbers:
                assert term is not None
                chunks += self._change_chunks(term, sorted(numbers), first, change)
                removed = removed - numbers
                added = [place for place in added if place >> NUMBER_BITS >= first]
        last = blobs.merged(last, removed, added)
        while not last and chunks:
            assert term is not None
            chunk, last = self._chunk(term, HIGHEST)
            self._connection.run("DELETE FROM postings WHERE chunk = ?", chunk)
            chunks -= 1
        if len(last) > 2 * blobs.PLACES_IN_CHUNK * PLACE_BYTES:
            assert term is not None
            *full, last = blobs.pieces(last)
            self._write_chunks(term, full)
            chunks += len(full)
        return sqlite_packing.pack_places(last), chunks

    def _change_chunks(self, term: int, numbers: Sequence[int], end: int, change: TermChange) -> int:
        """Change the places of some documents in the chunks; return the increase of the number of chunks."""
        more = 0
        start = 0
        while start < len(numbers):
            chunk, places = self._chunk(term, numbers[start])
            following = self._connection.row(
                "SELECT chunk FROM postings WHERE chunk > ? AND chunk <= ? ORDER BY chunk LIMIT 1",
                chunk,
                (term << NUMBER_BITS) + HIGHEST,
            )
            limit = end if following is None else following[0] & HIGHEST
            here = {number for number in numbers[start:] if number < limit}
            added = [place for place in change.added if place >> NUMBER_BITS in here]
            full = [piece for piece in blobs.pieces(blobs.merged(places, change.removed & here, added)) if piece]
            self._connection.run("DELETE FROM postings WHERE chunk = ?", chunk)
            self._write_chunks(term, full)
            more += len(full) - 1
            start += len(here)
        return more

    def _chunk(self, term: int, number: int) -> tuple[int, bytes]:
        """Return the chunk that contains, or would contain, the places of a document."""
        low = term << NUMBER_BITS
        row = self._connection.row(f"{WITHIN} DESC LIMIT 1", low, low + number)
        row = row or self._connection.row(f"{WITHIN} LIMIT 1", low, low + HIGHEST)
        if row is None:
            raise self._tables.damaged()
        chunk, places, checksum = row
        return chunk, self._tables.unpacked_places([self._tables.sound(places, checksum, chunk)])

    def _write_chunks(self, term: int, places: Iterable[bytes]) -> None:
        self._connection.run_many(
            "INSERT INTO postings VALUES (?, ?, ?)",
            [self._chunk_row((term << NUMBER_BITS) + blobs.first_number(piece), piece) for piece in places],
        )

    @staticmethod
    def _chunk_row(key: int, places: bytes) -> tuple[int, bytes, int]:
        packed = sqlite_packing.pack_places(places)
        return key, packed, row_checksum.of((key,), packed)

    def _count(self, field: int, frequencies: Mapping[int, int]) -> None:
        changes = {documents: count for documents, count in sorted(frequencies.items()) if count}
        changes.pop(0, None)
        before = self._tables.frequencies_of(field, list(changes))
        terms = {documents: before.get(documents, 0) + count for documents, count in changes.items()}
        self._connection.run_many(
            "REPLACE INTO frequencies VALUES (?, ?, ?, ?)",
            [(field, *row, row_checksum.of((field, *row))) for row in terms.items() if row[1]],
        )
        self._connection.run_many(
            "DELETE FROM frequencies WHERE field = ? AND documents = ?",
            [(field, documents) for documents, count in terms.items() if not count],
        )

"""Writes the terms of an index file and where they stand (SQL-1)."""

import struct
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from zlib import crc32

from hybrid_search.doc_store_adapter._sqlite_connection import SqliteConnection
from hybrid_search.doc_store_adapter._sqlite_schema import NUMBER_BITS, PLACES_IN_CHUNK
from hybrid_search.doc_store_adapter._sqlite_tables import SqliteTables

PLACE_BYTES = 8
WITHIN = "SELECT chunk, places, checksum FROM postings WHERE chunk BETWEEN ? AND ? ORDER BY chunk"
HIGHEST = (1 << NUMBER_BITS) - 1


class TermChange:
    """What happens to a term.

    Attributes:
        removed: the numbers of documents whose places go.
        added: new places, ascending.
        documents: how many documents more, or fewer, hold it.
    """

    __slots__ = ("added", "documents", "removed")

    def __init__(self) -> None:
        self.removed: set[int] = set()
        self.added: list[int] = []
        self.documents = 0


class SqlitePostings:
    """Changes terms, in a transaction.

    The last places of a term are in its own row; where they become many, the first of them go to a chunk. The places of
    a document are never in two of these.

    Args:
        connection: one with an open transaction.
        tables: what it sees.
    """

    def __init__(self, connection: SqliteConnection, tables: SqliteTables) -> None:
        self._connection = connection
        self._tables = tables

    def change(self, field: int, changes: Mapping[bytes, TermChange]) -> None:
        """Change terms of a field.

        Args:
            field: its key.
            changes: token → what happens to it; documents are in ascending order of their numbers.
        """
        frequencies: Counter[int] = Counter()
        fresh = []
        known = []
        for token, change in changes.items():
            row = self._connection.row(
                "SELECT term, documents, chunks, places, checksum FROM terms WHERE field = ? AND token = ?",
                field,
                token,
            )
            term, documents, chunks, places, checksum = row or (None, 0, 0, b"", 0)
            places = self._tables.sound(places, checksum)
            frequencies[documents] -= 1
            frequencies[documents + change.documents] += 1
            if term is None and len(change.added) > 2 * PLACES_IN_CHUNK:
                term = self._new_term(field, token)
            places, chunks = self._changed(term, chunks, places, change)
            values = (documents + change.documents, chunks, places, crc32(places))
            if term is None:
                fresh.append((field, token, *values))
            else:
                known.append((*values, term))
        self._connection.run_many(
            "INSERT INTO terms (field, token, documents, chunks, places, checksum) VALUES (?, ?, ?, ?, ?, ?)", fresh
        )
        self._connection.run_many(
            "UPDATE terms SET documents = ?, chunks = ?, places = ?, checksum = ? WHERE term = ?",
            [row for row in known if row[0]],
        )
        self._connection.run_many("DELETE FROM terms WHERE term = ?", [row[-1:] for row in known if not row[0]])
        self._count(field, frequencies)

    def _new_term(self, field: int, token: bytes) -> int:
        return self._connection.insert(
            "INSERT INTO terms (field, token, documents, chunks, places, checksum) VALUES (?, ?, 0, 0, x'', 0)",
            field,
            token,
        )

    def _changed(self, term: int | None, chunks: int, last: bytes, change: TermChange) -> tuple[bytes, int]:
        """The places that then are in a term's row, and how many chunks there are."""
        removed, added = change.removed, change.added
        if chunks:
            first = first_number(last)
            numbers = {number for number in removed if number < first}
            numbers.update(place >> NUMBER_BITS for place in added if place >> NUMBER_BITS < first)
            if numbers:
                assert term is not None
                chunks += self._change_chunks(term, sorted(numbers), first, change)
                removed = removed - numbers
                added = [place for place in added if place >> NUMBER_BITS >= first]
        last = merged(last, removed, added)
        while not last and chunks:
            assert term is not None
            chunk, last = self._chunk(term, HIGHEST)
            self._connection.run("DELETE FROM postings WHERE chunk = ?", chunk)
            chunks -= 1
        if len(last) > 2 * PLACES_IN_CHUNK * PLACE_BYTES:
            assert term is not None
            *full, last = pieces(last)
            self._write_chunks(term, full)
            chunks += len(full)
        return last, chunks

    def _change_chunks(self, term: int, numbers: Sequence[int], end: int, change: TermChange) -> int:
        """Change the places of some documents in the chunks; gives how many chunks more there are."""
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
            full = [piece for piece in pieces(merged(places, change.removed & here, added)) if piece]
            self._connection.run("DELETE FROM postings WHERE chunk = ?", chunk)
            self._write_chunks(term, full)
            more += len(full) - 1
            start += len(here)
        return more

    def _chunk(self, term: int, number: int) -> tuple[int, bytes]:
        """The chunk in which a document's places are, or should be."""
        low = term << NUMBER_BITS
        row = self._connection.row(f"{WITHIN} DESC LIMIT 1", low, low + number)
        row = row or self._connection.row(f"{WITHIN} LIMIT 1", low, low + HIGHEST)
        if row is None:
            raise self._tables.damaged()
        chunk, places, checksum = row
        return chunk, self._tables.sound(places, checksum)

    def _write_chunks(self, term: int, places: Iterable[bytes]) -> None:
        self._connection.run_many(
            "INSERT INTO postings VALUES (?, ?, ?)",
            [((term << NUMBER_BITS) + first_number(piece), piece, crc32(piece)) for piece in places],
        )

    def _count(self, field: int, frequencies: Mapping[int, int]) -> None:
        changed = [(field, documents, count) for documents, count in frequencies.items() if documents and count]
        self._connection.run_many(
            "INSERT INTO frequencies VALUES (?, ?, ?) "
            "ON CONFLICT (field, documents) DO UPDATE SET terms = terms + excluded.terms",
            changed,
        )
        self._connection.run_many(
            "DELETE FROM frequencies WHERE field = ? AND documents = ? AND terms = 0", [row[:2] for row in changed]
        )


def unpack(places: bytes) -> tuple[int, ...]:
    """The places that are in a blob."""
    return struct.unpack(f"<{len(places) // PLACE_BYTES}q", places)


def first_number(places: bytes) -> int:
    """The number of the first document in a blob."""
    return unpack(places[:PLACE_BYTES])[0] >> NUMBER_BITS


def pack(places: Sequence[int]) -> bytes:
    """Places as a blob."""
    return struct.pack(f"<{len(places)}q", *places)


def merged(places: bytes, removed: set[int], added: Sequence[int]) -> bytes:
    """Places without those of some documents, and with others."""
    if not removed and (not places or not added or unpack(places[-PLACE_BYTES:])[0] < added[0]):
        return places + pack(added)
    kept = [place for place in unpack(places) if place >> NUMBER_BITS not in removed]
    return pack(sorted([*kept, *added]))


def pieces(places: bytes) -> list[bytes]:
    """Places cut into pieces, each of a few more than a chunk should have at the most, between documents."""
    found = []
    numbers = unpack(places)
    start = 0
    while start < len(numbers):
        end = start + PLACES_IN_CHUNK
        while end < len(numbers) and numbers[end] >> NUMBER_BITS == numbers[end - 1] >> NUMBER_BITS:
            end += 1
        found.append(places[start * PLACE_BYTES : end * PLACE_BYTES])
        start = end
    return found

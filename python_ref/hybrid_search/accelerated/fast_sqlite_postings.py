"""Writes the terms of an index file and their places (SQL-1), fast: all places after the stored ones together."""

import struct
from collections import Counter
from collections.abc import Sequence
from itertools import chain
from operator import add, itemgetter
from zlib import crc32

import numpy as np

from hybrid_search.accelerated.added_terms import Added, AddedTerms, Integers
from hybrid_search.doc_store_adapter.sqlite import sqlite_packing
from hybrid_search.doc_store_adapter.sqlite.sqlite_packing import NOWHERE
from hybrid_search.doc_store_adapter.sqlite.sqlite_postings import SqlitePostings, TermValues
from hybrid_search.doc_store_adapter.sqlite.sqlite_tables import AT_ONCE, SqliteTables
from hybrid_search.doc_store_adapter.tables import blobs, row_checksum
from hybrid_search.doc_store_adapter.tables.blobs import NUMBER_BITS
from hybrid_search.doc_store_adapter.tables.document_changes import FieldChange, TermChange

PACKED = 10 * AT_ONCE
"""The number of terms whose places are packed at once."""
INTEGERS = struct.Struct("<3q")
SIZE = INTEGERS.size
LAST = itemgetter(-1)
KNOWN = "SELECT token, term, documents, chunks, places, checksum FROM terms WHERE field = ? AND token IN ({})"


class FastSqlitePostings(SqlitePostings):
    """Changes terms as `SqlitePostings` does; the places of many terms are packed and written at once."""

    def __init__(self, tables: SqliteTables) -> None:
        super().__init__(tables)
        self._before: tuple[Added, AddedTerms] = ((), AddedTerms(()))

    def change(self, field: int, changes: FieldChange) -> int:
        """See `SqlitePostings.change`."""
        removed = frozenset(chain.from_iterable(tokens for _, tokens in changes.removed))
        frequencies: Counter[int] = Counter()
        fresh: list[TermValues] = []
        known: list[TermValues] = []
        if removed:
            terms = {token: change for token, change in changes.terms().items() if token in removed}
            fresh, known = self._change(field, terms, frequencies)
        added = self._added_terms(changes.added)
        for tokens, counts, documents, places in added.each_part(PACKED, removed):
            rows = self._rows(field, tokens)
            before = np.array(rows.documents, dtype=np.int64)
            held = before + documents
            self._behind(field, tokens, rows, counts, places)
            heads = np.stack([np.full(len(tokens), field), held, rows.chunks], axis=1).astype("<i8").tobytes()
            integers = (heads[start : start + SIZE] for start in range(0, len(heads), SIZE))
            checksums = map(crc32, rows.places, map(crc32, tokens, map(crc32, integers)))
            columns = rows.terms, tokens, held.tolist(), rows.chunks, rows.places, checksums
            for term, token, *rest in zip(*columns, strict=True):
                if term is None:
                    fresh.append((field, token, *rest))
                else:
                    known.append((*rest, term))
            frequencies.subtract(rows.documents)
            frequencies.update(held.tolist())
        known.sort(key=LAST)
        self._write(fresh, known)
        self._count(field, frequencies)
        return -frequencies[0]

    def _added_terms(self, added: Added) -> AddedTerms:
        """Return the terms of a field; if it has the tokens of the previous field, as for one text, they are reused."""
        if added != self._before[0]:
            self._before = added, AddedTerms(added)
        return self._before[1]

    def _rows(self, field: int, tokens: Sequence[bytes]) -> "_Found":
        """Return the rows of some terms, in the order of their tokens."""
        found = _Found(len(tokens))
        places = {token: place for place, token in enumerate(tokens)}
        try:
            for first in range(0, len(tokens), AT_ONCE):
                some = tokens[first : first + AT_ONCE]
                for token, term, documents, chunks, packed, checksum in self._connection.rows(
                    KNOWN.format(", ".join("?" * len(some))), field, *some
                ):
                    integers = INTEGERS.pack(field, documents, chunks)
                    if crc32(packed, crc32(token, crc32(integers))) != checksum:
                        raise self._tables.damaged()
                    self._tables.check_term(term)
                    place = places[token]
                    found.terms[place] = term
                    found.documents[place] = documents
                    found.chunks[place] = chunks
                    found.places[place] = packed
        except (KeyError, TypeError, struct.error):
            raise self._tables.damaged() from None
        return found

    def _behind(self, field: int, tokens: Sequence[bytes], rows: "_Found", counts: Integers, places: Integers) -> None:
        """Put new places into the rows of some terms, and into chunks for those that get too many."""
        stored = rows.places
        lasts, sizes = self._tables.last_numbers(stored)
        ends = np.cumsum(counts)  # whole numbers
        starts = ends - counts
        is_behind = places[starts] >> NUMBER_BITS > lasts
        tails = sqlite_packing.packed_after(np.where(is_behind, lasts, NOWHERE), counts, places)
        rows.places = list(map(add, stored, tails))
        full: list[tuple[int, Integers]] = []
        for place in np.flatnonzero(~is_behind | (sizes + counts > 2 * blobs.PLACES_IN_CHUNK)).tolist():
            term, last = rows.terms[place], stored[place]
            added = places[starts[place] : ends[place]]
            if not is_behind[place]:
                change = TermChange(added.tolist())
                rows.places[place], rows.chunks[place] = self._changed(term, rows.chunks[place], last, change)
                continue
            if term is None:
                term = rows.terms[place] = self._new_term(field, tokens[place])
            known = np.frombuffer(self._tables.unpacked_places([last]), dtype="<i8")
            *pieces, rest = _pieces(np.concatenate((known, added)))
            full += [(term, piece) for piece in pieces]
            rows.chunks[place] += len(pieces)
            (rows.places[place],) = _packed([rest])
        self._write_pieces(full)

    def _write_pieces(self, pieces: Sequence[tuple[int, Integers]]) -> None:
        rows = []
        for (term, piece), packed in zip(pieces, _packed([piece for _, piece in pieces]), strict=True):
            key = (term << NUMBER_BITS) + int(piece[0] >> NUMBER_BITS)
            rows.append((key, packed, row_checksum.of((key,), packed)))
        self._connection.run_many("INSERT INTO postings VALUES (?, ?, ?)", rows)


class _Found:
    """The rows of some terms, in columns; at first those of terms without a row.

    Args:
        count: the number of terms.
    """

    def __init__(self, count: int) -> None:
        self.terms: list[int | None] = [None] * count
        self.documents = [0] * count
        self.chunks = [0] * count
        self.places = [b""] * count


def _pieces(places: Integers) -> list[Integers]:
    """Return the same as `blobs.pieces`."""
    numbers = places >> NUMBER_BITS
    firsts = np.flatnonzero(numbers[1:] != numbers[:-1]) + 1
    found = []
    start = 0
    while start < len(places):
        place = np.searchsorted(firsts, start + blobs.PLACES_IN_CHUNK)
        end = int(firsts[place]) if place < len(firsts) else len(places)
        found.append(places[start:end])
        start = end
    return found


def _packed(pieces: Sequence[Integers]) -> list[bytes]:
    """Return pieces in the form in which chunks store them."""
    counts = np.array([len(piece) for piece in pieces], dtype=np.int64)
    places = np.concatenate(pieces) if pieces else np.empty(0, dtype=np.int64)
    return sqlite_packing.packed_after(np.full(len(pieces), NOWHERE), counts, places)

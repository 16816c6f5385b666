"""Writes the terms of a batch and their positions into the tables of a collection in PostgreSQL (PG-1)."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping

from hybrid_search.doc_store_adapter.postgres import postgres_keys
from hybrid_search.doc_store_adapter.postgres.postgres_connection import PostgresConnection, Question, Row
from hybrid_search.doc_store_adapter.tables import blobs
from hybrid_search.doc_store_adapter.tables.blobs import NUMBER_BITS, PLACE_BYTES
from hybrid_search.doc_store_adapter.tables.document_changes import TermChange

Terms = Mapping[tuple[int, bytes], TermChange]
"""(field, token) → the change of the term."""
Chunks = dict[int, dict[int, bytes]]
"""Term → number of the first document of a chunk → positions."""


class PostgresPostings:
    """Changes terms in a transaction.

    The last positions of a term are in the term's own row. When that row becomes large, its first positions move to a
    chunk. The positions of one document are always together, in the row or in one chunk.

    Args:
        connection: a connection with an open transaction.
        terms: a number above all keys of terms.

    Attributes:
        terms: a number above all keys of terms, after the change.
    """

    def __init__(self, connection: PostgresConnection, terms: int) -> None:
        self._connection = connection
        self.terms = terms

    def question(self, changes: Terms) -> Question:
        """Return the query for the rows of terms that have to be read before a change."""
        fields, tokens = [field for field, _ in changes], [postgres_keys.key_of(token) for _, token in changes]
        return "terms_to_change", fields, tokens

    def change(self, changes: Terms, rows: Iterable[Row]) -> None:
        """Change terms.

        Args:
            changes: the changes, each with documents in ascending order of their numbers.
            rows: the result of `question`.
        """
        tokens = {(field, postgres_keys.key_of(token)): (field, token) for field, token in changes}
        known = {tokens[field, key]: (term, *row) for field, key, term, *row in rows}
        chunks = self._chunks(changes, known)
        frequencies: Counter[tuple[int, int]] = Counter()
        fresh, changed, gone = [], [], []
        written: list[tuple[int, int, bytes]] = []
        for (field, token), change in changes.items():
            term, documents, count, last = known.get((field, token)) or (None, 0, 0, b"")
            frequencies[field, documents] -= 1
            frequencies[field, documents + change.documents] += 1
            documents += change.documents
            is_fresh = term is None
            if term is None:
                term = self.terms
                self.terms += 1
            own = chunks.get(term, {})
            last, pieces = _changed(own, count, last, change)
            written += [(term, blobs.first_number(piece), piece) for piece in pieces]
            count += len(pieces) - len(own)
            if is_fresh:
                fresh.append((term, field, postgres_keys.key_of(token), documents, count, last))
            elif documents:
                changed.append((term, documents, count, last))
            else:
                gone.append(term)
        self._write_chunks([(term, first) for term, own in chunks.items() for first in own], written)
        self._write_terms(fresh, changed, gone)
        self._count(frequencies)

    def _chunks(self, changes: Terms, known: Mapping[tuple[int, bytes], tuple[int, int, int, bytes]]) -> Chunks:
        """Return the chunks that change."""
        terms, numbers = [], []
        for key, (term, _, count, last) in known.items():
            if count:
                touched = _numbers_before(_first(last), changes[key])
                terms += [term] * len(touched)
                numbers += touched
        if not terms:
            return {}
        rows = self._connection.rows("chunks_to_change", terms, numbers)
        found: Chunks = {}
        for term, first, places in sorted(rows):
            found.setdefault(term, {})[first] = places
        return found

    def _write_chunks(self, removed: list[tuple[int, int]], written: list[tuple[int, int, bytes]]) -> None:
        self._connection.later_rows("remove_chunks", removed)
        self._connection.later_rows("add_chunks", written)

    def _write_terms(
        self,
        fresh: list[tuple[int, int, bytes, int, int, bytes]],
        changed: list[tuple[int, int, int, bytes]],
        gone: list[int],
    ) -> None:
        self._connection.later_rows("add_terms", fresh)
        self._connection.later_rows("change_terms", changed)
        self._connection.later_rows("remove_terms", [(term,) for term in gone])

    def _count(self, frequencies: Mapping[tuple[int, int], int]) -> None:
        changed = [(*key, count) for key, count in frequencies.items() if key[1] and count]
        self._connection.later_rows("count_frequencies", changed)
        if changed:
            self._connection.later("forget_frequencies", sorted({field for field, _, _ in changed}))


def _changed(chunks: Mapping[int, bytes], count: int, last: bytes, change: TermChange) -> tuple[bytes, list[bytes]]:
    """Return the positions in a term's row after the change, and the chunks that are new or replace others.

    Args:
        chunks: the chunks that change, in ascending order.
        count: the number of chunks of the term.
        last: the positions in the term's row.
        change: the change of the term.
    """
    start = _first(last) if count else 0
    pieces: list[bytes] = []
    firsts = list(chunks)
    parts: dict[int, tuple[set[int], list[int]]] = {first: (set(), []) for first in firsts}
    own: tuple[set[int], list[int]] = (set(), [])
    for number in change.removed:
        _part(parts, firsts, own, number, start)[0].add(number)
    for place in change.added:
        _part(parts, firsts, own, place >> NUMBER_BITS, start)[1].append(place)
    for first, places in chunks.items():
        pieces += [piece for piece in blobs.pieces(blobs.merged(places, *parts[first])) if piece]
    last = blobs.merged(last, *own)
    if len(last) > 2 * blobs.PLACES_IN_CHUNK * PLACE_BYTES:
        *full, last = blobs.pieces(last)
        pieces += full
    return last, pieces


def _part(
    parts: Mapping[int, tuple[set[int], list[int]]],
    firsts: list[int],
    own: tuple[set[int], list[int]],
    number: int,
    start: int,
) -> tuple[set[int], list[int]]:
    """Return the collected changes for the chunk or the row to which a document belongs."""
    if number >= start:
        return own
    return parts[firsts[max(0, bisect_right(firsts, number) - 1)]]


def _first(last: bytes) -> int:
    """Return the number of the first document in a term's row; if the row is empty, a number above all documents."""
    return blobs.first_number(last) if last else 1 << NUMBER_BITS


def _numbers_before(start: int, change: TermChange) -> list[int]:
    numbers = {number for number in change.removed if number < start}
    numbers.update(place >> NUMBER_BITS for place in change.added if place >> NUMBER_BITS < start)
    return sorted(numbers)

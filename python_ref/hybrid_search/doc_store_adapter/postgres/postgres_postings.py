"""Writes the terms of a collection in PostgreSQL and where they stand (PG-1), those of a batch at once."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping

from hybrid_search.doc_store_adapter.postgres import postgres_keys
from hybrid_search.doc_store_adapter.postgres.postgres_connection import PostgresConnection, Question, Row
from hybrid_search.doc_store_adapter.tables import blobs
from hybrid_search.doc_store_adapter.tables.blobs import NUMBER_BITS, PLACE_BYTES
from hybrid_search.doc_store_adapter.tables.document_changes import TermChange

Terms = Mapping[tuple[int, bytes], TermChange]
"""(field, token) → what happens to it."""
Chunks = dict[int, dict[int, bytes]]
"""Term → number of the first place → places."""


class PostgresPostings:
    """Changes terms, in a transaction.

    The last places of a term are in its own row; where they become many, the first of them go to a chunk. The places of
    a document are never in two of these.

    Args:
        connection: one with an open transaction.
        terms: all keys of terms are below.

    Attributes:
        terms: likewise, afterwards.
    """

    def __init__(self, connection: PostgresConnection, terms: int) -> None:
        self._connection = connection
        self.terms = terms

    def question(self, changes: Terms) -> Question:
        """What has to be known of terms before they are changed."""
        fields, tokens = [field for field, _ in changes], [postgres_keys.key_of(token) for _, token in changes]
        return "terms_to_change", fields, tokens

    def change(self, changes: Terms, rows: Iterable[Row]) -> None:
        """Change terms.

        Args:
            changes: in each, documents are in ascending order of their numbers.
            rows: the answer to `question`.
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
        """The chunks in which something changes."""
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
    """The places that then are in a term's row, and the chunks that take the places of some, or are new.

    Args:
        chunks: those in which something changes, in ascending order.
        count: how many chunks there are.
        last: the places in the term's row.
        change: what happens to the term.
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
    """What is collected for the chunk, or the term's row, in which the places of a document are or should be."""
    if number >= start:
        return own
    return parts[firsts[max(0, bisect_right(firsts, number) - 1)]]


def _first(last: bytes) -> int:
    """The number of the first document in a term's row; where there is none, the chunks take all."""
    return blobs.first_number(last) if last else 1 << NUMBER_BITS


def _numbers_before(start: int, change: TermChange) -> list[int]:
    numbers = {number for number in change.removed if number < start}
    numbers.update(place >> NUMBER_BITS for place in change.added if place >> NUMBER_BITS < start)
    return sorted(numbers)

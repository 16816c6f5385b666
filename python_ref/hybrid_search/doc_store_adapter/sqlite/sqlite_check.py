"""Reads a whole index file and reports its damage (SQL-7)."""

import sqlite3
import struct
from collections.abc import Iterator
from typing import Any

from hybrid_search.doc_store_adapter.sqlite import sqlite_changes, sqlite_packing
from hybrid_search.doc_store_adapter.sqlite.sqlite_connection import SqliteConnection
from hybrid_search.doc_store_adapter.sqlite.sqlite_state import SqliteState
from hybrid_search.doc_store_adapter.tables import row_checksum, vector_sketch
from hybrid_search.doc_store_adapter.tables.blobs import NUMBER_BITS

ROWS = (
    ("documents", 1, "number, id, id_checksum"),
    ("documents", 1, "number, attributes, checksum"),
    ("texts", 1, "number, content, checksum"),
    ("notes", 0, "name, text, checksum"),
    ("fields", 6, "field, kind, documents, tokens, terms, blocks, name, checksum"),
    ("terms", 3, "field, documents, chunks, token, places, checksum"),
    ("postings", 1, "chunk, places, checksum"),
    ("frequencies", 3, "field, documents, terms, checksum"),
    ("lengths", 1, "block, lengths, checksum"),
    ("vectors", 1, "vector, content, checksum"),
    ("sketches", 2, "block, generation, ratios, errors, steps, checksum"),
    ("vector_models", 0, "field, model, origin, checksum"),
    ("changes", 1, "generation, mark, numbers, checksum"),
)
"""The tables, each with the number of integers before the blobs of a row, and the columns."""
ERROR_BYTES = 8
FREE = "SELECT count(*) FROM free_numbers WHERE number NOT IN (SELECT number FROM documents) AND number BETWEEN 0 AND ?"
COUNTED = (
    "SELECT field, 1, places, chunks FROM terms",
    f"SELECT field, 0, postings.places, -1 FROM postings JOIN terms ON term = chunk >> {NUMBER_BITS}",
)
"""The queries that count missing terms, tokens and chunks, by field."""


def findings(connection: SqliteConnection) -> list[str]:
    """Return the damage of a file, in sentences.

    Args:
        connection: a connection with an open transaction.
    """
    found: list[str] = []
    try:
        for (line,) in connection.rows("PRAGMA integrity_check"):
            if line != b"ok":
                found.append(f"SQLite: {str(line, 'utf-8', 'replace')}")
        for part in (_damaged, _missing, _missing_of_fields, _missing_vectors):
            found.extend(part(connection))
    except (sqlite3.Error, AttributeError, TypeError, struct.error):
        found.append("not all tables can be read")
    return found


def _damaged(connection: SqliteConnection) -> Iterator[str]:
    """Yield rows whose checksum does not match their values."""
    if SqliteState.read(connection) is None:
        yield "state: 1 row is not what was written"
    for table, integers, columns in ROWS:
        if table == "changes" and connection.row(sqlite_changes.IS_THERE) is None:
            continue
        wrong = 0
        for *values, checksum in connection.each(f"SELECT {columns} FROM {table}"):
            try:
                wrong += row_checksum.of(tuple(values[:integers]), *values[integers:]) != checksum
            except TypeError:
                wrong += 1
        if wrong:
            yield f"{table}: {wrong} row{' is' if wrong == 1 else 's are'} not what was written"


def _missing(connection: SqliteConnection) -> Iterator[str]:
    """Yield the missing and surplus rows, according to `state`."""
    state = SqliteState.read(connection)
    if state is None:
        return
    for table, expected in (("documents", state.documents), ("texts", state.documents), ("fields", state.fields)):
        yield from _unequal(table, "rows", connection.value(f"SELECT count(*) FROM {table}"), expected)
    free = connection.row(FREE, state.numbers - 1)
    assert free is not None
    yield from _unequal("free_numbers", "rows", free[0], state.numbers - state.documents)
    yield from _unequal("free_numbers", "rows", connection.value("SELECT count(*) FROM free_numbers"), free[0])


def _missing_of_fields(connection: SqliteConnection) -> Iterator[str]:
    """Yield the missing and surplus rows, according to the rows of `fields`."""
    counts: dict[Any, list[int]] = {}
    for statement in COUNTED:
        for field, terms, places, chunks in connection.each(statement):
            known = counts.setdefault(field, [0, 0, 0])
            for place, value in enumerate((terms, sqlite_packing.count_places(places), chunks)):
                known[place] += value
    lengths = _by_field(connection, f"SELECT block >> {NUMBER_BITS}, count(*) FROM lengths GROUP BY 1")
    frequencies = _by_field(connection, "SELECT field, sum(terms) FROM frequencies GROUP BY field")
    for field, tokens, terms, blocks in connection.rows("SELECT field, tokens, terms, blocks FROM fields"):
        found_terms, found_tokens, chunks = counts.pop(field, [0, 0, 0])
        yield from _unequal(f"terms of field {field}", "rows", found_terms, terms)
        yield from _unequal(f"terms of field {field}", "places", found_tokens, tokens)
        yield from _unequal(f"postings of field {field}", "missing rows", chunks, 0)
        yield from _unequal(f"lengths of field {field}", "rows", lengths.pop(field, 0), blocks)
        yield from _unequal(f"frequencies of field {field}", "terms", frequencies.pop(field, 0), terms)
    for table, rest in (("terms", counts), ("lengths", lengths), ("frequencies", frequencies)):
        for field in rest:
            yield f"{table}: rows of field {field}, which is not there"


def _missing_vectors(connection: SqliteConnection) -> Iterator[str]:
    """Yield vectors and sketches that are missing, and those that should not exist."""
    vectors = _by_field(connection, f"SELECT vector >> {NUMBER_BITS}, count(*) FROM vectors GROUP BY 1")
    sketches: dict[Any, int] = {}
    for block, errors in connection.each("SELECT block, errors FROM sketches"):
        whole = errors[: len(errors) // ERROR_BYTES * ERROR_BYTES]
        known = [error for (error,) in struct.iter_unpack("<d", whole) if error != vector_sketch.ABSENT]
        field = block >> NUMBER_BITS
        sketches[field] = sketches.get(field, 0) + len(known)
    named = "SELECT field, documents FROM fields WHERE kind = 1 AND CAST(name AS TEXT) GLOB 'q_[0-9]*_vec'"
    for field, documents in connection.rows(named):
        yield from _unequal(f"vectors of field {field}", "rows", vectors.pop(field, 0), documents)
        yield from _unequal(f"sketches of field {field}", "vectors", sketches.pop(field, 0), documents)
    for table, rest in (("vectors", vectors), ("sketches", sketches)):
        for field in rest:
            yield f"{table}: rows of field {field}, which is not there"


def _by_field(connection: SqliteConnection, statement: str) -> dict[Any, int]:
    return {row[0]: row[1] for row in connection.rows(statement)}


def _unequal(what: str, unit: str, found: object, expected: object) -> Iterator[str]:
    if found != expected:
        yield f"{what}: {_shown(found)} {unit}, {_shown(expected)} expected"


def _shown(value: object) -> object:
    """Return a number unchanged; a damaged row may contain a text."""
    return str(value, "utf-8", "replace") if isinstance(value, bytes) else value

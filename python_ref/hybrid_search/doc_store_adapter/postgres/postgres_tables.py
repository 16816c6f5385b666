"""Reads the tables of a collection in PostgreSQL in one state (PG-1)."""

import struct
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from hybrid_search.doc_store_adapter.documents import stored_json
from hybrid_search.doc_store_adapter.documents.stored_document import StoredDocument, is_vector_field
from hybrid_search.doc_store_adapter.postgres import postgres_keys
from hybrid_search.doc_store_adapter.postgres.postgres_connection import PostgresConnection, Row
from hybrid_search.doc_store_adapter.postgres.postgres_order import PostgresOrder
from hybrid_search.doc_store_adapter.postgres.postgres_state import PostgresState, fields_of, sources_of
from hybrid_search.doc_store_adapter.tables import blobs, document_changes
from hybrid_search.doc_store_adapter.tables.document_row import DocumentRow
from hybrid_search.doc_store_adapter.tables.posting_tables import FieldRow
from hybrid_search.doc_store_adapter.vector_models import VectorSource

Vectors = dict[tuple[str, int], list[float]]
"""(field, number of a document) → its vector."""

AT_ONCE = 500
"""The number of documents that are read together when all are read."""
DOCUMENT = 3
"""The number of columns of a document, before those of one of its vectors."""
SCREEN_HEADER = 4
"""The number of bytes before the components in a vector that the server sends."""


class PostgresTables:
    """The tables as a transaction sees them.

    Args:
        connection: a connection with an open transaction.
        row: the metadata of the collection.
        known: what earlier transactions have read; `None`: nothing.

    Attributes:
        connection: as given.
        generation: the number of batches that have changed something.
        state: a value that differs after each change.
        count: the number of documents.
        numbers: a number above all numbers of documents.
        terms: a number above all keys of terms.
        free_numbers: the lowest unused numbers below `numbers`, as many as a batch may need; read only for a batch.
    """

    def __init__(self, connection: PostgresConnection, row: Row, known: PostgresState | None = None) -> None:
        self.connection = connection
        self._known = known
        self.generation: int = row[1]
        self.state: str = row[2]
        self.count: int = row[3]
        self.numbers: int = row[4]
        self.terms: int = row[5]
        self.free_numbers: list[int] = []
        self._places: dict[tuple[int, bytes], bytes] = {}
        self._expected: tuple[Sequence[int], Iterable[bytes]] = ((), ())
        self._expected_fields: Sequence[int] = ()

    @cached_property
    def fields(self) -> dict[str, FieldRow]:
        """Name → field, for all fields that documents have ever had."""
        return fields_of(self.connection.rows("fields")) if self._known is None else self._known.at(self).fields

    def sources(self) -> dict[str, VectorSource]:
        """Return the stored sources of vector fields."""
        if self._known is not None:
            return self._known.at(self).sources
        return sources_of(self.connection.rows("sources"))

    def vector_counts(self) -> dict[str, int]:
        """Return vector field → the number of documents that have it."""
        return {name: row.documents for name, row in self.fields.items() if is_vector_field(name)}

    def holds_vectors(self, name: str) -> bool:
        """Return whether a document has a vector in a field."""
        row = self.fields.get(name)
        return row is not None and row.documents > 0

    def numbers_of(self, identifiers: Iterable[str]) -> dict[str, int]:
        """Return the ids and numbers of those documents that are stored."""
        keys = _keys(identifiers)
        return {keys[key]: number for key, number in self.connection.rows("numbers", list(keys))}

    def numbers_in_batch(self, identifiers: Iterable[str]) -> dict[str, int]:
        """Return the result of `numbers_of` before a batch is written; fields and free numbers are read as well."""
        keys = _keys(identifiers)
        numbers, fields, free = self.connection.together(
            ("numbers", list(keys)), ("fields",), ("free_numbers", len(keys))
        )
        self.fields = fields_of(fields)
        self.free_numbers = [number for (number,) in free]
        return {keys[key]: number for key, number in numbers}

    def identifiers_of(self, numbers: Sequence[int]) -> dict[int, str]:
        """Return the numbers and ids of documents."""
        rows = self.connection.rows("identifiers", list(numbers))
        return {number: identifier.decode("utf-8") for number, identifier in rows}

    def identifiers(self) -> Iterator[tuple[int, str]]:
        """Yield the numbers and ids of all documents."""
        for number, identifier in self.connection.rows("all_identifiers"):
            yield number, identifier.decode("utf-8")

    def listed(self, offset: int, limit: int, start: bytes, among: str, values: Sequence[Any]) -> dict[str, int]:
        """Return the ids and numbers of documents in the order of ids.

        Args:
            offset: the number of documents to skip.
            limit: the maximum number of documents to return.
            start: the UTF-8 text of the lowest possible id.
            among: the name of the statement that selects documents; empty for all.
            values: the parameters of that statement.
        """
        statements = self.connection.statements
        text = statements.text("listed", among=among and statements.text(among, place=4))
        rows = self.connection.rows_of(text, [offset, limit, start, *values])
        return {identifier.decode("utf-8"): number for number, identifier in rows}

    def ordered(self, order: PostgresOrder, among: str, values: Sequence[Any]) -> bytes | None:
        """Return the sorted numbers of documents as 32-bit big-endian integers.

        The result is `None` if a document's attributes could not be stored, so that the server cannot sort it.

        Args:
            order: the order.
            among: the name of the statement that selects documents; empty for all.
            values: the parameters of that statement.
        """
        statements = self.connection.statements
        place = len(order.values) + 1
        text = statements.text("ordered", order=order.text, among=among and statements.text(among, place=place))
        [(is_unclear, numbers)] = self.connection.rows_of(text, [*order.values, *values])
        return None if is_unclear else numbers or b""

    def documents(self, numbers: Sequence[int]) -> list[DocumentRow]:
        """Return documents by their numbers."""
        return [_document(row) for row in self.connection.rows("documents", list(numbers))]

    def changed(self, numbers: Sequence[int]) -> tuple[list[DocumentRow], list[Row]]:
        """Return documents by their numbers, and their vectors as rows: field, number, norm and components."""
        fields = [row.field for name, row in self.fields.items() if name.endswith("_vec")]
        rows = self.connection.rows("changed_documents", numbers, fields)
        documents = {row[0]: row[:DOCUMENT] for row in rows}  # a row for each vector
        vectors = [(row[DOCUMENT], row[0], *row[DOCUMENT + 1 :]) for row in rows if row[DOCUMENT] is not None]
        return [_document(row) for row in documents.values()], vectors

    def all_documents(self) -> Iterator[list[DocumentRow]]:
        """Yield all documents in parts."""
        last = -1
        while rows := self.connection.rows("next_documents", last, AT_ONCE):
            yield [_document(row) for row in rows]
            last = rows[-1][0]

    def stored_at(self, numbers: Sequence[int]) -> list[StoredDocument]:
        """Return documents with their vectors by their numbers."""
        if not numbers:
            return []
        known = {row.field: name for name, row in self.fields.items() if name.endswith("_vec")}
        rows, vectors = self.connection.together(("documents", numbers), ("vectors", list(known), numbers))
        return _stored([_document(row) for row in rows], _vectors(vectors, known))

    def all_stored(self) -> Iterator[StoredDocument]:
        """Yield all documents with their vectors."""
        for rows in self.all_documents():
            wanted = {name for row in rows for name in row.vector_fields}
            yield from _stored(rows, self.vectors(wanted, [row.number for row in rows]))

    def vectors(self, names: Iterable[str], numbers: Sequence[int]) -> Vectors:
        """Return (field, number of a document) → its vector."""
        known = {self.fields[name].field: name for name in names if name in self.fields}
        if not known:
            return {}
        return _vectors(self.connection.rows("vectors", list(known), list(numbers)), known)

    def lengths(
        self, _field: int, _known: Collection[int], _changed: Collection[int] | None
    ) -> Iterator[tuple[int, bytes]]:
        """Yield nothing: the documents with a token are counted by the writers."""
        return iter(())

    def length_blocks(self, field: int, blocks: Sequence[int]) -> list[Row]:
        """Return blocks of lengths, each with its field and number: of a field and of all announced ones."""
        return self.connection.rows("lengths", sorted({field, *self._expected_fields}), list(blocks))

    def touched_since(self, generation: int, state: str) -> list[int] | None:
        """Return the numbers of the documents that have changed since a state, ascending.

        The result is `None` if they are not known, or too many.

        Args:
            generation: the generation in that state.
            state: the state.
        """
        rows = None if self._known is None else self._known.at(self).changes_since(generation)
        rows = self.connection.rows("changes", generation) if rows is None else rows
        (_, known, _), *later = rows or [(0, "", None)]
        if known != state or len(later) != self.generation - generation:
            return None
        touched: set[int] = set()
        for _, _, numbers in later:
            if numbers is None or len(touched) > document_changes.MOST_TOUCHED:
                return None
            touched.update(blobs.unpack_lengths(numbers))
        return sorted(touched)

    def frequencies(self, field: int) -> dict[int, int]:
        """Return document frequency → the number of terms with that frequency."""
        return dict(self.connection.rows("frequencies", field))

    def expect_places(self, fields: Sequence[int], tokens: Iterable[bytes]) -> None:
        """Announce the terms whose positions may be requested; the first request reads all of them.

        Args:
            fields: the fields of the terms.
            tokens: the terms.
        """
        self._expected = fields, tokens
        self._expected_fields = fields

    def places(self, field: int, token: bytes) -> bytes:
        """Return the positions of a term, ascending."""
        if (field, token) not in self._places:
            self._read_places(*self._expected)
            self._expected = ((), ())
        if (field, token) not in self._places:
            self._read_places([field], [token])
        return self._places[field, token]

    def _read_places(self, fields: Sequence[int], tokens: Iterable[bytes]) -> None:
        written = {postgres_keys.key_of(token): token for token in tokens}
        if not fields or not written:
            return
        self._places.update(((field, token), b"") for field in fields for token in written.values())
        for field, key, places in self.connection.rows("terms", list(fields), sorted(written)):
            self._places[field, written[key]] = places


def components(exact: bytes | None, screen: bytes) -> list[float]:
    """Return the components of a stored vector.

    Args:
        exact: the components as 64-bit floats, or `None`.
        screen: the components as 32-bit floats in the server's binary format, used if `exact` is `None`.
    """
    if exact is not None:
        return list(struct.unpack(f"<{len(exact) // 8}d", exact))
    return list(struct.unpack_from(f">{(len(screen) - SCREEN_HEADER) // 4}f", screen, SCREEN_HEADER))


def _keys(identifiers: Iterable[str]) -> dict[bytes, str]:
    return {postgres_keys.key(identifier): identifier for identifier in identifiers}


def _vectors(rows: Iterable[Row], names: Mapping[int, str]) -> Vectors:
    return {(names[field], number): components(exact, screen) for field, number, _, exact, screen in rows}


def _stored(rows: Iterable[DocumentRow], vectors: Vectors) -> list[StoredDocument]:
    return [
        StoredDocument(row.identifier, row.fields, {name: vectors[name, row.number] for name in row.vector_fields})
        for row in rows
    ]


def _document(row: Row) -> DocumentRow:
    number, identifier, body = row
    content = stored_json.read(body)
    return DocumentRow(number, identifier.decode("utf-8"), content["fields"], content["vectors"])

"""Reads the tables of an index file, in one state of it (SQL-1)."""

import struct
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any, TypeVar
from zlib import crc32

from hybrid_search.doc_store_adapter.documents import stored_json
from hybrid_search.doc_store_adapter.documents.stored_document import StoredDocument, is_vector_field, vector_dimension
from hybrid_search.doc_store_adapter.sqlite import sqlite_errors, sqlite_packing, sqlite_rows
from hybrid_search.doc_store_adapter.sqlite import sqlite_schema as schema
from hybrid_search.doc_store_adapter.sqlite.sqlite_connection import SqliteConnection
from hybrid_search.doc_store_adapter.sqlite.sqlite_packing import Integers
from hybrid_search.doc_store_adapter.sqlite.sqlite_rows import COMPONENTS, SketchBlock, SqliteField, Vector
from hybrid_search.doc_store_adapter.sqlite.sqlite_state import SqliteState
from hybrid_search.doc_store_adapter.tables import row_checksum
from hybrid_search.doc_store_adapter.tables.blobs import NUMBER_BITS
from hybrid_search.doc_store_adapter.tables.posting_tables import FieldRow
from hybrid_search.doc_store_adapter.vector_models import VectorSource
from hybrid_search.errors import IndexCorruptError

Packed = TypeVar("Packed", bytes, Sequence[bytes])
Unpacked = TypeVar("Unpacked", bytes, str, tuple[Integers, Integers])

AT_ONCE = 200
IDENTIFIERS = "SELECT number, id, id_checksum FROM documents WHERE number IN ({})"
FIELDS = (
    "SELECT number, id, id_checksum, attributes, documents.checksum, content, texts.checksum "
    "FROM documents JOIN texts USING (number) WHERE number IN ({})"
)
VECTORS = "SELECT vector, content, checksum FROM vectors WHERE vector IN ({})"


class SqliteTables:
    """The tables in the view of a transaction.

    Args:
        path: the path of the file, for messages.
        connection: a connection with an open transaction.

    Raises:
        IndexCorruptError: from every method, if something differs from what was written.

    Attributes:
        connection: the connection.
        whole: the row of `state`.
    """

    def __init__(self, path: str, connection: SqliteConnection) -> None:
        self._path = path
        self.connection = connection
        whole = SqliteState.read(connection)
        if whole is None:
            raise sqlite_errors.damaged(path)
        self.whole = whole
        self._fields_are_whole = False

    @property
    def generation(self) -> int:
        """Return the number of batches that have changed something."""
        return self.whole.generation

    @property
    def count(self) -> int:
        """Return the number of documents."""
        return self.whole.documents

    @property
    def numbers(self) -> int:
        """A number above all numbers of documents."""
        return self.whole.numbers

    @property
    def state(self) -> tuple[int, bytes]:
        """A value that is different after each change, also after changes of a copy of the file."""
        return self.whole.generation, self.whole.mark

    def change_state(self, **values: Any) -> None:
        """Record that the transaction changes something; the values are attributes of a `SqliteState`."""
        self.whole = self.whole.changed(self.connection.is_marked, **values)
        self.connection.is_marked = True
        self.whole.write(self.connection)

    def note(self, name: str) -> str | None:
        """Return the text noted under a name, or `None`."""
        key = name.encode("utf-8")
        row = self._row("SELECT text, checksum FROM notes WHERE name = ?", key)
        if row is not None:
            self.check(row[1], (), key, row[0])
            return str(row[0], "utf-8")
        for found, text, checksum in self.connection.rows("SELECT name, text, checksum FROM notes"):
            self.check(checksum, (), found, text)  # a note whose name has changed is not found
        return None

    def sources(self) -> dict[str, VectorSource]:
        """Return the sources of the vector fields, as stored."""
        found = {}
        for *own, checksum in self.connection.rows("SELECT field, model, origin, checksum FROM vector_models"):
            self.check(checksum, (), *own)
            field, model, origin = (value.decode("utf-8") for value in own)
            found[field] = VectorSource(model or None, origin or None)
        return found

    def vector_counts(self) -> dict[str, int]:
        """Return vector field → the number of documents that have it."""
        rows = self._fields(f"{sqlite_rows.A_FIELD} {sqlite_rows.OF_VECTORS}", schema.ATTRIBUTES)
        counts = {row.name.decode("utf-8"): row.documents for row in rows}
        return {name: count for name, count in counts.items() if is_vector_field(name)}

    def number(self, identifier: str) -> int | None:
        """Return the number of a document, or `None`."""
        key = identifier.encode("utf-8")
        row = self._row("SELECT number, id_checksum FROM documents WHERE id = ?", key)
        if row is None:
            return None
        self.check(row[1], (row[0],), key)
        return int(row[0])

    def numbers_of(self, identifiers: Iterable[str]) -> dict[str, int]:
        """Return the ids and numbers of those of some documents that are stored."""
        found = ((identifier, self.number(identifier)) for identifier in dict.fromkeys(identifiers))
        return {identifier: number for identifier, number in found if number is not None}

    def identifiers_of(self, numbers: Sequence[int]) -> dict[int, str]:
        """Return the numbers and ids of some documents."""
        found: dict[int, str] = {}
        for number, identifier, checksum in self._rows_of(IDENTIFIERS, numbers):
            found[number] = self.sound(identifier, checksum, number).decode("utf-8")
        if len(found) != len(numbers):
            raise self.damaged()
        return found

    def identifiers(self) -> Iterator[tuple[int, str]]:
        """Return the numbers and ids of all documents."""
        rows = self.connection.rows("SELECT number, id, id_checksum FROM documents")
        if len(rows) != self.count:
            raise self.damaged()
        for number, *row in rows:
            yield number, self.sound(*row, number).decode("utf-8")

    def fields(self, number: int) -> tuple[dict[str, Any], list[str]]:
        """Return the fields of a document except its vectors, and the names of its vector fields."""
        found = dict(self.fields_of([number]))
        if number not in found:
            raise self.damaged()
        return found[number]

    def fields_of(self, numbers: Sequence[int]) -> Iterator[tuple[int, tuple[dict[str, Any], list[str]]]]:
        """Return the numbers of documents, their fields except vectors, and the names of their vector fields."""
        for number, *row in self._rows_of(FIELDS, numbers):
            identifier, id_checksum, attributes, checksum, content, text_checksum = row
            try:
                start = row_checksum.of((number,))
                sound = (
                    crc32(identifier, start) == id_checksum
                    and crc32(attributes, start) == checksum
                    and crc32(content, start) == text_checksum
                )
            except TypeError:
                sound = False
            if not sound:
                raise self.damaged()
            own = stored_json.read(attributes.decode("utf-8"))
            texts = stored_json.read(self._unpacked(sqlite_packing.unpack_text, content))
            own["id"] = identifier.decode("utf-8")
            fields = {name: own[name] if text is None else text for name, text in texts["fields"].items()}
            yield number, (fields, texts["vectors"])

    def stored_at(self, numbers: Sequence[int]) -> list[StoredDocument]:
        """Return some documents."""
        return [self._document(number) for number in numbers]

    def all_stored(self) -> Iterator[StoredDocument]:
        """Return all documents."""
        for number, _ in self.identifiers():
            yield self._document(number)

    def vector(self, number: int, field: str) -> list[float]:
        """Return the vector of a document in a field that it has."""
        row = self.field(schema.ATTRIBUTES, field)
        found = {} if row is None else dict(self.vectors(row.field, [number], vector_dimension("field", field)))
        if number not in found:
            raise self.damaged()
        return found[number][1]

    def vectors(self, field: int, numbers: Sequence[int], dimension: int) -> Iterator[tuple[int, Vector]]:
        """Return the number, norm and vector of each of some documents that has a vector in a field."""
        for number, packed in self.packed_vectors(field, numbers, dimension):
            norm, *vector = struct.unpack(f"<d{dimension}{COMPONENTS[(len(packed) - 8) // dimension]}", packed)
            yield number, (norm, vector)

    def packed_vectors(self, field: int, numbers: Sequence[int], dimension: int) -> Iterator[tuple[int, bytes]]:
        """Return the same in the stored form: a norm of 8 bytes and components of 4 or 8 bytes."""
        first = field << NUMBER_BITS
        for key, content, checksum in self._rows_of(VECTORS, [first + number for number in numbers]):
            if (len(self.sound(content, checksum, key)) - 8) / dimension not in COMPONENTS:
                raise self.damaged()
            yield key - first, content

    def field(self, kind: int, name: str) -> FieldRow | None:
        """Return a field, or `None` if no document has ever had it."""
        row = self.field_row(kind, name)
        return None if row is None else FieldRow(row.field, name, row.documents, row.tokens)

    def field_row(self, kind: int, name: str) -> SqliteField | None:
        """Return the row of a field, or `None` if no document has ever had it."""
        found = self._fields(f"{sqlite_rows.A_FIELD} WHERE kind = ? AND name = ?", kind, name.encode("utf-8"))
        if not found and not self._fields_are_whole:  # a row whose name or kind has changed, or a missing one
            if len(self._fields(sqlite_rows.A_FIELD)) != self.whole.fields:
                raise self.damaged()
            self._fields_are_whole = True
        return found[0] if found else None

    def holds_vectors(self, name: str) -> bool:
        """Return whether a document has a vector in a field."""
        row = self.field(schema.ATTRIBUTES, name)
        return row is not None and row.documents > 0

    def places(self, field: int, token: bytes) -> bytes:
        """Return the places of a term, ascending."""
        row = self._row(
            "SELECT term, documents, chunks, places, checksum FROM terms WHERE field = ? AND token = ?", field, token
        )
        return b"" if row is None else self._all_places(field, token, *row)

    def terms(self, field: int) -> Iterator[tuple[bytes, bytes]]:
        """Return each term of a field, with its places."""
        rows = self.connection.rows(
            "SELECT token, term, documents, chunks, places, checksum FROM terms WHERE field = ?", field
        )
        if len(rows) != self._counts(field).terms:
            raise self.damaged()
        for row in rows:
            yield row[0], self._all_places(field, *row)

    def frequencies(self, field: int) -> dict[int, int]:
        """Return document frequency → the number of terms that have it."""
        found: dict[int, int] = {}
        for documents, terms, checksum in self.connection.rows(
            "SELECT documents, terms, checksum FROM frequencies WHERE field = ?", field
        ):
            self.check(checksum, (field, documents, terms))
            found[documents] = terms
        if sum(found.values()) != self._counts(field).terms:  # whole numbers
            raise self.damaged()
        return found

    def frequencies_of(self, field: int, documents: Sequence[int]) -> dict[int, int]:
        """Return document frequency → the number of terms that have it, for some of those that a term has."""
        statement = "SELECT documents, terms, checksum FROM frequencies WHERE field = ? AND documents IN ({})"
        found: dict[int, int] = {}
        for frequency, terms, checksum in self._rows_of(statement, documents, field):
            self.check(checksum, (field, frequency, terms))
            found[frequency] = terms
        return found

    def lengths(
        self, field: int, known: Collection[int], changed: Collection[int] | None
    ) -> Iterator[tuple[int, bytes]]:
        """Yield the blocks of a field's lengths, with the number of each, except known ones; see `PostingTables`."""
        if changed is None:
            rows = self.connection.rows("SELECT block FROM lengths WHERE block BETWEEN ? AND ?", *_keys(field))
            changed = [block for (key,) in rows if (block := _low(key)) not in known]
        left = self._counts(field).blocks - len(known)
        for block in changed:
            if (lengths := self.length_block(field, block)) is not None:
                left -= 1
                yield block, lengths
        if left:
            raise self.damaged()

    def length_blocks(self, field: int, blocks: Sequence[int]) -> Iterator[tuple[int, int, bytes]]:
        """Yield blocks of lengths of a field, each with its field and number; each must exist."""
        for block in blocks:
            if (lengths := self.length_block(field, block)) is None:
                raise self.damaged()
            yield field, block, lengths

    def length_block(self, field: int, block: int) -> bytes | None:
        """Return a block of lengths, or `None`."""
        key = (field << NUMBER_BITS) + block
        row = self._row("SELECT lengths, checksum FROM lengths WHERE block = ?", key)
        return None if row is None else self.sound(*row, key)

    def sketch_generations(self, field: int) -> list[tuple[int, int]]:
        """Return the keys of a field's blocks of sketches, and the generation of the last change of each."""
        rows = self.connection.rows(
            "SELECT block, generation FROM sketches WHERE block BETWEEN ? AND ? ORDER BY block", *_keys(field)
        )
        return [(_low(block), generation) for block, generation in rows]

    def sketches(self, field: int, block: int, dimension: int) -> SketchBlock | None:
        """Return a block of sketches, or `None`."""
        key = (field << NUMBER_BITS) + block
        row = self._row("SELECT generation, ratios, errors, steps, checksum FROM sketches WHERE block = ?", key)
        if row is None:
            return None
        *parts, checksum = row
        found = SketchBlock(block, *parts)
        self.check(checksum, (key, found.generation), *parts[1:])
        if len(b"".join(parts[1:])) != schema.VECTORS_IN_BLOCK * (16 + dimension):
            raise self.damaged()
        return found

    def _document(self, number: int) -> StoredDocument:
        fields, vector_fields = self.fields(number)
        vectors = {field: self.vector(number, field) for field in vector_fields}
        return StoredDocument(fields["id"], fields, vectors)

    def _fields(self, statement: str, *values: Any) -> list[SqliteField]:
        found = []
        for *row, checksum in self.connection.rows(statement, *values):
            field, kind, name, *counts = row
            self.check(checksum, (field, kind, *counts), name)
            found.append(SqliteField(*row))
        return found

    def _counts(self, field: int) -> SqliteField:
        found = self._fields(f"{sqlite_rows.A_FIELD} WHERE field = ?", field)
        if not found:
            raise self.damaged()
        return found[0]

    def _all_places(
        self, field: int, token: bytes, term: int, documents: int, chunks: int, places: bytes, checksum: int
    ) -> bytes:
        self.check(checksum, (field, documents, chunks), token, places)
        if not chunks:
            return self.unpacked_places([places])
        self.check_term(term)
        rows = self.connection.rows(
            "SELECT places, checksum, chunk FROM postings WHERE chunk BETWEEN ? AND ? ORDER BY chunk", *_keys(term)
        )
        if len(rows) != chunks:
            raise self.damaged()
        return self.unpacked_places([*(self.sound(*row) for row in rows), places])

    def sound(self, content: bytes, checksum: int, *integers: int) -> bytes:
        """Return the only blob of a row, after a check that the row is unchanged.

        Args:
            content: the only blob of the row.
            checksum: the checksum of the row.
            integers: the other values of the row.
        """
        self.check(checksum, integers, content)
        return content

    def check(self, checksum: Any, integers: tuple[int, ...], *contents: bytes) -> None:
        """Raise an error unless a row is unchanged."""
        try:
            if row_checksum.of(integers, *contents) == checksum:
                return
        except TypeError:
            pass
        raise self.damaged()

    def unpacked_places(self, packed: Sequence[bytes]) -> bytes:
        """Return the places in blobs of unchanged rows, one blob after the other."""
        return self._unpacked(sqlite_packing.unpack_places, packed)

    def last_numbers(self, packed: Sequence[bytes]) -> tuple[Integers, Integers]:
        """Return the numbers of the last documents, and the numbers of places, in blobs of unchanged rows."""
        return self._unpacked(sqlite_packing.last_numbers, packed)

    def _unpacked(self, unpack: Callable[[Packed], Unpacked], packed: Packed) -> Unpacked:
        try:
            return unpack(packed)
        except ValueError:
            raise self.damaged() from None

    def check_term(self, term: int) -> None:
        """Raise an error if the key of a term, which no checksum covers, cannot have chunks."""
        if not 0 < term < 1 << (NUMBER_BITS - 1):
            raise self.damaged()

    def damaged(self) -> IndexCorruptError:
        """Return the error of a file whose contents differ from what was written."""
        return sqlite_errors.damaged(self._path)

    def _rows_of(self, statement: str, keys: Sequence[int], *first_values: int) -> Iterator[Sequence[Any]]:
        """Yield the rows of many keys, read in groups; some values precede the keys in the statement."""
        for first in range(0, len(keys), AT_ONCE):
            some = keys[first : first + AT_ONCE]
            size = 1 if len(some) == 1 else AT_ONCE
            asked = statement.format(", ".join("?" * size))
            yield from self.connection.rows(asked, *first_values, *some, *[-1] * (size - len(some)))

    def _row(self, statement: str, *values: Any) -> Sequence[Any] | None:
        return self.connection.row(statement, *values)


def _keys(high: int) -> tuple[int, int]:
    """Return the lowest and the highest key of a term or a field."""
    return high << NUMBER_BITS, ((high + 1) << NUMBER_BITS) - 1


def _low(key: int) -> int:
    return key & ((1 << NUMBER_BITS) - 1)

"""Reads the tables of an index file, in one state of it (SQL-1)."""

import struct
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple
from zlib import crc32

from hybrid_search.doc_store_adapter import _blobs as blobs
from hybrid_search.doc_store_adapter import _sqlite_errors as sqlite_errors
from hybrid_search.doc_store_adapter import _sqlite_schema as schema
from hybrid_search.doc_store_adapter import _stored_json as stored_json
from hybrid_search.doc_store_adapter._blobs import NUMBER_BITS
from hybrid_search.doc_store_adapter._posting_tables import FieldRow
from hybrid_search.doc_store_adapter._sqlite_connection import SqliteConnection
from hybrid_search.doc_store_adapter._stored_document import StoredDocument, vector_dimension
from hybrid_search.errors import IndexCorruptError

AT_ONCE = 200
IDENTIFIERS = "SELECT number, id, id_checksum FROM documents WHERE number IN ({})"
FIELDS = (
    "SELECT number, id, id_checksum, attributes, documents.checksum, content, texts.checksum "
    "FROM documents JOIN texts USING (number) WHERE number IN ({})"
)
VECTORS = "SELECT vector, content, checksum FROM vectors WHERE vector IN ({})"


class SketchBlock(NamedTuple):
    """Sketches of the vectors of documents whose numbers are near each other.

    Attributes:
        block: its key.
        generation: when it was changed last.
        ratios: of each vector, 64 bits each.
        errors: of each vector, 64 bits each.
        steps: one component of all vectors after the other, 8 bits each.
    """

    block: int
    generation: int
    ratios: bytes
    errors: bytes
    steps: bytes


class SqliteTables:
    """The tables as a transaction sees them.

    Args:
        path: of the file, for messages.
        connection: one with an open transaction.

    Raises:
        IndexCorruptError: from every method, where something is not what was written.

    Attributes:
        connection: as given.
        generation: how many batches have changed something.
        count: how many documents there are.
        numbers: all numbers of documents are below.
    """

    def __init__(self, path: str, connection: SqliteConnection) -> None:
        self._path = path
        self.connection = connection
        row = connection.row("SELECT generation, documents, numbers FROM state")
        if row is None:
            raise sqlite_errors.damaged(path)
        self.generation: int
        self.count: int
        self.numbers: int
        self.generation, self.count, self.numbers = row

    @property
    def state(self) -> int:
        """Another one after each change."""
        return self.generation

    def note(self, name: str) -> str | None:
        """What was noted under a name, or none."""
        row = self._row("SELECT text, checksum FROM notes WHERE name = ?", name.encode("utf-8"))
        if row is None:
            return None
        text, checksum = row
        if not isinstance(text, bytes) or crc32(text) != checksum:
            raise self.damaged()
        return text.decode("utf-8")

    def vector_models(self) -> dict[str, str]:
        """Vector field → the name of the model that made its vectors."""
        rows = self.connection.rows("SELECT field, model FROM vector_models ORDER BY field")
        return {field.decode("utf-8"): model for field, model in rows}

    def number(self, identifier: str) -> int | None:
        """The number of a document, or none."""
        row = self._row("SELECT number FROM documents WHERE id = ?", identifier.encode("utf-8"))
        return None if row is None else int(row[0])

    def numbers_of(self, identifiers: Iterable[str]) -> dict[str, int]:
        """The ids and numbers of those of some documents that are stored."""
        found = ((identifier, self.number(identifier)) for identifier in dict.fromkeys(identifiers))
        return {identifier: number for identifier, number in found if number is not None}

    def identifiers_of(self, numbers: Sequence[int]) -> dict[int, str]:
        """The numbers and ids of some documents."""
        found: dict[int, str] = {}
        for number, *row in self._rows_of(IDENTIFIERS, numbers):
            found[number] = self.sound(*row).decode("utf-8")
        if len(found) != len(numbers):
            raise self.damaged()
        return found

    def identifiers(self) -> Iterator[tuple[int, str]]:
        """The numbers and ids of all documents."""
        for number, *row in self.connection.rows("SELECT number, id, id_checksum FROM documents"):
            yield number, self.sound(*row).decode("utf-8")

    def fields(self, number: int) -> tuple[dict[str, Any], list[str]]:
        """The fields of a document but its vectors, and the names of its vector fields."""
        found = dict(self.fields_of([number]))
        if number not in found:
            raise self.damaged()
        return found[number]

    def fields_of(self, numbers: Sequence[int]) -> Iterator[tuple[int, tuple[dict[str, Any], list[str]]]]:
        """The numbers of documents, their fields but the vectors, and the names of their vector fields."""
        for number, *row in self._rows_of(FIELDS, numbers):
            own = stored_json.read(self._sound_text(*row[2:4]))
            texts = stored_json.read(self._sound_text(*row[4:]))
            own["id"] = self.sound(*row[:2]).decode("utf-8")
            fields = {name: own[name] if text is None else text for name, text in texts["fields"].items()}
            yield number, (fields, texts["vectors"])

    def stored_at(self, numbers: Sequence[int]) -> list[StoredDocument]:
        """Some documents."""
        return [self._document(number) for number in numbers]

    def all_stored(self) -> Iterator[StoredDocument]:
        """All documents."""
        for number, _ in self.identifiers():
            yield self._document(number)

    def vector(self, number: int, field: str) -> list[float]:
        """The vector of a document in a field that it has."""
        row = self.field(schema.ATTRIBUTES, field)
        found = {} if row is None else dict(self.vectors(row.field, [number], vector_dimension("field", field)))
        if number not in found:
            raise self.damaged()
        return found[number][1]

    def vectors(
        self, field: int, numbers: Sequence[int], dimension: int
    ) -> Iterator[tuple[int, tuple[float, list[float]]]]:
        """The numbers of those of some documents that have a vector in a field, with its norm and the vector."""
        layouts = {8 + width * dimension: struct.Struct(f"<d{dimension}{name}") for width, name in ((4, "f"), (8, "d"))}
        first = field << NUMBER_BITS
        for key, content, checksum in self._rows_of(VECTORS, [first + number for number in numbers]):
            layout = layouts.get(len(self.sound(content, checksum)))
            if layout is None:
                raise self.damaged()
            norm, *vector = layout.unpack(content)
            yield key - first, (norm, vector)

    def field(self, kind: int, name: str) -> FieldRow | None:
        """A field, or none if no document has ever had it."""
        row = self._row(
            "SELECT field, documents, tokens FROM fields WHERE kind = ? AND name = ?", kind, name.encode("utf-8")
        )
        return None if row is None else FieldRow(row[0], name, row[1], row[2])

    def holds_vectors(self, name: str) -> bool:
        """Whether a document has a vector in a field."""
        row = self.field(schema.ATTRIBUTES, name)
        return row is not None and row.documents > 0

    def places(self, field: int, token: bytes) -> bytes:
        """The places of a term, ascending."""
        row = self._row("SELECT term, chunks, places, checksum FROM terms WHERE field = ? AND token = ?", field, token)
        return b"" if row is None else self._all_places(*row)

    def terms(self, field: int) -> Iterator[tuple[bytes, bytes]]:
        """Each term of a field, with its places."""
        rows = self.connection.rows("SELECT token, term, chunks, places, checksum FROM terms WHERE field = ?", field)
        for token, *row in rows:
            yield token, self._all_places(*row)

    def frequencies(self, field: int) -> dict[int, int]:
        """In how many documents terms are → how many terms are in so many."""
        rows = self.connection.rows("SELECT documents, terms FROM frequencies WHERE field = ?", field)
        return {row[0]: row[1] for row in rows}

    def lengths(self, field: int) -> Iterator[tuple[int, bytes]]:
        """The blocks of a field's lengths, with the number of the first document of each."""
        rows = self.connection.rows(
            "SELECT block, lengths, checksum FROM lengths WHERE block BETWEEN ? AND ?", *_keys(field)
        )
        for block, lengths, checksum in rows:
            yield _low(block) * blobs.LENGTHS_IN_BLOCK, self.sound(lengths, checksum)

    def length_block(self, field: int, block: int) -> bytes | None:
        """A block of lengths, or none."""
        row = self._row("SELECT lengths, checksum FROM lengths WHERE block = ?", (field << NUMBER_BITS) + block)
        return None if row is None else self.sound(*row)

    def sketch_generations(self, field: int) -> list[tuple[int, int]]:
        """The keys of a field's blocks of sketches, and when each was changed last."""
        rows = self.connection.rows(
            "SELECT block, generation FROM sketches WHERE block BETWEEN ? AND ? ORDER BY block", *_keys(field)
        )
        return [(_low(block), generation) for block, generation in rows]

    def sketches(self, field: int, block: int, dimension: int) -> SketchBlock | None:
        """A block of sketches, or none."""
        row = self._row(
            "SELECT generation, ratios, errors, steps, checksum FROM sketches WHERE block = ?",
            (field << NUMBER_BITS) + block,
        )
        if row is None:
            return None
        *parts, checksum = row
        found = SketchBlock(block, *parts)
        content = self.sound(found.ratios + found.errors + found.steps, checksum)
        if len(content) != schema.VECTORS_IN_BLOCK * (16 + dimension):
            raise self.damaged()
        return found

    def _document(self, number: int) -> StoredDocument:
        fields, vector_fields = self.fields(number)
        vectors = {field: self.vector(number, field) for field in vector_fields}
        return StoredDocument(fields["id"], fields, vectors)

    def _all_places(self, term: int, chunks: int, places: bytes, checksum: int) -> bytes:
        last = self.sound(places, checksum)
        if not chunks:
            return last
        rows = self.connection.rows(
            "SELECT places, checksum FROM postings WHERE chunk BETWEEN ? AND ? ORDER BY chunk", *_keys(term)
        )
        found = [self.sound(*row) for row in rows]
        if len(found) != chunks:
            raise self.damaged()
        return b"".join((*found, last))

    def sound(self, content: bytes, checksum: int) -> bytes:
        """A blob, if it is what was written."""
        if not isinstance(content, bytes) or crc32(content) != checksum:
            raise self.damaged()
        return content

    def damaged(self) -> IndexCorruptError:
        """The error of a file that does not hold what was written."""
        return sqlite_errors.damaged(self._path)

    def _rows_of(self, statement: str, keys: Sequence[int]) -> Iterator[Sequence[Any]]:
        """The rows of many keys, some at once."""
        for first in range(0, len(keys), AT_ONCE):
            some = keys[first : first + AT_ONCE]
            size = 1 if len(some) == 1 else AT_ONCE
            asked = statement.format(", ".join("?" * size))
            yield from self.connection.rows(asked, *some, *[-1] * (size - len(some)))

    def _row(self, statement: str, *values: Any) -> Sequence[Any] | None:
        return self.connection.row(statement, *values)

    def _sound_text(self, content: str, checksum: int) -> str:
        if not isinstance(content, str) or crc32(content.encode("utf-8")) != checksum:
            raise self.damaged()
        return content


def _keys(high: int) -> tuple[int, int]:
    """The lowest and the highest key of a term or a field."""
    return high << NUMBER_BITS, ((high + 1) << NUMBER_BITS) - 1


def _low(key: int) -> int:
    return key & ((1 << NUMBER_BITS) - 1)

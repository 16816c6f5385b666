"""Writes a batch into the tables of a collection in PostgreSQL (PG-1)."""

import struct
from collections.abc import Iterable, Mapping, Sequence

from hybrid_search.base import numeric
from hybrid_search.doc_store_adapter.documents import stored_document, stored_json
from hybrid_search.doc_store_adapter.documents.stored_document import StoredDocument
from hybrid_search.doc_store_adapter.postgres import postgres_attributes, postgres_keys, postgres_screen
from hybrid_search.doc_store_adapter.postgres.postgres_connection import Row
from hybrid_search.doc_store_adapter.postgres.postgres_postings import PostgresPostings
from hybrid_search.doc_store_adapter.postgres.postgres_tables import PostgresTables
from hybrid_search.doc_store_adapter.tables import blobs, document_changes
from hybrid_search.doc_store_adapter.tables.document_changes import Batch, Change, FieldChange
from hybrid_search.doc_store_adapter.vector_models import VectorSource

VECTOR_TYPES = ("int4", "int4", "bytea", "bytea", "float8")
VectorRow = tuple[int, int, bytes | None, bytes | None, float]


class PostgresWriter:
    """Changes documents in a transaction.

    Args:
        tables: the tables as the transaction sees them.
    """

    def __init__(self, tables: PostgresTables) -> None:
        self._tables = tables
        self._connection = tables.connection
        self._fields = {name: row.field for name, row in tables.fields.items()}

    def write(self, batch: Batch, numbers: Mapping[str, int]) -> None:
        """Write a batch.

        Args:
            batch: each document before and after the change.
            numbers: the ids and numbers of the stored documents.
        """
        numbered = document_changes.numbered(batch, numbers, self._free_numbers)
        self._write_documents(numbered)
        terms = self._write_terms(numbered)
        vectors = self._write_vectors(numbered)
        added = sum(1 for change in numbered if change.before is None)
        removed = sum(1 for change in numbered if change.after is None)
        count = self._tables.count + added - removed
        self._connection.later("change_meta", count, max(self._tables.numbers, 1 + numbered[-1].number), terms)
        touched = [change.number for change in numbered]
        packed = blobs.pack_lengths(touched) if len(touched) <= document_changes.MOST_NOTED else None
        self._connection.later("keep_change", self._tables.generation - document_changes.MOST_BATCHES, packed)
        if vectors:  # last, since copying waits for the server
            self._connection.copy("copy_vectors", VECTOR_TYPES, vectors)

    def keep_source(self, field: str, source: VectorSource) -> None:
        """Store the source of a field's vectors."""
        model = None if source.model is None else source.model.encode("utf-8")
        self._connection.run("keep_source", field.encode("utf-8"), model, source.origin)
        self._connection.run("change_state")

    def _free_numbers(self, count: int) -> list[int]:
        found = self._tables.free_numbers[:count]
        if found:
            self._connection.later("take_numbers", found)
        return found + list(range(self._tables.numbers, self._tables.numbers + count - len(found)))

    def _write_documents(self, changes: Sequence[Change]) -> None:
        if stored := [change.number for change in changes if change.before is not None]:
            self._connection.later("remove_documents", stored)
        if free := [change.number for change in changes if change.after is None]:
            self._connection.later("give_numbers", free)
        rows = [_row(change.number, change.after) for change in changes if change.after is not None]
        self._connection.later_rows("add_documents", rows)

    def _write_terms(self, changes: Sequence[Change]) -> int:
        """Write terms and lengths; return a number above all keys of terms."""
        postings = PostgresPostings(self._connection, self._tables.terms)
        fields = {self._field(name): one for name, one in document_changes.by_field(changes, _terms).items()}
        if fields:
            rows = [(field, one.documents, one.tokens, one.filled) for field, one in fields.items()]
            self._connection.later_rows("change_fields", rows)
            terms = {(field, token): one for field, change in fields.items() for token, one in change.terms().items()}
            blocks = _blocks(fields)
            known, lengths = self._connection.together(postings.question(terms), ("length_blocks", *_columns(blocks)))
            postings.change(terms, known)
            self._write_lengths(fields, blocks, lengths)
        return postings.terms

    def _write_lengths(
        self, fields: Mapping[int, FieldChange], wanted: Sequence[tuple[int, int]], rows: Iterable[Row]
    ) -> None:
        size = blobs.LENGTHS_IN_BLOCK
        known = {(field, block): packed for field, block, packed in rows}
        lengths = {
            key: list(blobs.unpack_lengths(known[key])) if key in known else [blobs.NO_LENGTH] * size for key in wanted
        }
        for field, change in fields.items():
            for number, length in change.lengths.items():
                lengths[field, number // size][number % size] = blobs.NO_LENGTH if length is None else length
        self._connection.later_rows("change_lengths", [(*key, blobs.pack_lengths(lengths[key])) for key in wanted])

    def _write_vectors(self, changes: Iterable[Change]) -> list[VectorRow]:
        """Remove vectors, and return the rows of new ones."""
        removed: list[tuple[int, int]] = []
        rows: list[VectorRow] = []
        counts: dict[int, int] = {}
        for number, before, after in changes:
            then = {} if before is None else before.vectors
            now = {} if after is None else after.vectors
            for name in {**then, **now}:
                if then.get(name) is now.get(name):  # an update leaves unchanged vectors as the same object
                    continue
                field = self._field(name)
                counts[field] = counts.get(field, 0) + (name in now) - (name in then)
                if name in then:
                    removed.append((field, number))
                if name in now:
                    rows.append((field, number, *_vector(now[name])))
        self._connection.later_rows("remove_vectors", removed)
        self._connection.later_rows("change_fields", [(field, count, 0, 0) for field, count in counts.items()])
        return rows

    def _field(self, name: str) -> int:
        if name not in self._fields:
            self._fields[name] = 1 + max(self._fields.values(), default=-1)
            self._connection.later("add_field", self._fields[name], name.encode("utf-8"))
        return self._fields[name]


def _blocks(fields: Mapping[int, FieldChange]) -> list[tuple[int, int]]:
    """Return the fields and numbers of the blocks of lengths that change."""
    size = blobs.LENGTHS_IN_BLOCK
    return sorted({(field, number // size) for field, change in fields.items() for number in change.lengths})


def _columns(rows: Sequence[Sequence[int]]) -> list[list[int]]:
    return [list(column) for column in zip(*rows, strict=True)]


def _terms(document: StoredDocument | None) -> dict[str, list[bytes]]:
    """Return field → the tokens of a document in their order."""
    if document is None:
        return {}
    return {
        name: [token.encode("utf-8") for token in stored_document.tokens(name, value)]
        for name, value in document.fields.items()
        if stored_document.is_searchable(name)
    }


def _row(number: int, document: StoredDocument) -> tuple[int, bytes, bytes, str, str]:
    identifier = document.identifier.encode("utf-8")
    key = postgres_keys.key_of(identifier)
    body = stored_json.write({"fields": document.fields, "vectors": list(document.vectors)})
    attributes = postgres_attributes.of(document.fields, document.vectors)
    return (
        number,
        key,
        b"" if key == identifier else identifier,
        body,
        attributes or "",
    )


def _vector(components: Sequence[float]) -> tuple[bytes | None, bytes | None, float]:
    """Return a vector's row: 32-bit components for screening, exact ones if those differ, and the norm."""
    norm = numeric.norm(components)
    screen = postgres_screen.pack(components, norm)
    is_exact = screen is not None and blobs.fits_single(components)
    return screen, None if is_exact else struct.pack(f"<{len(components)}d", *components), norm

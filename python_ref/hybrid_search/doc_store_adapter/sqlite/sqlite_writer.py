"""Writes a batch into the tables of an index file (SQL-1)."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from hybrid_search.base.kernels import kernel
from hybrid_search.doc_store_adapter.documents import stored_document, stored_json
from hybrid_search.doc_store_adapter.documents.stored_document import StoredDocument
from hybrid_search.doc_store_adapter.filters import attributes
from hybrid_search.doc_store_adapter.sqlite import sqlite_packing
from hybrid_search.doc_store_adapter.sqlite import sqlite_schema as schema
from hybrid_search.doc_store_adapter.sqlite.sqlite_changes import SqliteChanges
from hybrid_search.doc_store_adapter.sqlite.sqlite_rows import SqliteField
from hybrid_search.doc_store_adapter.sqlite.sqlite_tables import SqliteTables
from hybrid_search.doc_store_adapter.tables import document_changes, row_checksum
from hybrid_search.doc_store_adapter.tables.document_changes import Batch, Change
from hybrid_search.doc_store_adapter.vector_models import VectorSource

EVERY = b""
"""The token of the field that all documents have."""


class SqliteWriter:
    """Changes documents, in a transaction.

    Args:
        tables: the tables in the view of the transaction.
        kernels: see `kernels.choice`.
    """

    def __init__(self, tables: SqliteTables, kernels: str | None = None) -> None:
        self._connection = tables.connection
        self._tables = tables
        self._postings = kernel("sqlite_postings", kernels)(tables)
        self._blocks = kernel("sqlite_blocks", kernels)(tables)
        self._fields = tables.whole.fields

    def write(self, batch: Batch, numbers: Mapping[str, int]) -> None:
        """Write a batch.

        Args:
            batch: each document before and after the change.
            numbers: the ids and numbers of the stored documents.
        """
        numbered = document_changes.numbered(batch, numbers, self._free_numbers)
        self._write_documents(numbered)
        self._write_terms(numbered)
        self._write_vectors(numbered)
        added = sum(1 for change in numbered if change.before is None)
        removed = sum(1 for change in numbered if change.after is None)
        self._tables.change_state(
            generation=self._tables.generation + 1,
            documents=self._tables.count + added - removed,
            numbers=max(self._tables.numbers, 1 + numbered[-1].number),
            fields=self._fields,
        )
        SqliteChanges(self._tables).add([change.number for change in numbered])

    def keep_source(self, field: str, source: VectorSource) -> None:
        """Store the source of the vectors of a field."""
        values = [value.encode("utf-8") for value in (field, source.model or "", source.origin or "")]
        self._connection.run("REPLACE INTO vector_models VALUES (?, ?, ?, ?)", *values, row_checksum.of((), *values))
        self._tables.change_state()

    def _free_numbers(self, count: int) -> list[int]:
        rows = self._connection.rows("SELECT number FROM free_numbers ORDER BY number LIMIT ?", count)
        self._connection.run_many("DELETE FROM free_numbers WHERE number = ?", rows)
        found = [number for (number,) in rows]
        if found and not 0 <= found[0] <= found[-1] < self._tables.numbers:
            raise self._tables.damaged()
        return found + list(range(self._tables.numbers, self._tables.numbers + count - len(found)))

    def _write_documents(self, changes: Iterable[Change]) -> None:
        documents, texts = [], []
        for number, before, after in changes:
            if after is None:
                self._connection.run("DELETE FROM documents WHERE number = ?", number)
                self._connection.run("DELETE FROM texts WHERE number = ?", number)
                self._connection.run("INSERT INTO free_numbers VALUES (?)", number)
                continue
            document, text = _contents(number, after)
            if before is None:
                identifier = after.identifier.encode("utf-8")
                documents.append((number, identifier, row_checksum.of((number,), identifier), *document))
                texts.append((number, *text))
            else:
                self._connection.run(
                    "UPDATE documents SET attributes = ?, checksum = ? WHERE number = ?", *document, number
                )
                self._connection.run("UPDATE texts SET content = ?, checksum = ? WHERE number = ?", *text, number)
        # If another document has the number, SQLite raises an error.
        self._connection.run_many("INSERT INTO documents VALUES (?, ?, ?, ?, ?)", documents)
        self._connection.run_many("INSERT INTO texts VALUES (?, ?, ?)", texts)

    def _write_terms(self, changes: Iterable[Change]) -> None:
        for (kind, name), change in document_changes.by_field(changes, _terms).items():
            row = self._field(kind, name)
            terms = self._postings.change(row.field, change)
            blocks = self._blocks.change_lengths(row.field, change.lengths) if kind == schema.TOKENS else 0
            self._write_field(
                row._replace(
                    documents=row.documents + change.documents,
                    tokens=row.tokens + change.tokens,
                    terms=row.terms + terms,
                    blocks=row.blocks + blocks,
                )
            )

    def _write_vectors(self, changes: Iterable[Change]) -> None:
        fields: dict[str, dict[int, Sequence[float] | None]] = {}
        for number, before, after in changes:
            then = {} if before is None else before.vectors
            now = {} if after is None else after.vectors
            for name in {**then, **now}:
                if then.get(name) is not now.get(name):  # what an update leaves alone is the same object
                    fields.setdefault(name, {})[number] = now.get(name)
        for name, vectors in fields.items():
            field = self._field(schema.ATTRIBUTES, name).field
            self._blocks.change_vectors(field, name, vectors, self._tables.generation + 1)

    def _field(self, kind: int, name: str) -> SqliteField:
        """Return the row of a field, which is added if it is missing."""
        row = self._tables.field_row(kind, name)
        if row is None:
            self._fields += 1
            row = SqliteField(self._fields, kind, name.encode("utf-8"), 0, 0, 0, 0)
            self._connection.run("INSERT INTO fields VALUES (?, ?, ?, ?, ?, ?, ?, ?)", *row, row.checksum())
        return row

    def _write_field(self, row: SqliteField) -> None:
        self._connection.run(
            "UPDATE fields SET documents = ?, tokens = ?, terms = ?, blocks = ?, checksum = ? WHERE field = ?",
            *row[3:],
            row.checksum(),
            row.field,
        )


def _contents(number: int, document: StoredDocument) -> tuple[tuple[str, int], tuple[bytes, int]]:
    """Return the attributes of a document, and its texts, each with a checksum."""
    own = {name: value for name, value in document.fields.items() if attributes.is_attribute(name)}
    texts = {name: None if name in own or name == "id" else value for name, value in document.fields.items()}
    written = stored_json.write(own)
    content = sqlite_packing.pack_text(stored_json.write({"fields": texts, "vectors": list(document.vectors)}))
    return (
        (written, row_checksum.of((number,), written.encode("utf-8"))),
        (content, row_checksum.of((number,), content)),
    )


def _terms(document: StoredDocument | None) -> dict[tuple[int, str], list[bytes]]:
    """Return (kind, field) → the tokens of a document, in their order."""
    if document is None:
        return {}
    found = {(schema.DOCUMENTS, ""): [EVERY]}
    texts: dict[str, list[bytes]] = {}
    for name, value in document.fields.items():
        if stored_document.is_searchable(name):
            found[schema.TOKENS, name] = _encoded(name, value, texts)
    for name, written in attributes.of(document.fields, document.vectors).items():
        found[schema.ATTRIBUTES, name] = [written]
    return found


def _encoded(name: str, value: Any, texts: dict[str, list[bytes]]) -> list[bytes]:
    """Return the tokens of a field; fields with the same text share one object."""
    if stored_document.is_keyword_field(name):
        return stored_document.encoded_tokens(name, value)
    if value not in texts:
        texts[value] = stored_document.encoded_tokens(name, value)
    return texts[value]

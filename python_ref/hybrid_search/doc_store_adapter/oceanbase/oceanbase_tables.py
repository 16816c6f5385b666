"""Reads the tables of a collection in OceanBase in one state (OB-1)."""

import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from hybrid_search.doc_store_adapter.documents import stored_document, stored_json
from hybrid_search.doc_store_adapter.documents.stored_document import StoredDocument
from hybrid_search.doc_store_adapter.documents.stored_fields import StoredFields
from hybrid_search.doc_store_adapter.filters.filters import Filters
from hybrid_search.doc_store_adapter.oceanbase import oceanbase_statements as sql
from hybrid_search.doc_store_adapter.oceanbase.oceanbase_connection import OceanBaseConnection, Row
from hybrid_search.doc_store_adapter.oceanbase.oceanbase_filters import OceanBaseFilters, UndecidedError
from hybrid_search.doc_store_adapter.tables.document_row import DocumentRow
from hybrid_search.doc_store_adapter.tables.posting_tables import FieldRow
from hybrid_search.doc_store_adapter.vector_models import VectorSource

PART = 500
"""The number of documents that are read together."""
AVAILABILITY = "available_int"
EVERYTHING = "true"


class OceanBaseTables:
    """The tables as a transaction sees them.

    Args:
        connection: a connection with an open transaction.
        row: the metadata of the collection.

    Attributes:
        connection: as given.
        generation: the number of batches that have changed something.
        state: the same, since nothing is cached from one transaction to the next.
        count: the number of documents.
        numbers: a number above all numbers of documents.
    """

    def __init__(self, connection: OceanBaseConnection, row: Row) -> None:
        self.connection = connection
        self.generation: int = row[1]
        self.state: int = row[1]
        self.count: int = row[2]
        self.numbers: int = row[3]
        self._conditions: dict[Any, str] = {}

    @cached_property
    def fields(self) -> dict[str, FieldRow]:
        """Name → field, for all counted fields that documents have ever had."""
        rows = self.connection.rows("fields")
        return {
            name.decode("utf-8"): FieldRow(field, name.decode("utf-8"), documents, tokens, filled)
            for field, name, documents, tokens, filled in rows
        }

    def sources(self) -> dict[str, VectorSource]:
        """Return the stored sources of vector fields."""
        return {
            StoredFields.vector_field(dimension): VectorSource(None if model is None else model.decode("utf-8"), origin)
            for dimension, model, origin in self.connection.rows("models")
        }

    def vector_counts(self) -> dict[str, int]:
        """Return vector field → the number of documents that have it."""
        rows = self.fields.items()
        return {name: row.documents for name, row in rows if stored_document.is_vector_field(name)}

    def holds_vectors(self, name: str) -> bool:
        """Return whether a document has a vector in a field."""
        return self.documents_with(name) > 0

    def documents_with(self, name: str) -> int:
        """Return the number of documents that have a counted field."""
        row = self.fields.get(name)
        return 0 if row is None else row.documents

    def numbers_of(self, identifiers: Iterable[str]) -> dict[str, int]:
        """Return the ids and numbers of those documents that are stored."""
        found: dict[str, int] = {}
        for part in _parts(list(identifiers)):
            rows = self.connection.rows("numbers", ids=sql.row(part))
            found.update((identifier.decode("utf-8"), number) for identifier, number in rows)
        return found

    def documents(self, numbers: Sequence[int]) -> list[DocumentRow]:
        """Return documents by their numbers."""
        parts = [self.connection.rows("documents", numbers=sql.row(part)) for part in _parts(numbers)]
        return [_document(row) for rows in parts for row in rows]

    def all_documents(self) -> Iterator[list[DocumentRow]]:
        """Yield all documents in parts."""
        last = -1
        while rows := self.connection.rows("next_documents", last=last, limit=PART):
            yield [_document(row) for row in rows]
            last = rows[-1][0]

    def stored_at(self, numbers: Sequence[int]) -> list[StoredDocument]:
        """Return documents with their vectors by their numbers."""
        return self._with_vectors(self.documents(numbers))

    def all_stored(self) -> Iterator[StoredDocument]:
        """Yield all documents with their vectors."""
        for rows in self.all_documents():
            yield from self._with_vectors(rows)

    def vectors(self, name: str, numbers: Sequence[int]) -> dict[int, list[float]]:
        """Return number of a document → its vector in a field."""
        if not self.holds_vectors(name):
            return {}
        dimension = stored_document.vector_dimension("field", name)
        parts = [
            self.connection.rows("vectors", dimension=dimension, numbers=sql.row(part)) for part in _parts(numbers)
        ]
        return {number: components(packed, dimension) for rows in parts for number, packed in rows}

    def holding(self, tokens: Iterable[str]) -> list[tuple[str, list[int], int]]:
        """Return for each of these tokens, and each set of fields, the number of documents with it in these fields."""
        found = []
        for part in _parts(list(tokens)):
            for token, fields, documents in self.connection.rows("tokens", tokens=sql.row(part)):
                found.append((token.decode("utf-8"), list(map(int, fields.decode("utf-8").split(","))), documents))
        return found

    def condition(self, filters: Filters) -> str:
        """Return the condition of a statement that finds the documents that pass filters.

        What the server cannot decide, the library checks first; the condition then names the documents.
        """
        if filters.key not in self._conditions:
            self._conditions[filters.key] = self._condition(filters)
        return self._conditions[filters.key]

    def passes_all(self, filters: Filters) -> bool:
        """Return whether all documents certainly pass filters."""
        return filters.is_empty() or (filters.ask_availability_alone and not self.holds_vectors(AVAILABILITY))

    def counted(self, condition: str) -> int:
        """Return the number of documents for which a condition holds."""
        if condition == EVERYTHING:
            return self.count
        return int(self.connection.rows("count", filter=condition)[0][0])

    def _condition(self, filters: Filters) -> str:
        if self.passes_all(filters):
            return EVERYTHING
        statements = self.connection.statements
        try:
            written = OceanBaseFilters(filters, statements, self.documents_with(AVAILABILITY) > 0)
        except UndecidedError:
            rows = (row for rows in self.all_documents() for row in rows)
            return _among(statements, _accepted(filters, rows))
        if not written.compares_texts:
            return written.text
        cut = _accepted(filters, map(_document, self.connection.rows("cut_documents")))
        return f"(d.cut = 0 and ({written.text})) or {_among(statements, cut)}"

    def _with_vectors(self, rows: Sequence[DocumentRow]) -> list[StoredDocument]:
        names = sorted({name for row in rows for name in row.vector_fields})
        vectors = {
            name: self.vectors(name, [row.number for row in rows if name in row.vector_fields]) for name in names
        }
        return [
            StoredDocument(row.identifier, row.fields, {name: vectors[name][row.number] for name in row.vector_fields})
            for row in rows
        ]


def components(packed: bytes, dimension: int) -> list[float]:
    """Return the components of a stored vector."""
    kind = "f" if len(packed) == 4 * dimension else "d"
    return list(struct.unpack(f"<{dimension}{kind}", packed))


def token_fields(document: StoredDocument | None, numbers: Mapping[str, int]) -> dict[int, list[str]]:
    """Return number of a searchable field → its tokens in a document."""
    if document is None:
        return {}
    return {
        numbers[name]: stored_document.tokens(name, value)
        for name, value in document.fields.items()
        if stored_document.is_searchable(name)
    }


def held_fields(document: StoredDocument | None) -> list[str]:
    """Return the names of the counted fields of a document: searchable ones, vectors and availability."""
    if document is None:
        return []
    names = [name for name in document.fields if stored_document.is_searchable(name) or name == AVAILABILITY]
    return [*names, *document.vectors]


def _accepted(filters: Filters, rows: Iterable[DocumentRow]) -> list[int]:
    return [row.number for row in rows if filters.accepts(row.identifier, row.fields, dict.fromkeys(row.vector_fields))]


def _among(statements: Any, numbers: Sequence[int]) -> str:
    return statements.text("among", numbers=sql.row(numbers)) if numbers else "false"


def _parts(members: Sequence[Any]) -> list[Sequence[Any]]:
    return [members[start : start + PART] for start in range(0, len(members), PART)]


def _document(row: Row) -> DocumentRow:
    number, identifier, body = row
    content = stored_json.read(body.decode("utf-8"))
    return DocumentRow(number, identifier.decode("utf-8"), content["fields"], content["vectors"])

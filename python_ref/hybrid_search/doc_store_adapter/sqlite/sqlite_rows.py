"""Rows of an index file (SQL-1)."""

from typing import NamedTuple

from hybrid_search.doc_store_adapter.tables import row_checksum

Vector = tuple[float, list[float]]
"""A norm and components."""

COMPONENTS = {4: "f", 8: "d"}
"""The format of the components of a stored vector, by the number of bytes of one."""

A_FIELD = "SELECT field, kind, name, documents, tokens, terms, blocks, checksum FROM fields"
"""The statement for the values of a `SqliteField`, and its checksum."""
OF_VECTORS = "WHERE kind = ? AND name >= x'715f' AND name < x'7160'"
"""The condition for fields whose names begin with q_, as those of vectors do."""


class SketchBlock(NamedTuple):
    """The sketches of the vectors of documents with neighbouring numbers.

    Attributes:
        block: its key.
        generation: the generation of its last change.
        ratios: the ratio of each vector, 64 bits each.
        errors: the error of each vector, 64 bits each.
        steps: the components of all vectors, one component after the other, 8 bits each.
    """

    block: int
    generation: int
    ratios: bytes
    errors: bytes
    steps: bytes


class SqliteField(NamedTuple):
    """A row of `fields`.

    Attributes:
        field: its key.
        kind: see the schema.
        name: its name.
        documents: the number of documents that have it.
        tokens: the total number of their tokens.
        terms: the number of different tokens.
        blocks: the number of blocks of lengths.
    """

    field: int
    kind: int
    name: bytes
    documents: int
    tokens: int
    terms: int
    blocks: int

    def checksum(self) -> int:
        """Return the checksum of the row."""
        field, kind, name, *counts = self
        return row_checksum.of((field, kind, *counts), name)

"""A document in the tables of a database, without the components of its vectors (PG-1, OB-1)."""

from typing import Any, NamedTuple


class DocumentRow(NamedTuple):
    """A document without the components of its vectors.

    Attributes:
        number: its number.
        identifier: its id.
        fields: its fields except vectors.
        vector_fields: the names of its vector fields.
    """

    number: int
    identifier: str
    fields: dict[str, Any]
    vector_fields: list[str]

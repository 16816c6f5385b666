"""The tables of a persistent store as an inverted index reads them (SQL-5, PG-5)."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class FieldRow:
    """A field.

    Attributes:
        field: its key.
        name: its name.
        documents: the number of documents that have it.
        tokens: the total number of their tokens.
        filled: the number of documents that have a token there; `None` if the tables do not count them.
    """

    field: int
    name: str
    documents: int
    tokens: int
    filled: int | None = None


class PostingTables(Protocol):
    """The tables as a transaction sees them."""

    @property
    def count(self) -> int:
        """The number of documents."""
        ...

    @property
    def numbers(self) -> int:
        """A number above all numbers of documents."""
        ...

    def lengths(
        self, field: int, known: Collection[int], changed: Collection[int] | None
    ) -> Iterator[tuple[int, bytes]]:
        """Yield the blocks of lengths of a field, each with its number, except known ones.

        Args:
            field: the key of the field.
            known: the numbers of known blocks.
            changed: the numbers of all others that there can be; `None` if they are not known.
        """
        ...

    def length_blocks(self, field: int, blocks: Sequence[int]) -> Iterable[tuple[int, int, bytes]]:
        """Return blocks of lengths of a field, each with its field and number; those of other fields may be added."""
        ...

    def frequencies(self, field: int) -> dict[int, int]:
        """Return document frequency → the number of terms with that frequency."""
        ...

    def places(self, field: int, token: bytes) -> bytes:
        """Return the places of a term, ascending."""
        ...


class IdentifierTables(PostingTables, Protocol):
    """Tables that also return the id of a document's number."""

    def identifiers_of(self, numbers: Sequence[int]) -> dict[int, str]:
        """Return the numbers and ids of documents."""
        ...

    def identifiers(self) -> Iterator[tuple[int, str]]:
        """Yield the numbers and ids of all documents."""
        ...

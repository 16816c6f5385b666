"""What an inverted index reads of a store that outlives a process (SQL-5, PG-5)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class FieldRow:
    """A field.

    Attributes:
        field: its key.
        name: its name.
        documents: how many documents have it.
        tokens: how many tokens they have together.
    """

    field: int
    name: str
    documents: int
    tokens: int


class PostingTables(Protocol):
    """Tables as a transaction sees them."""

    @property
    def count(self) -> int:
        """How many documents there are."""
        ...

    @property
    def numbers(self) -> int:
        """All numbers of documents are below."""
        ...

    def lengths(self, field: int) -> Iterator[tuple[int, bytes]]:
        """Blocks of lengths, each with the number of its first document."""
        ...

    def frequencies(self, field: int) -> dict[int, int]:
        """In how many documents terms are → how many terms are in so many."""
        ...

    def places(self, field: int, token: bytes) -> bytes:
        """The places of a term, ascending."""
        ...


class IdentifierTables(PostingTables, Protocol):
    """Tables that also tell which document a number is that of."""

    def identifiers_of(self, numbers: Sequence[int]) -> dict[int, str]:
        """The numbers and ids of some documents."""
        ...

    def identifiers(self) -> Iterator[tuple[int, str]]:
        """The numbers and ids of all documents."""
        ...

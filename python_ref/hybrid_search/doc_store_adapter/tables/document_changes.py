"""The changes of a batch to the terms of a persistent store (SQL-1, PG-1)."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from hybrid_search.doc_store_adapter.documents.stored_document import StoredDocument
from hybrid_search.doc_store_adapter.tables.blobs import NUMBER_BITS

Field = TypeVar("Field", bound=Hashable)

MOST_NOTED = 1000
"""The number of documents of a batch above which the batch does not note them for readers."""
MOST_BATCHES = 256
"""The number of batches whose documents stay noted."""
MOST_TOUCHED = 2000
"""The number of changed documents above which all that was cached before is dropped."""
Batch = Sequence[tuple[StoredDocument | None, StoredDocument | None]]
"""Each document of a batch before and after the change."""


class TermChange:
    """The change of a term.

    Attributes:
        removed: the numbers of documents whose places are removed.
        added: new places, ascending.
        documents: the change in the number of documents that contain the term.
    """

    __slots__ = ("added", "documents", "removed")

    def __init__(self) -> None:
        self.removed: set[int] = set()
        self.added: list[int] = []
        self.documents = 0


class Change(NamedTuple):
    """The change of a document.

    Attributes:
        number: its number.
        before: the stored document, or `None`.
        after: the document after the change, or `None`.
    """

    number: int
    before: StoredDocument | None
    after: StoredDocument | None


class FieldChange:
    """The change of a field.

    Attributes:
        documents: the change in the number of documents that have the field.
        tokens: the change in the number of their tokens.
        filled: the change in the number of documents that have a token there.
        terms: token → the change of the term.
        lengths: number of a document → its number of tokens after the change, or `None` without the field.
    """

    def __init__(self) -> None:
        self.documents = 0
        self.tokens = 0
        self.filled = 0
        self.terms: dict[bytes, TermChange] = {}
        self.lengths: dict[int, int | None] = {}

    def remove(self, number: int, tokens: Sequence[bytes]) -> None:
        """Record that a document no longer has the field with these tokens."""
        self.documents -= 1
        self.tokens -= len(tokens)
        self.filled -= bool(tokens)
        self.lengths[number] = None
        for token in dict.fromkeys(tokens):
            change = self._term(token)
            change.removed.add(number)
            change.documents -= 1

    def add(self, number: int, tokens: Sequence[bytes]) -> None:
        """Record that a document has the field with these tokens."""
        self.documents += 1
        self.tokens += len(tokens)
        self.filled += bool(tokens)
        self.lengths[number] = len(tokens)
        place = number << NUMBER_BITS
        for token in dict.fromkeys(tokens):
            self._term(token).documents += 1
        for token in tokens:
            self.terms[token].added.append(place)
            place += 1

    def _term(self, token: bytes) -> TermChange:
        change = self.terms.get(token)
        if change is None:
            change = self.terms[token] = TermChange()
        return change


def numbered(batch: Batch, numbers: Mapping[str, int], free_numbers: Callable[[int], Sequence[int]]) -> list[Change]:
    """Return the changes of a batch in the order of their numbers.

    Args:
        batch: each document before and after the change.
        numbers: the ids and numbers of the stored documents.
        free_numbers: returns the given number of numbers for new documents.
    """
    fresh = iter(free_numbers(len([None for before, _ in batch if before is None])))
    changes = [
        Change(next(fresh) if before is None else numbers[before.identifier], before, after) for before, after in batch
    ]
    return sorted(changes, key=lambda change: change.number)


def by_field(
    changes: Iterable[Change], terms: Callable[[StoredDocument | None], Mapping[Field, Sequence[bytes]]]
) -> dict[Field, FieldChange]:
    """Return the change of each field whose tokens change.

    Args:
        changes: the changes in ascending order of their numbers.
        terms: returns the tokens of a document in each of its fields; empty without a document.
    """
    fields: dict[Field, FieldChange] = {}
    for number, before, after in changes:
        then, now = terms(before), terms(after)
        for key, tokens in then.items():
            if now.get(key) != tokens:
                fields.setdefault(key, FieldChange()).remove(number, tokens)
        for key, tokens in now.items():
            if then.get(key) != tokens:
                fields.setdefault(key, FieldChange()).add(number, tokens)
    return fields

"""The changes of a batch to the terms of a persistent store (SQL-1, PG-1)."""

from collections import defaultdict
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

    def __init__(self, added: Sequence[int] = ()) -> None:
        self.removed: set[int] = set()
        self.added = list(added)
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
        removed: the numbers of documents that no longer have the field with some tokens, and these, as recorded.
        added: the numbers of documents that have the field with some tokens, and these, as recorded.
        lengths: number of a document → its number of tokens after the change, or `None` without the field.
    """

    def __init__(self) -> None:
        self.documents = 0
        self.tokens = 0
        self.filled = 0
        self.removed: list[tuple[int, Sequence[bytes]]] = []
        self.added: list[tuple[int, Sequence[bytes]]] = []
        self.lengths: dict[int, int | None] = {}

    def remove(self, number: int, tokens: Sequence[bytes]) -> None:
        """Record that a document no longer has the field with these tokens."""
        self.documents -= 1
        self.tokens -= len(tokens)
        self.filled -= bool(tokens)
        self.lengths[number] = None
        self.removed.append((number, tokens))

    def add(self, number: int, tokens: Sequence[bytes]) -> None:
        """Record that a document has the field with these tokens."""
        self.documents += 1
        self.tokens += len(tokens)
        self.filled += bool(tokens)
        self.lengths[number] = len(tokens)
        self.added.append((number, tokens))

    def terms(self) -> dict[bytes, TermChange]:
        """Return token → the change of the term."""
        found: defaultdict[bytes, TermChange] = defaultdict(TermChange)
        for number, tokens in self.removed:
            for token in dict.fromkeys(tokens):
                found[token].removed.add(number)
                found[token].documents -= 1
        for number, tokens in self.added:
            place = number << NUMBER_BITS
            for token in dict.fromkeys(tokens):
                found[token].documents += 1
            for token in tokens:
                found[token].added.append(place)
                place += 1
        return found


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
    fields: defaultdict[Field, FieldChange] = defaultdict(FieldChange)
    for number, before, after in changes:
        then, now = terms(before), terms(after)
        for key, tokens in then.items():
            if now.get(key) != tokens:
                fields[key].remove(number, tokens)
        for key, tokens in now.items():
            if then.get(key) != tokens:
                fields[key].add(number, tokens)
    return fields

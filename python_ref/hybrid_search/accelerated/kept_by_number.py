"""Caches values of documents by their numbers, from state to state of the tables (SQL-5, PG-5)."""

import copy
from collections.abc import Collection, Iterable
from typing import Generic, Self, TypeVar

from hybrid_search.doc_store_adapter.tables.document_changes import MOST_TOUCHED

Value = TypeVar("Value")


class KeptByNumber(Generic[Value]):
    """The values that searches have read in one state.

    All states share the values of the documents that have not changed since the first of them. Each state has the
    values of the other documents for itself, so a change costs only these, however many values are cached; if they are
    more than `MOST_TOUCHED`, sharing begins again. Several threads may use it at once without a lock.
    """

    def __init__(self) -> None:
        self._shared: dict[int, Value] = {}
        self._changed: frozenset[int] = frozenset()
        self._own: dict[int, Value] = {}

    def find(self, number: int) -> Value | None:
        """Return the value of a document; `None` if it is not cached."""
        return (self._own if number in self._changed else self._shared).get(number)

    def found(self, numbers: Iterable[int]) -> dict[int, Value]:
        """Return number → value, of those documents whose values are cached."""
        shared, changed, own = self._shared, self._changed, self._own
        found = {}
        for number in numbers:
            value = (own if number in changed else shared).get(number)
            if value is not None:
                found[number] = value
        return found

    def all(self) -> dict[int, Value]:
        """Return number → value, of all documents whose values are cached."""
        shared = ((number, value) for number, value in list(self._shared.items()) if number not in self._changed)
        return {**dict(shared), **self._own}

    def keep(self, number: int, value: Value) -> None:
        """Cache the value of a document."""
        (self._own if number in self._changed else self._shared)[number] = value

    def after(self, touched: Collection[int]) -> Self:
        """Return the values of the unchanged documents, for a later state.

        Args:
            touched: the numbers of the documents that have changed since.
        """
        for number in touched:
            self._shared.pop(number, None)  # searches that still run in this state read it again
        gone = frozenset(touched)
        later = copy.copy(self)
        later._changed = self._changed | gone
        later._own = {number: value for number, value in list(self._own.items()) if number not in gone}
        if len(later._changed) > MOST_TOUCHED:
            later._shared, later._changed, later._own = later.all(), frozenset(), {}
        return later

"""A bounded cache that each state of the tables hands to the next one (SQL-5, PG-5)."""

from abc import ABC, abstractmethod
from collections.abc import Hashable
from typing import Generic, Self, TypeVar

from hybrid_search.accelerated.touched_documents import TouchedDocuments

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class KeptEntries(ABC, Generic[Key, Value]):
    """What questions have needed, each entry with the step of the state for which it was made; the oldest make room.

    Several threads may use it at once without a lock, so the size is only approximate.

    Args:
        memory: the maximum number of bytes.
        touched: the documents that have changed since entries were made.
    """

    def __init__(self, memory: int, touched: TouchedDocuments) -> None:
        self._memory = memory
        self._touched = touched
        self._kept: dict[Key, tuple[int, Value]] = {}
        self._size = 0

    def after(self, touched: TouchedDocuments) -> Self:
        """Return the cache of a later state.

        Args:
            touched: the documents that have changed, among them those since this state.
        """
        later = type(self)(self._memory, touched)
        later._kept = dict(self._kept)
        later._size = self._size
        return later

    def _set(self, key: Key, value: Value) -> None:
        """Cache an entry of this state."""
        self._forget(key)
        self._kept[key] = (self._touched.step, value)
        self._size += self._size_of(value)
        while self._size > self._memory:
            try:
                oldest = next(iter(self._kept))
            except (RuntimeError, StopIteration):  # it is empty, or another thread has changed it meanwhile
                break
            self._forget(oldest)

    def _forget(self, key: Key) -> None:
        known = self._kept.pop(key, None)
        if known is not None:
            self._size -= self._size_of(known[1])

    @abstractmethod
    def _size_of(self, value: Value) -> int:
        """Return the size of an entry in bytes."""

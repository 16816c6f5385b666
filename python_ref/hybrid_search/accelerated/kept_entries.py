"""A bounded cache that all states of the tables share (SQL-5, PG-5)."""

import copy
import sys
from abc import ABC, abstractmethod
from collections.abc import Hashable
from typing import Any, Generic, Self, TypeVar

from hybrid_search.accelerated.room import Room
from hybrid_search.accelerated.touched_documents import TouchedDocuments

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")

NOT_KEPT: tuple[int, Any] = (sys.maxsize, None)
"""An entry that no state uses."""


class KeptEntries(ABC, Generic[Key, Value]):
    """What questions have needed, each entry with the generation for which it was made; the oldest make room.

    An earlier state does not use the entries of later ones, and a later state updates those of earlier ones. Several
    threads may use it at once without a lock, so the size is only approximate.

    Args:
        memory: the maximum number of bytes.
        touched: the documents that have changed since entries were made.
    """

    def __init__(self, memory: int, touched: TouchedDocuments) -> None:
        self._touched = touched
        self._kept: dict[Key, tuple[int, Value]] = {}
        self._room = Room(memory)

    def after(self, touched: TouchedDocuments) -> Self:
        """Return the cache in a later state.

        Args:
            touched: the documents that have changed, among them those since this state.
        """
        later = copy.copy(self)
        later._touched = touched
        return later

    def _get(self, key: Key) -> tuple[int, Value] | None:
        """Return an entry of this state or an earlier one, with its generation."""
        entry: tuple[int, Value] = self._kept.get(key, NOT_KEPT)
        return None if entry[0] > self._touched.generation else entry

    def _set(self, key: Key, value: Value) -> None:
        """Cache an entry of this state."""
        self._forget(key)
        self._kept[key] = (self._touched.generation, value)
        self._room.used += self._size_of(value)
        while self._room.used > self._room.most:
            try:
                oldest = next(iter(self._kept))
            except (RuntimeError, StopIteration):  # it is empty, or another thread has changed it meanwhile
                break
            self._forget(oldest)

    def _keep_on(self, key: Key, value: Value) -> None:
        """Cache an entry of an earlier state, which has not changed, for this one."""
        self._kept[key] = (self._touched.generation, value)

    def _forget(self, key: Key) -> None:
        known = self._kept.pop(key, None)
        if known is not None:
            self._room.used -= self._size_of(known[1])

    @abstractmethod
    def _size_of(self, value: Value) -> int:
        """Return the size of an entry in bytes."""

"""Caches the documents of an index file from which hits were made, up to a limit of memory (SQL-5)."""

import sys
from collections.abc import Collection
from typing import Any, Self

from hybrid_search.accelerated.kept_by_number import KeptByNumber
from hybrid_search.accelerated.room import Room

BYTES_OF_DOCUMENT = 1024
"""The approximate number of bytes of a document in addition to its values."""

HeldFields = tuple[dict[str, Any], list[str]]
"""The fields of a document except its vectors, and the names of its vector fields."""


class KeptDocuments(KeptByNumber[HeldFields]):
    """The documents of one state; those that were read first make room. The caller may not change them.

    Several threads may use it at once without a lock, so the size is only approximate.

    Args:
        memory: the maximum number of bytes.
    """

    def __init__(self, memory: int) -> None:
        super().__init__()
        self._room = Room(memory)

    def keep(self, number: int, value: HeldFields) -> None:
        """Cache a document that is not cached."""
        super().keep(number, value)
        self._room.used += _size(value)
        while self._room.used > self._room.most:
            try:
                dropped = self._shared.pop(next(iter(self._shared)))
            except StopIteration:
                self._own.clear()
                self._room.used = 0
                break
            except (KeyError, RuntimeError):  # another thread has changed it meanwhile
                break
            self._room.used -= _size(dropped)

    def after(self, touched: Collection[int]) -> Self:
        """Return the unchanged documents, for a later state."""
        self._room.used -= sum(map(_size, self.found(touched).values()))  # whole numbers
        return super().after(touched)


def _size(held: HeldFields) -> int:
    return BYTES_OF_DOCUMENT + sum(map(_size_of_value, held[0].values()))  # whole numbers


def _size_of_value(value: Any) -> int:
    size = sys.getsizeof(value)
    if isinstance(value, list):
        return size + sum(map(_size_of_value, value))  # whole numbers
    if isinstance(value, dict):
        return size + sum(_size_of_value(key) + _size_of_value(held) for key, held in value.items())  # whole numbers
    return size

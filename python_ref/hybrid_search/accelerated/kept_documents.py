"""Caches the documents of an index file from which hits were made, up to a limit of memory (SQL-5)."""

import sys
from collections import OrderedDict
from collections.abc import Iterable
from typing import Any

BYTES_OF_DOCUMENT = 1024
"""The approximate number of bytes of a document in addition to its values."""

HeldFields = tuple[dict[str, Any], list[str]]
"""The fields of a document except its vectors, and the names of its vector fields."""


class KeptDocuments:
    """The documents of one state; those that were read first make room.

    Several threads may use it at once without a lock, so the size is only approximate.

    Args:
        memory: the maximum number of bytes.
    """

    def __init__(self, memory: int) -> None:
        self._most = memory
        self._size = 0
        self._kept: OrderedDict[int, HeldFields] = OrderedDict()

    def find(self, number: int) -> HeldFields | None:
        """Return a document by its number; `None` if it is not cached. The caller may not change it."""
        return self._kept.get(number)

    def keep(self, number: int, held: HeldFields) -> None:
        """Cache a document that is not cached."""
        self._size += _size(held)
        self._kept[number] = held
        while self._size > self._most:
            try:
                _, dropped = self._kept.popitem(last=False)
            except KeyError:
                break
            self._size -= _size(dropped)

    def after(self, touched: Iterable[int]) -> "KeptDocuments":
        """Return the unchanged documents, for a later state.

        Args:
            touched: the numbers of the documents that have changed since.
        """
        later = KeptDocuments(self._most)
        later._kept = self._kept.copy()
        later._size = self._size
        for number in touched:
            if (held := later._kept.pop(number, None)) is not None:
                later._size -= _size(held)
        return later


def _size(held: HeldFields) -> int:
    return BYTES_OF_DOCUMENT + sum(map(_size_of_value, held[0].values()))  # whole numbers


def _size_of_value(value: Any) -> int:
    size = sys.getsizeof(value)
    if isinstance(value, list):
        return size + sum(map(_size_of_value, value))  # whole numbers
    if isinstance(value, dict):
        return size + sum(_size_of_value(key) + _size_of_value(held) for key, held in value.items())  # whole numbers
    return size

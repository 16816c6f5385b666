"""A cache of postings, of bounded size (DOC-3)."""

from collections import OrderedDict
from collections.abc import Hashable

from hybrid_search.accelerated.posting import Posting

SMALLEST_ROOM = 4_000_000
ROOM_PER_TOKEN = 2
BYTES_PER_NUMBER = 16
"""The bytes of a number. A slot has a number and a score; a place of all slots a score, an estimate and two steps."""


class CachedPostings:
    """The postings of one state of a store; the oldest ones are removed first.

    Several threads may use it at once without a lock, so the size is only approximate.

    Args:
        memory: the maximum number of bytes; without a limit the room grows with the field's tokens.
    """

    def __init__(self, memory: int | None = None) -> None:
        self._most = None if memory is None else memory // BYTES_PER_NUMBER
        self._kept: OrderedDict[Hashable, Posting | None] = OrderedDict()
        self._size = 0

    def find(self, key: Hashable) -> tuple[bool, Posting | None]:
        """Return whether a key is cached, and its posting; `None` for a key that no document contains."""
        posting = self._kept.get(key)
        return posting is not None or key in self._kept, posting

    def keep(self, key: Hashable, posting: Posting | None, tokens: int) -> None:
        """Cache the posting of a key.

        Args:
            key: the key.
            posting: the posting that was found.
            tokens: the number of tokens of the field; without a limit of memory it determines the size.
        """
        self._size += _size(posting)
        most = SMALLEST_ROOM + ROOM_PER_TOKEN * tokens if self._most is None else self._most
        while self._size > most:
            try:
                _, dropped = self._kept.popitem(last=False)
            except KeyError:
                break
            self._size -= _size(dropped)
        self._kept[key] = posting


def _size(posting: Posting | None) -> int:
    return 1 if posting is None else posting.size

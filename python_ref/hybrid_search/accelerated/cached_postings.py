"""A cache of postings, of bounded size (DOC-3)."""

import copy
from collections import OrderedDict
from collections.abc import Hashable
from typing import Self

from hybrid_search.accelerated.posting import Posting
from hybrid_search.accelerated.room import Room

SMALLEST_ROOM = 64_000_000
ROOM_PER_TOKEN = 32
BYTES_OF_NOTHING = 16
"""The bytes that are counted for a key that no document contains."""


class CachedPostings:
    """The postings of one state of a store; those that were not used for the longest time are removed first.

    Those of an earlier state make room, but are not removed before: so a change costs no more for many of them. Several
    threads may use it at once without a lock, so the size is only approximate.

    Args:
        memory: the maximum number of bytes; without a limit the room grows with the field's tokens.
        generation: the generation of the state.
    """

    def __init__(self, memory: int | None = None, generation: int = 0) -> None:
        self._is_limited = memory is not None
        self._room = Room(SMALLEST_ROOM if memory is None else memory)
        self._kept: OrderedDict[Hashable, _Entry] = OrderedDict()
        self._generation = generation

    def after(self, generation: int) -> Self:
        """Return the cache in a later state, which has no postings yet.

        Args:
            generation: its generation.
        """
        later = copy.copy(self)
        later._generation = generation
        return later

    def find(self, key: Hashable) -> tuple[bool, Posting | None]:
        """Return whether a key is cached, and its posting; `None` for a key that no document contains."""
        entry = self._kept.get(key, NOTHING)
        if entry.generation != self._generation:
            return False, None
        try:
            self._kept.move_to_end(key)
        except KeyError:  # another thread has removed it
            entry.counted = 0
            self._kept[key] = entry
        self._count(entry.growth())
        return True, entry.posting

    def keep(self, key: Hashable, posting: Posting | None, tokens: int) -> None:
        """Cache the posting of a key.

        Args:
            key: the key.
            posting: the posting that was found.
            tokens: the number of tokens of the field; without a limit of memory it determines the size.
        """
        if not self._is_limited:
            self._room.most = SMALLEST_ROOM + ROOM_PER_TOKEN * tokens
        before = self._kept.pop(key, None)
        entry = _Entry(posting, self._generation)
        self._count(entry.growth() - (0 if before is None else before.counted))
        self._kept[key] = entry

    def _count(self, grown: int) -> None:
        """Count more bytes, and remove the first entries as long as there is no room for all."""
        room = self._room
        while room.used + grown > room.most:
            try:
                _, dropped = self._kept.popitem(last=False)
            except KeyError:
                room.used = 0  # threads that write at once may have counted an entry twice
                break
            room.used -= dropped.counted
        room.used += grown


class _Entry:
    """A posting, and the bytes that were counted for it: it grows as searches compute more of it.

    Args:
        posting: the posting; `None` for a key that no document contains.
        generation: the generation of its state.
    """

    __slots__ = ("counted", "generation", "posting")

    def __init__(self, posting: Posting | None, generation: int) -> None:
        self.posting = posting
        self.generation = generation
        self.counted = 0

    def growth(self) -> int:
        """Count the bytes again, and return the difference from those counted before."""
        size = BYTES_OF_NOTHING if self.posting is None else self.posting.size
        grown = size - self.counted
        self.counted = size
        return grown


NOTHING = _Entry(None, -1)
"""The entry of a key that is not cached, of no state."""

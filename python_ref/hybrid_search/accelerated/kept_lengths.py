"""Caches the lengths of documents that questions touch, in blocks (SQL-5, PG-5)."""

from collections.abc import Collection, Sequence
from itertools import product

import numpy as np
import numpy.typing as npt

from hybrid_search.accelerated.posting import Slots
from hybrid_search.doc_store_adapter.tables import blobs
from hybrid_search.doc_store_adapter.tables.posting_tables import PostingTables

Key = tuple[int, int]
"""A field and one of its blocks."""


class KeptLengths:
    """The blocks of lengths in one state of the tables; the oldest make room.

    Several threads may use it at once without a lock.

    Args:
        memory: the maximum number of bytes to cache.
    """

    def __init__(self, memory: int) -> None:
        self._memory = memory
        self._most = memory // (4 * blobs.LENGTHS_IN_BLOCK)
        self._blocks: dict[Key, bytes] = {}
        self._filled: dict[Key, int] = {}
        self._totals: dict[int, int] = {}
        self._changed: dict[int, frozenset[int]] = {}
        self._fields: set[int] = set()

    def after(self, touched: Collection[int]) -> "KeptLengths":
        """Return the cache of the state after a change.

        Args:
            touched: the numbers of the documents that have changed.
        """
        later = KeptLengths(self._memory)
        changed = frozenset(number // blobs.LENGTHS_IN_BLOCK for number in touched)
        # Fields are counted before they are in `_changed`: another thread may count one meanwhile.
        later._changed = {field: blocks | changed for field, blocks in list(self._changed.items())}
        later._blocks, later._filled, later._fields = self._blocks.copy(), self._filled.copy(), self._fields.copy()
        for key in product(later._fields, changed):
            later._blocks.pop(key, None)
            later._filled.pop(key, None)
        return later

    def filled(self, field: int, tables: PostingTables) -> int:
        """Return the number of documents that have a token in a field.

        Args:
            field: the key of the field.
            tables: the state.
        """
        if field in self._totals:
            return self._totals[field]
        changed = self._changed.get(field)
        counts = {block: count for (own, block), count in list(self._filled.items()) if own == field}
        left = None if changed is None else changed.difference(counts)
        for block, lengths in tables.lengths(field, counts.copy(), left):
            counts[block] = int(np.count_nonzero(np.frombuffer(lengths, dtype="<i4") > 0))
        self._fields.add(field)
        self._filled.update(((field, block), count) for block, count in counts.items())
        self._totals[field] = sum(counts.values())  # whole numbers
        self._changed[field] = frozenset()
        return self._totals[field]

    def of(self, field: int, slots: Slots, tables: PostingTables) -> npt.NDArray[np.int32]:
        """Return the numbers of tokens of documents.

        Args:
            field: the key of the field.
            slots: the numbers of documents that have the field, ascending; at least one.
            tables: the state.
        """
        blocks = slots // blobs.LENGTHS_IN_BLOCK
        firsts = np.flatnonzero(np.diff(blocks, prepend=-1))
        touched = blocks[firsts]
        lengths = np.frombuffer(b"".join(self._found(field, touched.tolist(), tables)), dtype="<i4")
        moved = (np.arange(len(touched)) - touched) * blobs.LENGTHS_IN_BLOCK
        found: npt.NDArray[np.int32] = lengths.take(slots + np.repeat(moved, np.diff(firsts, append=len(slots))))
        return found

    def _found(self, field: int, blocks: Sequence[int], tables: PostingTables) -> list[bytes]:
        found = {block: self._blocks.get((field, block)) for block in blocks}
        if missing := [block for block, lengths in found.items() if lengths is None]:
            read = {(own, block): lengths for own, block, lengths in tables.length_blocks(field, missing)}
            found.update((block, read[field, block]) for block in missing)
            self._keep(read.items())
        return [lengths for lengths in found.values() if lengths is not None]

    def _keep(self, read: Collection[tuple[Key, bytes]]) -> None:
        if len(read) > self._most:
            return
        while len(self._blocks) + len(read) > self._most:
            try:
                self._blocks.pop(next(iter(self._blocks)), None)
            except (RuntimeError, StopIteration):  # it is empty, or another thread has changed it meanwhile
                break
        self._fields.update(field for (field, _), _ in read)
        self._blocks.update(read)

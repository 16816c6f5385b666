"""Caches the lengths of documents that questions touch, in blocks (SQL-5, PG-5)."""

from collections import OrderedDict
from collections.abc import Collection, Iterable, Sequence

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
        blocks: cached blocks of an earlier state that are the same in this one.
    """

    def __init__(self, memory: int, blocks: Iterable[tuple[Key, bytes]] = ()) -> None:
        self._memory = memory
        self._most = memory // (4 * blobs.LENGTHS_IN_BLOCK)
        self._blocks: OrderedDict[Key, bytes] = OrderedDict(blocks)
        self._filled: dict[Key, int] = {}

    def after(self, touched: Collection[int]) -> "KeptLengths":
        """Return the cache of the state after a change.

        Args:
            touched: the numbers of the documents that have changed.
        """
        changed = {number // blobs.LENGTHS_IN_BLOCK for number in touched}
        later = KeptLengths(self._memory, [item for item in list(self._blocks.items()) if item[0][1] not in changed])
        later._filled = {key: count for key, count in list(self._filled.items()) if key[1] not in changed}
        return later

    def filled(self, field: int, tables: PostingTables) -> int:
        """Return the number of documents that have a token in a field.

        Args:
            field: the key of the field.
            tables: the state.
        """
        counts = {block: count for (own, block), count in list(self._filled.items()) if own == field}
        for block, lengths in tables.lengths(field, counts.copy()):
            counts[block] = int(np.count_nonzero(np.frombuffer(lengths, dtype="<i4") > 0))
        self._filled.update(((field, block), count) for block, count in counts.items())
        return sum(counts.values())  # whole numbers

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
                self._blocks.popitem(last=False)
            except KeyError:
                break
        self._blocks.update(read)

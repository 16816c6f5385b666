"""Places and texts as the rows of an index file hold them: in fewer bytes (SQL-1).

A place is written as two numbers: the difference of its document's number from that of the place before it, and its
position, or the difference of the positions where the document is the same. The first place counts from
document 0 and has its position. Numbers are in groups of seven bits, the highest first; all bytes of a number but its
last have the highest bit set. Texts are compressed by zlib.
"""

import itertools
import zlib
from collections.abc import Sequence

import numpy as np

from hybrid_search.doc_store_adapter.tables import blobs
from hybrid_search.doc_store_adapter.tables.blobs import NUMBER_BITS

LOW = (1 << NUMBER_BITS) - 1
LARGEST = LOW >> 1
"""The largest number of a document."""
NOT_LAST = bytes(range(128, 256))
LEVEL = 6
NOWHERE = -1
"""Stands for the number of a document where there is none."""


def pack_places(places: bytes) -> bytes:
    """Return places, ascending, in fewer bytes."""
    (packed,) = packed_after([NOWHERE], [blobs.unpack(places)])
    return packed


def packed_after(lasts: Sequence[int], added: Sequence[Sequence[int]]) -> list[bytes]:
    """Return places of several terms as they are written behind those that the terms have.

    Args:
        lasts: of each term the number of the last document that contains it, or `NOWHERE`.
        added: of each term places, ascending, in documents with higher numbers.
    """
    counts = np.fromiter(map(len, added), dtype=np.int64, count=len(added))
    places = np.fromiter(itertools.chain.from_iterable(added), dtype=np.int64)
    numbers, positions = places >> NUMBER_BITS, places & LOW
    is_first = np.zeros(len(places), dtype=np.bool_)
    firsts = (np.cumsum(counts) - counts)[counts > 0]  # whole numbers
    is_first[firsts] = True
    before = np.roll(numbers, 1)
    before[firsts] = np.maximum(np.asarray(lasts, dtype=np.int64)[counts > 0], 0)
    values = np.empty(2 * len(places), dtype=np.int64)
    values[0::2] = numbers - before
    values[1::2] = positions - np.where((numbers == before) & ~is_first, np.roll(positions, 1), 0)
    sizes = np.ones(len(values), dtype=np.int64)
    for bits in (7, 14, 21, 28):
        sizes += values >> bits > 0
    ends = np.concatenate(([0], np.cumsum(sizes)))  # whole numbers
    data = np.empty(ends[-1], dtype=np.uint8)
    for place in range(int(sizes.max(initial=0))):
        there = sizes > place
        data[ends[1:][there] - 1 - place] = values[there] >> 7 * place & 127 | (128 if place else 0)
    packed = data.tobytes()
    bounds = ends[2 * np.concatenate(([0], np.cumsum(counts)))].tolist()  # whole numbers
    return [packed[start:end] for start, end in itertools.pairwise(bounds)]


def last_numbers(packed: Sequence[bytes]) -> list[int]:
    """Return the number of the last document in each of some blobs, or `NOWHERE` for an empty one.

    Raises:
        ValueError: `pack_places` has made nothing like one of them.
    """
    data = np.frombuffer(b"".join(packed), dtype=np.uint8)
    values = _numbers(data) if len(data) else np.empty(0, dtype=np.int64)
    numbers = np.concatenate(([0], np.cumsum(data < 128)))  # whole numbers
    ends = np.concatenate(([0], np.cumsum([len(one) for one in packed], dtype=np.int64)))  # whole numbers
    bounds = numbers[ends]
    if (data[ends[1:][np.diff(ends) > 0] - 1] >= 128).any() or (bounds % 2).any():
        raise ValueError("a place is two numbers")
    sums = np.concatenate(([0], np.cumsum(values[0::2])))[bounds // 2]  # whole numbers
    lasts: list[int] = np.where(np.diff(bounds) > 0, np.diff(sums), NOWHERE).tolist()
    if max(lasts, default=0) > LARGEST:
        raise ValueError("a number is too large")
    return lasts


def unpack_places(packed: bytes) -> bytes:
    """Return what `pack_places` was given.

    Raises:
        ValueError: it has made nothing like this.
    """
    if not packed:
        return b""
    values = _numbers(np.frombuffer(packed, dtype=np.uint8))
    if len(values) % 2:
        raise ValueError("a place is two numbers")
    steps, positions = values[0::2], values[1::2]
    firsts = steps > 0
    firsts[0] = True
    (starts,) = firsts.nonzero()
    sums = np.cumsum(positions)  # whole numbers
    before = sums[starts] - positions[starts]
    sums -= np.repeat(before, np.diff(np.append(starts, len(sums))))
    numbers = np.cumsum(steps)  # whole numbers
    if numbers[-1] > LARGEST or sums.max() > LOW:
        raise ValueError("a number or a position is too large")
    places = (numbers << NUMBER_BITS) | sums
    return places.astype("<i8").tobytes()


def count_places(packed: bytes) -> int:
    """Return the number of places in a blob."""
    return len(packed.translate(None, NOT_LAST)) // 2


def pack_text(text: str) -> bytes:
    """Return a text in fewer bytes."""
    return zlib.compress(text.encode("utf-8"), LEVEL)


def unpack_text(packed: bytes) -> str:
    """Return what `pack_text` was given.

    Raises:
        ValueError: it has made nothing like this.
    """
    try:
        return zlib.decompress(packed).decode("utf-8")
    except zlib.error as error:
        raise ValueError(str(error)) from None


def _numbers(data: np.ndarray[tuple[int], np.dtype[np.uint8]]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """The numbers that are written in groups of seven bits."""
    (ends,) = (data < 128).nonzero()
    if not len(ends) or ends[-1] != len(data) - 1:
        raise ValueError("the last number has no end")
    if len(ends) == len(data):
        return data.astype(np.int64)
    starts = np.concatenate(([0], ends[:-1] + 1))
    longest = int((ends - starts).max()) + 1
    if longest > 5:
        raise ValueError("a number of more than 32 bits")
    values = np.zeros(len(ends), dtype=np.int64)
    for place in range(longest):
        there = starts + place <= ends
        values[there] = (values[there] << 7) | (data[(starts + place)[there]] & 127)
    return values

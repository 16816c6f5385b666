"""Packs places and texts into fewer bytes, as the rows of an index file contain them (SQL-1).

A place is written as two numbers: the difference of its document's number from that of the previous place; and its
position, or the difference of the positions if the document is the same. The first place counts from document 0 and has
its position. Numbers are in groups of seven bits, the highest first; all bytes of a number except its last have the
highest bit set. Texts are compressed by zlib.
"""

import itertools
import zlib
from collections.abc import Sequence

import numpy as np

from hybrid_search.doc_store_adapter.tables.blobs import NUMBER_BITS

Integers = np.ndarray[tuple[int], np.dtype[np.int64]]
Bytes = np.ndarray[tuple[int], np.dtype[np.uint8]]
LOW = (1 << NUMBER_BITS) - 1
LARGEST = LOW >> 1
"""The largest number of a document."""
NOT_LAST = bytes(range(128, 256))
LEVEL = 6
NOWHERE = -1
"""The number that replaces a document's number if there is no document."""


def pack_places(places: bytes) -> bytes:
    """Return places, ascending, in fewer bytes."""
    added = np.frombuffer(places, dtype="<i8")
    (packed,) = packed_after(np.array([NOWHERE]), np.array([len(added)]), added)
    return packed


def packed_after(lasts: Integers, counts: Integers, places: Integers) -> list[bytes]:
    """Return new places of several terms in the form in which they follow the present ones.

    Args:
        lasts: the number of the last document that contains each term, or `NOWHERE`.
        counts: the number of new places of each term.
        places: the new places of one term after the other, ascending, in documents with higher numbers.
    """
    numbers, positions = places >> NUMBER_BITS, places & LOW
    ends = np.cumsum(counts)  # whole numbers
    firsts = (ends - counts)[counts > 0]
    before = np.empty(len(places), dtype=np.int64)
    before[1:] = numbers[:-1]
    before[firsts] = np.maximum(lasts[counts > 0], 0)
    values = np.empty(2 * len(places), dtype=np.int64)
    np.subtract(numbers, before, out=values[0::2])
    is_first = values[0::2] > 0
    is_first[firsts] = True
    values[1::2] = positions
    (others,) = (~is_first).nonzero()
    values[2 * others + 1] -= positions[others - 1]
    data, value_ends = _groups(values)
    packed = data.tobytes()
    bounds = value_ends[2 * np.concatenate(([0], ends))].tolist()
    return [packed[start:end] for start, end in itertools.pairwise(bounds)]


def last_numbers(packed: Sequence[bytes]) -> tuple[Integers, Integers]:
    """Return the number of the last document in each of some blobs, or `NOWHERE`; and the number of its places.

    Raises:
        ValueError: one of them is not a result of `pack_places`.
    """
    data = np.frombuffer(b"".join(packed), dtype=np.uint8)
    ends = np.cumsum(np.fromiter(map(len, packed), dtype=np.int64, count=len(packed)))  # whole numbers
    values, value_ends = _numbers(data, 2)
    bounds = np.searchsorted(value_ends, ends, side="right")
    if (data[ends[ends > 0] - 1] >= 128).any() or (bounds % 2).any():
        raise ValueError("a place is two numbers")
    bounds = np.concatenate(([0], bounds // 2))
    counts = bounds[1:] - bounds[:-1]
    sums = np.concatenate(([0], np.cumsum(values)))[bounds]  # whole numbers
    lasts = np.where(counts > 0, sums[1:] - sums[:-1], NOWHERE)
    if lasts.max(initial=0) > LARGEST:
        raise ValueError("a number is too large")
    return lasts, counts


def unpack_places(packed: Sequence[bytes]) -> bytes:
    """Return the places in some blobs, one blob after the other.

    Raises:
        ValueError: one of them is not a result of `pack_places`.
    """
    data = np.frombuffer(b"".join(packed), dtype=np.uint8)
    if not len(data):
        return b""
    sizes = np.fromiter(filter(None, map(len, packed)), dtype=np.int64)
    values, value_ends = _numbers(data)
    ends = np.cumsum(sizes)  # whole numbers
    bounds = np.searchsorted(value_ends, ends, side="right")
    if (data[ends - 1] >= 128).any() or (bounds % 2).any():
        raise ValueError("a place is two numbers")
    blobs = np.concatenate(([0], bounds[:-1] // 2))
    steps, positions = values[0::2], values[1::2]
    numbers = _sums_from(blobs, steps)
    firsts = steps > 0
    firsts[blobs] = True
    sums = _sums_from(firsts.nonzero()[0], positions)
    if numbers.max() > LARGEST or sums.max() > LOW:
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
    """Return the text that was packed by `pack_text`.

    Raises:
        ValueError: the blob is not a result of `pack_text`.
    """
    try:
        return zlib.decompress(packed).decode("utf-8")
    except zlib.error as error:
        raise ValueError(str(error)) from None


def _sums_from(starts: Integers, values: Integers) -> Integers:
    """Return for each number the sum of all numbers from the last start up to it; the first start is 0."""
    sums: Integers = np.cumsum(values)  # whole numbers
    before = sums[starts] - values[starts]
    sums -= np.repeat(before, np.diff(starts, append=len(sums)))
    return sums


def _groups(values: Integers) -> tuple[Bytes, Integers]:
    """Return the bytes of numbers in groups of seven bits; and 0, followed by the end of each number."""
    sizes = np.ones(len(values), dtype=np.int64)
    for bits in (7, 14, 21, 28):
        (there,) = (values >> bits > 0).nonzero()
        if not len(there):
            break
        sizes[there] += 1
    ends = np.concatenate(([0], np.cumsum(sizes)))  # whole numbers
    data = np.empty(ends[-1], dtype=np.uint8)
    data[ends[1:] - 1] = values & 127
    there = np.arange(len(values))
    for place in range(1, int(sizes.max(initial=0))):
        there = there[sizes[there] > place]
        data[ends[1:][there] - 1 - place] = values[there] >> 7 * place & 127 | 128
    return data, ends


def _numbers(data: Bytes, step: int = 1) -> tuple[Integers, Integers]:
    """Return the numbers in groups of seven bits, or every second one from the first; and the end of each number."""
    (lasts,) = (data < 128).nonzero()
    if len(data) and (not len(lasts) or lasts[-1] != len(data) - 1):
        raise ValueError("the last number has no end")
    values = data[lasts[::step]].astype(np.int64)
    if len(lasts) < len(data):
        sizes = lasts + 1
        sizes[1:] -= sizes[:-1].copy()
        if sizes.max() > 5:
            raise ValueError("a number of more than 32 bits")
        for place in range(1, int(sizes.max())):
            (there,) = (sizes[::step] > place).nonzero()
            values[there] |= (data[lasts[::step][there] - place] & 127).astype(np.int64) << 7 * place
    return values, lasts + 1

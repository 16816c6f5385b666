"""Places and texts as the rows of an index file hold them: in fewer bytes (SQL-1).

A place is written as two numbers: the difference of its document's number from that of the place before it, and its
position, or the difference of the positions where the document is the same. The first place counts from
document 0 and has its position. Numbers are in groups of seven bits, the highest first; all bytes of a number but its
last have the highest bit set. Texts are compressed by zlib.
"""

import zlib

import numpy as np

from hybrid_search.doc_store_adapter.tables import blobs
from hybrid_search.doc_store_adapter.tables.blobs import NUMBER_BITS

LOW = (1 << NUMBER_BITS) - 1
LARGEST = LOW >> 1
"""The largest number of a document."""
NOT_LAST = bytes(range(128, 256))
LEVEL = 6


def pack_places(places: bytes) -> bytes:
    """Return places, ascending, in fewer bytes."""
    packed = bytearray()
    number, position = -1, 0
    for place in blobs.unpack(places):
        same = place >> NUMBER_BITS == number
        step = 0 if number < 0 else number
        for value in ((place >> NUMBER_BITS) - step, (place & LOW) - (position if same else 0)):
            if value < 128:
                packed.append(value)
                continue
            groups = [value & 127]
            while value := value >> 7:
                groups.append(value & 127 | 128)
            packed.extend(reversed(groups))
        number, position = place >> NUMBER_BITS, place & LOW
    return bytes(packed)


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

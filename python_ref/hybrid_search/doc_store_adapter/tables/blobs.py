"""Places and lengths in blobs, lowest byte first, as stores that outlive a process keep them (SQL-1, PG-1).

A *place* is number · 2^32 + position, the number being that of a document.
"""

import struct
from collections.abc import Sequence

NUMBER_BITS = 32
PLACE_BYTES = 8
PLACES_IN_CHUNK = 256
LENGTHS_IN_BLOCK = 1024
NO_LENGTH = -1
"""The length of a document without the field."""


def unpack(places: bytes) -> tuple[int, ...]:
    """The places that are in a blob."""
    return struct.unpack(f"<{len(places) // PLACE_BYTES}q", places)


def first_number(places: bytes) -> int:
    """The number of the first document in a blob."""
    return unpack(places[:PLACE_BYTES])[0] >> NUMBER_BITS


def pack(places: Sequence[int]) -> bytes:
    """Places as a blob."""
    return struct.pack(f"<{len(places)}q", *places)


def merged(places: bytes, removed: set[int], added: Sequence[int]) -> bytes:
    """Places without those of some documents, and with others."""
    if not removed and (not places or not added or unpack(places[-PLACE_BYTES:])[0] < added[0]):
        return places + pack(added)
    kept = [place for place in unpack(places) if place >> NUMBER_BITS not in removed]
    return pack(sorted([*kept, *added]))


def pieces(places: bytes) -> list[bytes]:
    """Places cut into pieces, each of a few more than a chunk should have at the most, between documents."""
    found = []
    numbers = unpack(places)
    start = 0
    while start < len(numbers):
        end = start + PLACES_IN_CHUNK
        while end < len(numbers) and numbers[end] >> NUMBER_BITS == numbers[end - 1] >> NUMBER_BITS:
            end += 1
        found.append(places[start * PLACE_BYTES : end * PLACE_BYTES])
        start = end
    return found


def pack_lengths(lengths: Sequence[int]) -> bytes:
    """How many tokens documents have, 32 bits each."""
    return struct.pack(f"<{len(lengths)}i", *lengths)


def unpack_lengths(packed: bytes) -> tuple[int, ...]:
    """What `pack_lengths` was given."""
    return struct.unpack(f"<{len(packed) // 4}i", packed)


def fits_single(components: Sequence[float]) -> bool:
    """Whether floats of 32 bits hold every component, -0.0 too."""
    layout = f"<{len(components)}f"
    try:
        return struct.unpack(layout, struct.pack(layout, *components)) == tuple(components)
    except OverflowError:
        return False

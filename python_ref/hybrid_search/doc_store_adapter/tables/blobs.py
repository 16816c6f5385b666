"""Token positions and lengths as little-endian blobs in persistent stores (SQL-1, PG-1).

A *place* is the position of a token across documents: the number of its document · 2^32 + its position there.
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
    """Return the places in a blob."""
    return struct.unpack(f"<{len(places) // PLACE_BYTES}q", places)


def first_number(places: bytes) -> int:
    """Return the number of the first document in a blob."""
    return unpack(places[:PLACE_BYTES])[0] >> NUMBER_BITS


def pack(places: Sequence[int]) -> bytes:
    """Return places as a blob."""
    return struct.pack(f"<{len(places)}q", *places)


def merged(places: bytes, removed: set[int], added: Sequence[int]) -> bytes:
    """Return a blob of places without those of removed documents, and with added ones."""
    if not removed and (not places or not added or unpack(places[-PLACE_BYTES:])[0] < added[0]):
        return places + pack(added)
    kept = [place for place in unpack(places) if place >> NUMBER_BITS not in removed]
    return pack(sorted([*kept, *added]))


def pieces(places: bytes) -> list[bytes]:
    """Return places cut between documents into pieces, each about as large as a chunk should be."""
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
    """Return the numbers of tokens of documents as a blob, 32 bits each."""
    return struct.pack(f"<{len(lengths)}i", *lengths)


def unpack_lengths(packed: bytes) -> tuple[int, ...]:
    """Return the numbers that were given to `pack_lengths`."""
    return struct.unpack(f"<{len(packed) // 4}i", packed)


def fits_single(components: Sequence[float]) -> bool:
    """Return whether 32-bit floats represent every component exactly, including -0.0."""
    layout = f"<{len(components)}f"
    try:
        return struct.unpack(layout, struct.pack(layout, *components)) == tuple(components)
    except OverflowError:
        return False

"""The checksum of a row of an index file: the CRC-32 of its integers and then of its blobs (SQL-4)."""

import struct
from zlib import crc32

_LAYOUTS = [struct.Struct(f"<{count}q") for count in range(8)]


def of(integers: tuple[int, ...], *contents: bytes) -> int:
    """Return the checksum of a row.

    Args:
        integers: its integers, each as 64 bits in little-endian order.
        contents: its blobs.

    Raises:
        TypeError: a value has another type.
    """
    try:
        checksum = crc32(_LAYOUTS[len(integers)].pack(*integers))
    except struct.error as error:
        raise TypeError("not an integer") from error
    for content in contents:
        checksum = crc32(content, checksum)
    return checksum

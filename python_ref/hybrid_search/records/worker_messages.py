"""The messages between a process and its workers: plain data of one version of the language (IDX-7)."""

import marshal
import struct
from typing import IO, Any

LENGTH = struct.Struct("<Q")


def write(stream: IO[bytes], message: Any) -> None:
    """Write a message: the number of its bytes, then the bytes."""
    packed = marshal.dumps(message)
    stream.write(LENGTH.pack(len(packed)))
    stream.write(packed)
    stream.flush()


def read(stream: IO[bytes]) -> Any:
    """Return the next message; `None` at the end of the stream, also in the middle of a message."""
    head = stream.read(LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    (length,) = LENGTH.unpack(head)
    packed = stream.read(length)
    return marshal.loads(packed) if len(packed) == length else None

"""Keys of ids and tokens, which PostgreSQL can have in an index however long those are (PG-1)."""

from hashlib import sha256

LONGEST = 1000
LONG = b"\xff"
"""No UTF-8 begins with it."""


def key(text: str) -> bytes:
    """The key of a text."""
    return key_of(text.encode("utf-8"))


def key_of(written: bytes) -> bytes:
    """The key of a text in UTF-8."""
    return written if len(written) <= LONGEST else LONG + sha256(written).digest()

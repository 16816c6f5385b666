"""Keys for ids and tokens, short enough for an index of PostgreSQL (PG-1)."""

from hashlib import sha256

LONGEST = 1000
LONG = b"\xff"
"""A byte with which no UTF-8 text begins."""


def key(text: str) -> bytes:
    """Return the key of a text."""
    return key_of(text.encode("utf-8"))


def key_of(written: bytes) -> bytes:
    """Return the key of a text in UTF-8: the text itself, or the digest of a long one."""
    return written if len(written) <= LONGEST else LONG + sha256(written).digest()

"""Tokens as words of letters and digits, as the engine's full text requires (OB-1).

The engine's parser separates words at blanks and at some other characters, and would cut identifiers such as 6-2-1. A
word begins with the number of its field, so that one index serves all fields; a word is never one of the engine's stop
words.
"""

import hashlib
import re
from collections.abc import Mapping, Sequence

PLAIN = re.compile("[a-z0-9]{1,60}")
WRITTEN_BYTES = 30
"""The number of UTF-8 bytes of a token that is written in hexadecimal; a longer one is replaced by its digest."""


def encoded(token: str) -> str:
    """Return a token as at most 65 letters and digits; different tokens have different results."""
    if PLAIN.fullmatch(token):
        return f"z{token}"
    written = token.encode("utf-8")
    return f"x{written.hex()}" if len(written) <= WRITTEN_BYTES else f"y{hashlib.sha256(written).hexdigest()}"


def words(fields: Mapping[int, Sequence[str]]) -> str:
    """Return the words of a document.

    Args:
        fields: number of a field → its tokens.
    """
    return " ".join(f"{field}{encoded(token)}" for field, tokens in fields.items() for token in tokens)


def lengths(fields: Mapping[int, Sequence[str]]) -> str:
    """Return the number of tokens of each field, in the order of `words`."""
    return " ".join(f"{field}:{len(tokens)}" for field, tokens in fields.items())


def read_lengths(written: str) -> dict[int, int]:
    """Return the numbers that were given to `lengths`."""
    pairs = (pair.split(":") for pair in written.split(" ") if pair)
    return {int(field): int(length) for field, length in pairs}


def holding(fields: Mapping[int, Sequence[str]]) -> dict[str, str]:
    """Return encoded token → the numbers of the fields that contain it."""
    found: dict[str, list[int]] = {}
    for field, tokens in fields.items():
        for token in dict.fromkeys(tokens):
            found.setdefault(encoded(token), []).append(field)
    return {token: ",".join(map(str, sorted(numbers))) for token, numbers in found.items()}

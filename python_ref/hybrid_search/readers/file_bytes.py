"""Reads the bytes of a file, up to the allowed number (FIL-2)."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from gzip import GzipFile
from typing import BinaryIO

from hybrid_search.base.system_path import system_path
from hybrid_search.errors import InvalidInputError

LARGEST_FILE = 64 * 1024 * 1024
"""The maximum number of bytes of a file that is read as a whole."""
LONGEST_LINE = 64 * 1024 * 1024
"""The maximum number of bytes of a line or a row."""
MARK = b"\xef\xbb\xbf"
"""The mark that some programs write at the beginning of a file in UTF-8."""


@contextmanager
def opened(path: str) -> Iterator[BinaryIO]:
    """Open a file; errors of the system, here or in the block, become errors of this library.

    Raises:
        InvalidInputError: the file cannot be read.
    """
    try:
        with open(system_path(path), "rb") as stream:
            yield stream
    except OSError as problem:
        raise InvalidInputError(f"cannot be read: {os.strerror(problem.errno or 0)}") from None


def read(path: str) -> bytes:
    """Return the bytes of a file.

    Raises:
        InvalidInputError: the file cannot be read, or is too large.
    """
    with opened(path) as stream:
        data = stream.read(LARGEST_FILE + 1)
    if len(data) > LARGEST_FILE:
        raise InvalidInputError(f"has more than {LARGEST_FILE} bytes")
    return data


def read_text(path: str) -> str:
    """Return the text of a file.

    Raises:
        InvalidInputError: the file cannot be read, is too large, or is not valid UTF-8.
    """
    return text_of(read(path).removeprefix(MARK))


def text_of(data: bytes) -> str:
    """Return bytes as a text.

    Raises:
        InvalidInputError: the bytes are not valid UTF-8.
    """
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise InvalidInputError("is not valid UTF-8") from None


def lines(stream: BinaryIO | GzipFile) -> Iterator[tuple[bytes, bool]]:
    """Return the lines of a file with their ends, and whether each is whole; of too long lines, the beginnings."""
    first = True
    while data := stream.readline(LONGEST_LINE + 1):
        is_whole = len(data) <= LONGEST_LINE
        rest = data
        while len(rest) > LONGEST_LINE and not rest.endswith(b"\n"):
            rest = stream.readline(LONGEST_LINE + 1)
        yield data.removeprefix(MARK) if first else data, is_whole
        first = False

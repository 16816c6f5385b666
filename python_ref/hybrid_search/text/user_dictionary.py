"""Reads user dictionaries in jieba's format (TXT-2): one word a line, with an optional frequency and tag."""

import os
import re

from hybrid_search.base import validation
from hybrid_search.base.system_path import system_path
from hybrid_search.errors import ConfigurationError
from hybrid_search.text.dictionary import MAXIMUM_FREQUENCY

_ENTRY = re.compile(r"(.+?)(?: ([0-9]+))?(?: ([a-z]+))?\Z", re.DOTALL)
_WHITE = b" \t\n\r\x0b\x0c"

Entry = tuple[str, int | None, str | None]
"""A word, its frequency or `None`, its part of speech or `None`."""


def read(path: str | os.PathLike[str]) -> list[Entry]:
    """Return the entries of a file in UTF-8, with or without a byte order mark; empty lines are skipped.

    Raises:
        ConfigurationError: the file cannot be read, is not UTF-8, or has a frequency out of range.
        InvalidInputError: `path` is not a text.
    """
    name = validation.text("path", os.fspath(path) if isinstance(path, os.PathLike) else path)
    entries = (_entry(line, name, number) for number, line in enumerate(_lines(name), start=1))
    return [entry for entry in entries if entry is not None]


def _lines(name: str) -> list[bytes]:
    try:
        with open(system_path(name), "rb") as source:
            return source.read().split(b"\n")
    except (OSError, ValueError):
        raise ConfigurationError(f"the user dictionary {validation.describe(name)} cannot be read") from None


def _entry(line: bytes, name: str, number: int) -> Entry | None:
    where = f"line {number} of the user dictionary {validation.describe(name)}"
    try:
        text = line.strip(_WHITE).decode("utf-8")
    except UnicodeDecodeError:
        raise ConfigurationError(f"{where} is not valid UTF-8 text") from None
    matched = _ENTRY.match(text.lstrip("\ufeff"))
    if matched is None:
        return None
    word, digits, tag = matched.groups()
    frequency = None if digits is None else _frequency(digits)
    if frequency is not None and frequency > MAXIMUM_FREQUENCY:
        raise ConfigurationError(f"{where} has a frequency above {MAXIMUM_FREQUENCY}")
    return word, frequency, tag


def _frequency(digits: str) -> int:
    """Return the number, or one out of range if it has too many digits to be read."""
    significant = digits.lstrip("0")
    return int(significant or "0") if len(significant) <= len(str(MAXIMUM_FREQUENCY)) else MAXIMUM_FREQUENCY + 1

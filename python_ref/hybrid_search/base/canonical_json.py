"""Canonical JSON, with exactly one text for each value: the input of check values and fingerprints (CUR-3)."""

from collections.abc import Mapping, Sequence
from json.encoder import encode_basestring
from typing import Any

MOST_DIGITS = 4000
"""The maximum number of digits of a whole number, as in strict JSON."""


def write(value: Any) -> str:
    """Return the canonical text of a value: keys in code point order, no blanks, raw UTF-8, no floats.

    Args:
        value: null, true, false, an integer, a text, or lists and objects of these, whose keys are texts.

    Raises:
        ValueError: the value contains anything else, or a text that is not valid Unicode.
    """
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int):
        return _integer(value)
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, Mapping):
        return "{" + ",".join([f"{_text(key)}:{write(value[key])}" for key in _sorted(value)]) + "}"
    if isinstance(value, Sequence) and not isinstance(value, bytes):
        return "[" + ",".join([write(item) for item in value]) + "]"
    raise ValueError("canonical JSON holds no floats, and nothing but plain data")


def _sorted(value: Mapping[Any, Any]) -> list[str]:
    if not all(isinstance(key, str) for key in value):
        raise ValueError("the keys of an object are texts")
    return sorted(value)


def _integer(value: int) -> str:
    if value.bit_length() > MOST_DIGITS * 4 or len(text := str(value).lstrip("-")) > MOST_DIGITS:
        raise ValueError("a whole number of too many digits")
    return f"-{text}" if value < 0 else text


def _text(value: str) -> str:
    value.encode("utf-8")
    return encode_basestring(value)

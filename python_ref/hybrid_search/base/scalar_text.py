"""Reads plain values from text, as command lines and addresses contain them (CUR-5, CUR-6)."""

import json
import re
from typing import Any

from hybrid_search.base import numeric

INTEGER = re.compile(r"[+-]?[0-9]{1,18}")
NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?")


def integer(text: str) -> int | None:
    """Return the integer of at most 18 digits that the text contains, else `None`."""
    return int(text) if INTEGER.fullmatch(text) else None


def number(text: str) -> float | None:
    """Return the number that the text contains, else `None`."""
    return numeric.parse_decimal(text) if NUMBER.fullmatch(text) else None


def scalar(text: str) -> Any:
    """Return the value of a filter: a number, true, false, null or a quoted text as in JSON, else the text itself."""
    whole = integer(text)
    found = number(text) if whole is None else whole
    if found is not None:
        return found
    if text in ("true", "false", "null"):
        return json.loads(text)
    return _unquoted(text) if len(text) > 1 and text[0] == text[-1] == '"' else text


def _unquoted(text: str) -> Any:
    from hybrid_search.base import strict_json

    try:
        return strict_json.parse(text)
    except (ValueError, UnicodeEncodeError):
        return text

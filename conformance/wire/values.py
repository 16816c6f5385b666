"""Checks encoded values the way `fixtures/schema/value.json` says, fast enough for every message (CNF-4, CNF-9).

Stricter than a schema can be: a float's decimal must be that of its bits, a large integer must be large, the bytes of
a text must be no UTF-8.
"""

import hashlib
import json
import math
import re
import struct
from typing import Any

LARGEST_PLAIN = 2**53
DEEPEST = 200
"""Lists and objects in one another; no honest answer is so deep."""
NAN_BITS = "7ff8000000000000"
BITS = re.compile("[0-9a-f]{16}")
HEX = re.compile("([0-9a-f]{2})+")
INTEGER = re.compile("-?[1-9][0-9]*")


def complaint(value: Any, depth: int = 0) -> str | None:
    """What is wrong with an encoded value, with the place in front; none if nothing is."""
    if depth > DEEPEST:
        return f": nested more than {DEEPEST} deep"
    if value is None or isinstance(value, (str, bool)):
        return None
    if isinstance(value, int):
        return None if abs(value) < LARGEST_PLAIN else f": the integer {value} must come as {{integer: its digits}}"
    if isinstance(value, list):
        for index, item in enumerate(value):
            found = complaint(item, depth + 1)
            if found:
                return f"/{index}{found}"
        return None
    if isinstance(value, dict):
        return _object(value, depth)
    return f": a {type(value).__name__} is no encoded value"


def float_complaint(bits: Any, decimal: Any) -> str | None:
    """What is wrong with a float given by its bits and its shortest decimal; none if nothing is."""
    if not isinstance(bits, str) or not BITS.fullmatch(bits):
        return f"{bits!r} are not 16 hex digits"
    number: float = struct.unpack(">d", bytes.fromhex(bits))[0]
    if math.isnan(number) and bits != NAN_BITS:
        return f"there is one NaN, {NAN_BITS}, not {bits}"
    return None if repr(number) == decimal else f"{bits} is {number!r}, not {decimal}"


def canonical(encoded: Any) -> str:
    """The canonical JSON text of encoded data: sorted keys, no blanks, raw UTF-8."""
    return json.dumps(encoded, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


def digest(encoded: Any) -> str:
    """The SHA-256 of the canonical JSON, in hex."""
    return hashlib.sha256(canonical(encoded).encode("utf-8")).hexdigest()


def is_float(value: Any) -> bool:
    """Whether this stands for a float."""
    return isinstance(value, dict) and value.keys() == {"bits", "decimal"}


def _object(value: dict[str, Any], depth: int) -> str | None:
    keys = value.keys()
    if keys == {"bits", "decimal"}:
        found = float_complaint(value["bits"], value["decimal"])
        return f": {found}" if found else None
    if keys == {"integer"}:
        return _large(value["integer"])
    if keys == {"utf8"}:
        return _bytes(value["utf8"])
    if keys == {"entries"}:
        return _entries(value["entries"], depth)
    for key, item in value.items():
        found = complaint(item, depth + 1)
        if found:
            return f"/{key}{found}"
    return None


def _large(digits: Any) -> str | None:
    if not isinstance(digits, str) or not INTEGER.fullmatch(digits):
        return f"/integer: {digits!r} is no integer's digits"
    large = len(digits) > 17 or abs(int(digits)) >= LARGEST_PLAIN
    return None if large else f"/integer: {digits} must come as it is"


def _bytes(text: Any) -> str | None:
    if not isinstance(text, str) or not HEX.fullmatch(text):
        return f"/utf8: {text!r} is no hex of bytes"
    try:
        bytes.fromhex(text).decode("utf-8")
    except UnicodeDecodeError:
        return None
    return f"/utf8: {text} is valid UTF-8, so the text must come as it is"


def _entries(entries: Any, depth: int) -> str | None:
    if not isinstance(entries, list):
        return "/entries: must be a list"
    for index, entry in enumerate(entries):
        if not isinstance(entry, list) or len(entry) != 2 or not (_is_text(entry[0])):
            return f"/entries/{index}: must be a key and a value"
        found = complaint(entry[0], depth + 1) or complaint(entry[1], depth + 1)
        if found:
            return f"/entries/{index}{found}"
    return None


def _is_text(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, dict) and value.keys() == {"utf8"})

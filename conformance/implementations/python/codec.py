"""Values as JSON that loses nothing (CNF-4).

| value | JSON |
|---|---|
| float | `{"bits": "3fb999999999999a", "decimal": "0.1"}`; also -0.0, subnormals, inf, -inf and nan |
| integer | itself below 2^53 in size, else `{"integer": "9007199254740993"}` |
| text | itself, or `{"utf8": "ff61"}` (the hex of its bytes) when it is not valid UTF-8 |
| list, object with texts as keys, true, false, null | themselves |
| object whose order matters (`Ordered`); others are sorted | `{"entries": [["b", 1], ["a", 2]]}` |
"""

import hashlib
import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from hybrid_search.base import numeric

LARGEST_PLAIN_INTEGER = 2**53
NAN_BITS = "7ff8000000000000"
RESERVED_KEYS = (frozenset({"bits", "decimal"}), frozenset({"integer"}), frozenset({"utf8"}), frozenset({"entries"}))


class Ordered(dict[str, Any]):
    """An object that keeps its order of keys on the wire."""


def encode(value: Any) -> Any:
    """Plain data as JSON-able data in the form above.

    Raises:
        TypeError: a value, or an object's key, is of another kind.
        ValueError: an object has just the keys that stand for a float, an integer or a text.
    """
    if value is None or isinstance(value, (bool, np.bool_)):
        return None if value is None else bool(value)
    if isinstance(value, str):
        return _encode_text(value)
    if isinstance(value, (float, np.floating)):
        return encode_float(float(value))
    if isinstance(value, (int, np.integer)):
        return int(value) if abs(int(value)) < LARGEST_PLAIN_INTEGER else {"integer": str(int(value))}
    if isinstance(value, np.ndarray):
        return [encode(item) for item in value.tolist()]
    if isinstance(value, (list, tuple)):
        return [encode(item) for item in value]
    if isinstance(value, Ordered):
        return {"entries": [[_encode_text(key), encode(item)] for key, item in value.items()]}
    if isinstance(value, Mapping):
        return _encode_object(value)
    raise TypeError(f"a {type(value).__name__} is not plain data: {value!r}")


def encode_float(value: float) -> dict[str, str]:
    """A float as its shortest decimal and its 16 hex digits; there is one NaN."""
    bits = NAN_BITS if math.isnan(value) else numeric.to_bits(value)
    return {"bits": bits, "decimal": numeric.shortest(value)}


def decode(value: Any) -> Any:
    """The inverse of `encode`; bytes that are no UTF-8 become lone surrogates."""
    if isinstance(value, list):
        return [decode(item) for item in value]
    if isinstance(value, dict):
        keys = value.keys()
        if keys == {"bits", "decimal"}:
            return numeric.from_bits(value["bits"])
        if keys == {"integer"}:
            return int(value["integer"])
        if keys == {"utf8"}:
            return bytes.fromhex(value["utf8"]).decode("utf-8", "surrogateescape")
        if keys == {"entries"}:
            return {decode(key): decode(item) for key, item in value["entries"]}
        return {key: decode(item) for key, item in value.items()}
    return value


def canonical(encoded: Any) -> str:
    """The canonical JSON text of encoded data: sorted keys, no blanks, raw UTF-8."""
    return json.dumps(encoded, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


def digest(encoded: Any) -> str:
    """The SHA-256 of the canonical JSON of encoded data, in hex."""
    return hashlib.sha256(canonical(encoded).encode("utf-8")).hexdigest()


def _encode_text(value: str) -> Any:
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        try:
            return {"utf8": value.encode("utf-8", "surrogateescape").hex()}
        except UnicodeEncodeError:
            return {"utf8": value.encode("utf-8", "surrogatepass").hex()}
    return value


def _encode_object(value: Mapping[Any, Any]) -> dict[str, Any]:
    if frozenset(value) in RESERVED_KEYS:
        raise ValueError(f"an object with just the keys {sorted(value)} stands for something else")
    encoded = {}
    for key, item in value.items():
        if not isinstance(key, str) or not isinstance(_encode_text(key), str):
            raise TypeError(f"an object's key must be a valid text, not {key!r}")
        encoded[key] = encode(item)
    return encoded

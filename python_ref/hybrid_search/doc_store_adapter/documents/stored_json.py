r"""Documents as JSON that gives every value back as it was (SQL-2).

Floats are written with as many digits as they need, integers with all of theirs. No interpreter need read or write
thousands of digits: an integer of more than 10,000 bits is the object `{"\u0000": hexadecimal digits}`, and a key that
begins with U+0000 gets one more before it. Only texts that hold an escaped U+0000 have to be looked through for that.
"""

import json
from typing import Any

MARK = "\0"
ESCAPED_MARK = '"\\u0000'
MOST_BITS = 10_000


def write(value: Any) -> str:
    """The JSON of a stored value."""
    return json.dumps(_marked(value), ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def read(text: str) -> Any:
    """The stored value of a JSON text.

    Raises:
        ValueError: it is none that `write` gives.
    """
    value = json.loads(text)
    return _unmarked(value) if ESCAPED_MARK in text else value


def _marked(value: Any) -> Any:
    if type(value) is int and value.bit_length() > MOST_BITS:
        return {MARK: format(value, "x")}
    if isinstance(value, list):
        return [_marked(item) for item in value]
    if isinstance(value, dict):
        return {MARK + key if key.startswith(MARK) else key: _marked(item) for key, item in value.items()}
    return value


def _unmarked(value: Any) -> Any:
    if isinstance(value, list):
        return [_unmarked(item) for item in value]
    if not isinstance(value, dict):
        return value
    if MARK in value:
        return int(value[MARK], 16)
    return {key.removeprefix(MARK): _unmarked(item) for key, item in value.items()}

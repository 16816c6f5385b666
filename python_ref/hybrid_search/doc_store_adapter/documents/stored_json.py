r"""Documents as JSON that preserves every value exactly (SQL-2).

Floats are written with as many digits as they need, integers with all their digits. Since interpreters limit the number
of decimal digits, an integer of more than 10,000 bits is written as the object `{"\u0000": hexadecimal digits}`. A key
that begins with U+0000 gets another U+0000 before it. Only texts that contain an escaped U+0000 have to be searched for
these forms.
"""

import json
from typing import Any

MARK = "\0"
ESCAPED_MARK = '"\\u0000'
MOST_BITS = 10_000


def write(value: Any) -> str:
    """Return the JSON of a stored value."""
    return json.dumps(_marked(value), ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def read(text: str) -> Any:
    """Return the stored value of a JSON text.

    Raises:
        ValueError: the text is not an output of `write`.
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

"""Parses JSON from untrusted texts and files strictly, into plain data only (RNK-5, SYN-1).

The syntax is that of RFC 8259: no comments, no NaN, no lone surrogates, at most 100 levels deep. Whole numbers have at
most 4,000 digits. If a key is repeated, the last value counts, at the position of the first.
"""

import json
from typing import Any

from hybrid_search.base.json_scan import JsonScan


def parse(text: str) -> Any:
    """Return the value of a JSON text.

    Raises:
        ValueError: the text is not strict JSON.
    """
    JsonScan().scan(text.encode("utf-8"))
    return build(text)


def parse_object(text: str) -> dict[str, Any] | None:
    """Return the object of a JSON text, or `None` if the text is not strict JSON of an object."""
    try:
        value = parse(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def build(text: str) -> Any:
    """Return the value of a text that `JsonScan` has scanned.

    Raises:
        ValueError: the parts are not in the order of JSON.
    """
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("nested too deeply for what is left of the stack") from None

"""JSON out of texts and files that others wrote (RNK-5, SYN-1): strict, and never more than data.

It is read as RFC 8259 has it: no comments, no NaN, no lone surrogates, at most 100 levels deep. Whole numbers have at
most 4,000 digits. Of equal keys the last value counts, in the place of the first.
"""

import json
from typing import Any

from hybrid_search.base.json_scan import JsonScan


def parse(text: str) -> Any:
    """The value a text holds.

    Raises:
        ValueError: the text is not strict JSON.
    """
    JsonScan().scan(text.encode("utf-8"))
    return build(text)


def parse_object(text: str) -> dict[str, Any] | None:
    """The object a text holds, or none if it is not strict JSON of an object."""
    try:
        value = parse(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def build(text: str) -> Any:
    """The value of a text that `JsonScan` has looked through.

    Raises:
        ValueError: the parts are not in the order of JSON.
    """
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("nested too deeply for what is left of the stack") from None

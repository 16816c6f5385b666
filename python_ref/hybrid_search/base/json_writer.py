"""Plain data as JSON, the same bytes in both languages (CUR-5, CUR-6)."""

import json
from typing import Any


def write(value: Any) -> str:
    """A value as JSON in one line: no blanks, characters as they are, the shortest floats.

    Args:
        value: plain data, whose floats are finite.
    """
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))

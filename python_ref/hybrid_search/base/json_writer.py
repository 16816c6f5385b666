"""Writes plain data as JSON, with the same bytes in both languages (CUR-5, CUR-6)."""

import json
from typing import Any


def write(value: Any) -> str:
    """Return a value as JSON on one line: no blanks, unescaped characters, floats in their shortest form.

    Args:
        value: plain data, whose floats are finite.
    """
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))

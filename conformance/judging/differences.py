"""Shows a structural difference to people, through deepdiff (CNF-13)."""

import threading
from typing import Any

from deepdiff import DeepDiff

from conformance.wire import values

MOST_LINES = 20
LONGEST = 300

_one_at_a_time = threading.Lock()
"""deepdiff parses what it shows, and parsing in several threads at once fails now and then in Python 3.11."""


def readable(encoded: Any) -> Any:
    """Encoded data with each float as one text, `0.1 (3fb999999999999a)`."""
    if values.is_float(encoded):
        return f"{encoded['decimal']} ({encoded['bits']})"
    if isinstance(encoded, dict):
        return {key: readable(value) for key, value in encoded.items()}
    if isinstance(encoded, list):
        return [readable(value) for value in encoded]
    return encoded


def describe(expected: Any, got: Any) -> list[str]:
    """Lines that say what differs: a path, what was expected, what came."""
    with _one_at_a_time:
        lines = _lines(DeepDiff(readable(expected), readable(got), verbose_level=2, ignore_order=False))
    hidden = len(lines) - MOST_LINES
    return lines[:MOST_LINES] + ([f"… and {hidden} more differences"] if hidden > 0 else [])


def _lines(difference: DeepDiff) -> list[str]:
    lines: list[str] = []
    for kind, entries in difference.items():
        if not hasattr(entries, "items"):
            lines += [f"{kind}: {entry}" for entry in entries]
            continue
        for path, entry in entries.items():
            if isinstance(entry, dict) and {"old_value", "new_value"} <= entry.keys():
                shown = f"expected {_short(entry['old_value'])}, got {_short(entry['new_value'])}"
            else:
                shown = f"{_named(kind)} {_short(entry)}"
            lines.append(f"{path.removeprefix('root') or 'the whole'}: {shown}")
    return lines


def _named(kind: str) -> str:
    """What a difference is, where there is no value on one of the sides."""
    return {"added": "not expected,", "removed": "missing,"}.get(kind.rpartition("_")[2], f"{kind.replace('_', ' ')}:")


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}… ({len(text)} characters)"

"""Shows a structural difference to people, through deepdiff (CNF-13)."""

import threading
from collections.abc import Mapping
from typing import Any

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
    return _lines(expected, got, ("expected {}, got {}", "not expected, {}", "missing, {}"), MOST_LINES)


def changes(before: Any, after: Any, most: int = MOST_LINES) -> list[str]:
    """Return lines that say what has changed: a path, the value before, the value after.

    Args:
        before: encoded data.
        after: the same, changed.
        most: the largest number of lines.
    """
    return _lines(before, after, ("{} → {}", "added {}", "removed {}"), most)


def _lines(first: Any, second: Any, words: tuple[str, str, str], most: int) -> list[str]:
    from deepdiff import DeepDiff  # takes two thirds of the start of a run, and most runs have nothing to show

    with _one_at_a_time:
        lines = _all_lines(DeepDiff(readable(first), readable(second), verbose_level=2, ignore_order=False), words)
    hidden = len(lines) - most
    return lines[:most] + ([f"… and {hidden} more differences"] if hidden > 0 else [])


def _all_lines(difference: Mapping[str, Any], words: tuple[str, str, str]) -> list[str]:
    changed, added, removed = words
    lines: list[str] = []
    for kind, entries in difference.items():
        if not hasattr(entries, "items"):
            lines += [f"{kind}: {entry}" for entry in entries]
            continue
        for path, entry in entries.items():
            if isinstance(entry, dict) and {"old_value", "new_value"} <= entry.keys():
                shown = changed.format(_short(entry["old_value"]), _short(entry["new_value"]))
            else:
                one_sided = {"added": added, "removed": removed}.get(kind.rpartition("_")[2])
                shown = (one_sided or f"{kind.replace('_', ' ')}: {{}}").format(_short(entry))
            lines.append(f"{path.removeprefix('root') or 'the whole'}: {shown}")
    return lines


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}… ({len(text)} characters)"

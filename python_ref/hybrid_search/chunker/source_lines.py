"""Splits a text into lines with their offsets and pages (CHK-2)."""

import re
from typing import NamedTuple

BYTE_ORDER_MARK = "\ufeff"
FORM_FEED = "\f"

_LINE = re.compile(r"[^\n\r\f]*(?:\r\n|[\n\r\f])|[^\n\r\f]+")


class SourceLine(NamedTuple):
    """One line of a text.

    Attributes:
        start: the offset of its first character, in code points.
        text: the line without its end.
        end: the offset after its line end, where the next line starts.
        page: its page, from 1; `None` for a text without form feeds.
    """

    start: int
    text: str
    end: int
    page: int | None


def read(text: str) -> list[SourceLine]:
    """Return the lines of a text. LF, CR, CR LF and form feeds end a line; a form feed also ends its page."""
    page = 1 if FORM_FEED in text else None
    start = 1 if text.startswith(BYTE_ORDER_MARK) else 0
    lines = []
    for found in _LINE.finditer(text, start):
        line = found.group()
        lines.append(SourceLine(found.start(), line.rstrip("\n\r\f"), found.end(), page))
        if page is not None and line.endswith(FORM_FEED):
            page += 1
    return lines

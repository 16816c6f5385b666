"""Recognizes the lines of Markdown (CHK-3). Blanks and tabs indent; tab stops are multiples of four columns."""

import re
from typing import NamedTuple

TAB_STOP = 4
LONGEST_HEADING = 200
"""The maximum number of code points of a heading's text in paths and titles."""

_INDENT = " \t"
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]|\Z)")
_UNDERLINE = re.compile(r" {0,3}(?:(=+)|-+)[ \t]*\Z")
_ITEM = re.compile(r"[ \t]*([-*+]|[0-9]{1,9}[.)])(?:[ \t]|\Z)")
_FIRST_NUMBER = re.compile(r"0*1[.)]")
_DELIMITERS = re.compile(r"[ \t|:-]*\Z")


class Fence(NamedTuple):
    """The fence that opens fenced code; the same character, at least as often, closes it."""

    character: str
    length: int


class Item(NamedTuple):
    """The beginning of a list item.

    Attributes:
        content: the first column of the item's content.
        interrupts: whether it may follow a line of a paragraph: it is not empty, and its number, if any, is 1.
    """

    content: int
    interrupts: bool


def indent(text: str) -> int:
    """Return the number of columns before the first character that is neither a blank nor a tab."""
    white = text[: len(text) - len(text.lstrip(_INDENT))]
    if "\t" not in white:
        return len(white)
    columns = 0
    for character in white:
        columns += TAB_STOP - columns % TAB_STOP if character == "\t" else 1
    return columns


def fence(text: str) -> Fence | None:
    """Return the fence that a line opens; a line that opens with backticks contains no further backtick."""
    found = _FENCE.match(text)
    if not found or (found[1][0] == "`" and "`" in text[found.end() :]):
        return None
    return Fence(found[1][0], len(found[1]))


def closes(text: str, opened: Fence) -> bool:
    """Return whether a line closes fenced code."""
    bare = text.strip(_INDENT)
    return len(bare) >= opened.length and bare == opened.character * len(bare)


def heading(text: str) -> tuple[int, str] | None:
    """Return level and text of an ATX heading, without its closing number signs."""
    found = _HEADING.match(text)
    if not found:
        return None
    body = text[found.end() :].strip(_INDENT)
    bare = body.rstrip("#")
    if not bare or bare[-1] in _INDENT:
        body = bare.rstrip(_INDENT)
    return len(found[1]), body


def underline(text: str) -> int | None:
    """Return the heading level of an underline, which turns the paragraph above it into a heading."""
    found = _UNDERLINE.match(text)
    if not found:
        return None
    return 1 if found[1] else 2


def is_break(text: str) -> bool:
    """Return whether a line is a thematic break: three or more of `-`, `_` or `*`, and blanks."""
    bare = text.replace(" ", "").replace("\t", "")
    return len(bare) >= 3 and bare[0] in "-_*" and bare == bare[0] * len(bare)


def item(text: str, columns: int) -> Item | None:
    """Return the list item that a line begins; `columns` is its indent."""
    found = _ITEM.match(text)
    if not found:
        return None
    marker = found[1]
    first = len(marker) == 1 or _FIRST_NUMBER.match(marker) is not None
    filled = bool(text[found.end() :].strip(_INDENT))
    return Item(columns + len(marker) + 1, first and filled)


def is_quote(text: str) -> bool:
    """Return whether a line belongs to a block quote."""
    return text.lstrip(_INDENT).startswith(">")


def is_delimiter_row(text: str) -> bool:
    """Return whether a line may follow the head of a table."""
    return "|" in text and "-" in text and _DELIMITERS.match(text) is not None

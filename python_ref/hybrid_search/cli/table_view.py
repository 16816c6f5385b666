"""A table of texts for people: columns as wide as they need, the last one as the terminal leaves (CUR-5)."""

import re
from collections.abc import Sequence

from hybrid_search.cli.console import CONTROL

WIDE = re.compile(
    "[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6"
    "\U0001f300-\U0001f64f\U0001f900-\U0001f9ff\U00020000-\U0003fffd]"
)
"""Characters that take two cells of a terminal, about."""
WITHOUT_CELL = re.compile("[\u0300-\u036f\u200b-\u200f\u20d0-\u20ff\ufe00-\ufe0f\ufeff]")


def lines(head: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> list[str]:
    """The lines of a table.

    Args:
        head: the names of the columns.
        rows: their texts, in one line each.
        width: how many cells the terminal has in a row; the last column is cut to fit.
    """
    listed = [list(head), *([_one_line(text) for text in row] for row in rows)]
    columns = range(len(head) - 1)
    widths = [max(cells(row[column]) for row in listed) for column in columns]
    taken = len(widths) * 2
    for each in widths:
        taken += each
    room = max(8, width - taken)
    return ["  ".join([*(_padded(row[c], widths[c]) for c in columns), cut(row[-1], room)]).rstrip() for row in listed]


def cells(text: str) -> int:
    """How many cells of a terminal a text takes."""
    count = 0
    for character in text:
        count += _cells(character)
    return count


def cut(text: str, room: int) -> str:
    """A text of at most so many cells; one that is longer ends with `…`."""
    if cells(text) <= room:
        return text
    kept = ""
    used = 1
    for character in text:
        used += _cells(character)
        if used > room:
            break
        kept += character
    return f"{kept}…"


def _cells(character: str) -> int:
    if WITHOUT_CELL.match(character):
        return 0
    return 2 if WIDE.match(character) else 1


def _padded(text: str, width: int) -> str:
    return text + " " * (width - cells(text))


def _one_line(text: str) -> str:
    return re.sub(" +", " ", CONTROL.sub(" ", text)).strip(" ")

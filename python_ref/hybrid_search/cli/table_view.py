"""Formats tables of texts with rich, which is not loaded before a table is drawn (CUR-5)."""

import io
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from hybrid_search.cli.console import CONTROL

if TYPE_CHECKING:
    from rich.text import Text

MARKS = ("\ue000", "\ue001")
"""The marks around a match in a styled cell. They belong to no script; a cell that contains them itself only looks odd.
"""
LEAST_ROOM = 24
MOST_LINES = 3
"""The approximate maximum number of lines of the last column on a terminal."""
NARROWEST = 8
"""The minimum width in cells of the last column of a table that is not on a terminal."""
GAP = 2
NUMBER = re.compile(r"-?[0-9.]+")


def lines(head: Sequence[str], rows: Sequence[Sequence[str]], width: int, styled: bool = False) -> list[str]:
    """Return the lines of a table: numbers are right-aligned, and the last column is cut or wrapped to fit.

    Args:
        head: the names of the columns.
        rows: their texts.
        width: the number of cells in a line of the terminal.
        styled: whether matches are coloured and the last column takes several lines, as on a terminal.
    """
    from rich.cells import cell_len
    from rich.console import Console
    from rich.table import Table

    drawn = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0), header_style="bold" if styled else None)
    taken = 0
    for place, name in enumerate(head[:-1]):
        texts = [row[place] for row in rows]
        numbers = all(NUMBER.fullmatch(text) for text in texts)
        widest = max(map(cell_len, (name, *texts)))
        drawn.add_column(name, justify="right" if numbers else "left", overflow="fold", no_wrap=not styled,
                         min_width=None if styled else widest)  # fmt: skip
        taken += widest + GAP
    drawn.add_column(head[-1], overflow="fold", no_wrap=not styled)
    room = MOST_LINES * max(LEAST_ROOM, width - taken) if styled else max(NARROWEST, width - taken)
    for row in rows:
        drawn.add_row(*map(_cell, row[:-1]), _cell(row[-1], room))
    out = io.StringIO()
    drawn_width = width if styled else taken + room
    Console(file=out, force_terminal=styled, width=drawn_width, highlight=False).print(drawn)
    return [line.rstrip(" ") for line in out.getvalue().removesuffix("\n").split("\n")]


def cut(text: str, room: int) -> str:
    """Return a text of at most that many cells; a longer one ends with `…`."""
    from rich.text import Text

    cell = Text(text)
    cell.truncate(room, overflow="ellipsis")
    return cell.plain


def _cell(text: str, room: int | None = None) -> "Text":
    """Return a text as a cell, cut to that many cells if `room` is set."""
    from rich.text import Text

    cell = Text()
    line = re.sub(" +", " ", CONTROL.sub(" ", text))
    parts = (line if room is None else cut(line, room)).split(MARKS[0])
    cell.append(parts[0])
    for part in parts[1:]:
        match, _, rest = part.partition(MARKS[1])
        cell.append(match, style="bold yellow")
        cell.append(rest)
    return cell

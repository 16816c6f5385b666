"""The structure of a document before sizes matter: sections and their passages (CHK-2, CHK-3)."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from hybrid_search.chunker.source_lines import SourceLine

SECTION = 0
BLOCK = 1
ITEM = 2
DEEPEST_ITEM = 7
"""Items nested deeper than this have boundaries of this depth."""
PARAGRAPH = ITEM + DEEPEST_ITEM + 1
"""Lines of code after a blank line."""
SENTENCE = PARAGRAPH + 1
LINE = SENTENCE + 1
CLAUSE = LINE + 1
WORD = CLAUSE + 1
PIECE = WORD + 1
"""The levels of boundaries, the strongest first; a text is cut at the strongest level at which its parts fit the size.
"""

HEADING = "heading"
PROSE = "prose"
LINES = "lines"
"""The kinds of passages: the parts of prose are sentences; the parts of code, tables and front matter are lines."""


class Passage(NamedTuple):
    """Consecutive lines of one kind.

    Attributes:
        lines: at least one line; the first and last are not blank.
        level: the level of the boundary before it.
        kind: HEADING, PROSE or LINES.
    """

    lines: Sequence[SourceLine]
    level: int
    kind: str


@dataclass
class Section:
    """The passages under one heading, on one page.

    Attributes:
        headings: the path of its headings, the outermost first.
        page: the page on which it starts; `None` for a text without form feeds.
        passages: at least one; headings come first.
    """

    headings: tuple[str, ...]
    page: int | None
    passages: list[Passage] = field(default_factory=list)

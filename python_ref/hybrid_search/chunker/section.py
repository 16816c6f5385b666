"""What a document is divided into before its size matters: sections, and the passages in them (CHK-2, CHK-3)."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from hybrid_search.chunker.source_lines import SourceLine

SECTION = 0
BLOCK = 1
ITEM = 2
DEEPEST_ITEM = 7
"""Items nested deeper than this have the boundaries of this depth."""
PARAGRAPH = ITEM + DEEPEST_ITEM + 1
"""Lines of code behind a blank line."""
SENTENCE = PARAGRAPH + 1
LINE = SENTENCE + 1
CLAUSE = LINE + 1
WORD = CLAUSE + 1
PIECE = WORD + 1
"""The levels of boundaries, the strongest first: a text is cut at the strongest that brings its parts to size."""

HEADING = "heading"
PROSE = "prose"
LINES = "lines"
"""The kinds of passages: sentences are the parts of prose; lines are those of code, tables and front matter."""


class Passage(NamedTuple):
    """Consecutive lines of one kind.

    Attributes:
        lines: at least one of them, none of them blank at the edges.
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
        headings: the path of headings that lead to it, the outermost first.
        page: the page it starts on; None where the text has no form feed.
        passages: at least one; headings come first.
    """

    headings: tuple[str, ...]
    page: int | None
    passages: list[Passage] = field(default_factory=list)

"""Divides a source file into blocks (CNV-6)."""

import itertools
import re
from collections.abc import Iterator, Sequence
from typing import Any

from hybrid_search.base import characters
from hybrid_search.code_index.code_definition import CodeDefinition

LINE_END = re.compile("\r\n|\r|\n")
CLOSING = re.compile(r"[\s{}()\[\];,]*(end)?[\s{}()\[\];,]*")
"""A line that only closes something."""
MOST_LINES = 60
"""The number of lines above which spans are cut into windows."""
Span = tuple[int, int]


class SourceBlocks:
    """The blocks of a file: functions, methods and the lines between them, or windows of lines without definitions.

    Args:
        path: the path in the repository.
        text: its source.
        definitions: its functions and classes.

    Attributes:
        blocks: in the form that `BlockIndex` takes.
        texts: the text of each block to embed: the path, and the source.
    """

    def __init__(self, path: str, text: str, definitions: Sequence[CodeDefinition]) -> None:
        self._lines = LINE_END.split(text)
        self.blocks: list[dict[str, Any]] = []
        self.texts: list[str] = []
        for first, last in self._spans(definitions):
            block: dict[str, Any] = {"file_path": path, "start_line": first, "end_line": last}
            overlapping = [each.to_dict() for each in definitions if each.start_line <= last and each.end_line >= first]
            if overlapping:
                block["definitions"] = overlapping
            self.blocks.append(block)
            self.texts.append("\n".join([path, *self._lines[first : last + 1]]))

    def _spans(self, definitions: Sequence[CodeDefinition]) -> Iterator[Span]:
        """Yield the spans between the boundaries of definitions outside functions, without blank lines at their ends.

        Spans that only close a class are omitted.
        """
        outer = [each for each in definitions if not each.is_inner]
        cuts = {0, len(self._lines), *(each.start_line for each in outer), *(each.end_line + 1 for each in outer)}
        for begin, end in itertools.pairwise(sorted(cuts)):
            for first in range(begin, end, MOST_LINES):
                span = self._stripped(first, min(first + MOST_LINES, end) - 1)
                if span is not None and not (outer and self._only_ends(*span)):
                    yield span

    def _stripped(self, first: int, last: int) -> Span | None:
        filled = [line for line in range(first, last + 1) if characters.strip(self._lines[line])]
        return (filled[0], filled[-1]) if filled else None

    def _only_ends(self, first: int, last: int) -> bool:
        return all(CLOSING.fullmatch(line) for line in self._lines[first : last + 1])

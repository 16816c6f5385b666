"""The chunks of a text (CHK-5)."""

import dataclasses
from collections.abc import Sequence
from typing import Any


@dataclasses.dataclass(frozen=True)
class TextChunk:
    """A part of a text.

    `content` is `text[start:end]` of the text that was cut. The first `overlap` characters of it are in the chunk
    before too; without them the contents of all chunks are the whole text, but for white space between them.

    Attributes:
        number: its number among the chunks, from 1.
        content: the text.
        title: the title of the document and the headings, joined by " > "; "" if there is none of either.
        headings: the path of headings that lead to it, the outermost first.
        page: the page it starts on, from 1; None where the text has no form feed.
        start: the offset of its first character, in code points.
        end: the offset behind its last.
        overlap: how many of its characters, from the first on, are in the chunk before.
        tokens: how many tokens it has, as the chunker counts them.
    """

    number: int
    content: str
    title: str
    headings: Sequence[str]
    page: int | None
    start: int
    end: int
    overlap: int
    tokens: int

    @property
    def positions(self) -> list[list[int]]:
        """Where it is, as records have it: page (or number, where there are no pages), start and end."""
        return [[self.number if self.page is None else self.page, self.start, self.end]]

    def to_dict(self) -> dict[str, Any]:
        """Return the chunk as plain data."""
        return {**dataclasses.asdict(self), "headings": list(self.headings)}

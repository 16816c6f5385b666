"""The chunks of a text (CHK-5)."""

import dataclasses
from collections.abc import Sequence
from typing import Any


@dataclasses.dataclass(frozen=True)
class TextChunk:
    """A part of a text.

    `content` is `text[start:end]` of the text that was cut. Its first `overlap` characters are also in the previous
    chunk. Without them, the contents of all chunks are the whole text, except for white space between them.

    Attributes:
        number: its number among the chunks, from 1.
        content: the text.
        title: the title of the document and the headings, joined by " > "; "" without both.
        headings: the path of its headings, the outermost first.
        page: the page on which it starts, from 1; `None` for a text without form feeds.
        start: the offset of its first character, in code points.
        end: the offset after its last character.
        overlap: the number of its first characters that are also in the previous chunk.
        tokens: the number of its tokens, as the chunker counts them.
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
        """The positions in the form of records: page (or number, if the text has no pages), start and end."""
        return [[self.number if self.page is None else self.page, self.start, self.end]]

    def to_dict(self) -> dict[str, Any]:
        """Return the chunk as plain data."""
        return {**dataclasses.asdict(self), "headings": list(self.headings)}

"""Divides sections into the units of chunks: sentences and lines, and parts of those that are too large (CHK-4)."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from hybrid_search.base import characters
from hybrid_search.chunker import sentences, token_counter
from hybrid_search.chunker.section import (
    BLOCK,
    CLAUSE,
    HEADING,
    LINE,
    LINES,
    PARAGRAPH,
    PIECE,
    SENTENCE,
    WORD,
    Passage,
    Section,
)
from hybrid_search.chunker.token_counter import TokenCounter

_LINES = re.compile(r"[^\n\r\f]*[\n\r\f]+|[^\n\r\f]+")
_WORDS = re.compile(
    f"[{characters.character_class('WHITE').pattern}]+|[^{characters.character_class('WHITE').pattern}]+"
)


class Unit(NamedTuple):
    """A part of a text that is not cut.

    Attributes:
        start: its offset in the text, in code points.
        end: the offset after it.
        tokens: the number of its tokens.
        level: the level of the boundary before it.
    """

    start: int
    end: int
    tokens: int
    level: int


class UnitMaker:
    """Makes the units of the sections of one text.

    Args:
        text: the whole text.
        counter: counts tokens.
        size: the maximum number of tokens of a unit that can be cut.
    """

    def __init__(self, text: str, counter: TokenCounter, size: int) -> None:
        self._text = text
        self._counter = counter
        self._size = size

    def units(self, section: Section) -> list[Unit]:
        """Return the units of a section in order; its headings form one unit with the unit after them."""
        found: list[Unit] = []
        heading: tuple[int, int] | None = None
        for passage in section.passages:
            for start, end, level in self._parts(passage):
                if passage.kind == HEADING:
                    heading = (start if heading is None else heading[0], end)
                elif heading is not None:
                    self._add(found, heading[0], end, BLOCK, WORD)
                    heading = None
                else:
                    self._add(found, start, end, level, LINE)
        if heading is not None:
            self._add(found, *heading, BLOCK, WORD)
        return found

    def _parts(self, passage: Passage) -> Iterator[tuple[int, int, int]]:
        """Yield start, end and level of the sentences or lines of a passage; a heading is yielded as a whole."""
        if passage.kind == LINES:
            yield from _lines(passage)
            return
        begin = passage.lines[0].start
        text = self._text[begin : passage.lines[-1].end]
        level = passage.level
        for start, end in _trimmed(begin, [text] if passage.kind == HEADING else sentences.sentences(text)):
            yield start, end, level
            level = SENTENCE

    def _add(self, found: list[Unit], start: int, end: int, level: int, cut: int) -> None:
        """Add a unit, or the parts of a unit that is too large, cut at boundaries of the level `cut` or below."""
        text = self._text[start:end]
        tokens = self._counter.count(text)
        if tokens <= self._size or cut > PIECE:
            found.append(Unit(start, end, tokens, level))
            return
        for first, last in _trimmed(start, _cut(text, cut)):
            self._add(found, first, last, level, cut + 1)
            level = cut


def _cut(text: str, level: int) -> list[str]:
    if level == LINE:
        return _LINES.findall(text)
    if level == CLAUSE:
        return sentences.clauses(text)
    if level == WORD:
        return _WORDS.findall(text)
    return token_counter.tokens(text)


def _lines(passage: Passage) -> Iterator[tuple[int, int, int]]:
    level = passage.level
    for line in passage.lines:
        stripped = characters.strip(line.text)
        if stripped:
            yield line.start, line.start + line.text.index(stripped[0]) + len(stripped), level
            level = SENTENCE
        else:
            level = min(level, PARAGRAPH)


def _trimmed(start: int, texts: Iterable[str]) -> Iterator[tuple[int, int]]:
    """Yield start and end of consecutive texts without WHITE at their ends; texts of WHITE only are skipped."""
    for text in texts:
        stripped = characters.strip(text)
        if stripped:
            first = start + text.index(stripped[0])
            yield first, first + len(stripped)
        start += len(text)

"""Divides plain text into sections, one for each page, and into paragraphs at blank lines (CHK-2)."""

from collections.abc import Sequence

from hybrid_search.base import characters
from hybrid_search.chunker.section import BLOCK, PROSE, Passage, Section
from hybrid_search.chunker.source_lines import SourceLine


def sections(lines: Sequence[SourceLine]) -> list[Section]:
    """Return a section for each page that is not blank."""
    found: list[Section] = []
    paragraph: list[SourceLine] = []
    for line in lines:
        blank = not characters.strip(line.text)
        if paragraph and (blank or line.page != paragraph[0].page):
            _add(found, paragraph)
            paragraph = []
        if not blank:
            paragraph.append(line)
    if paragraph:
        _add(found, paragraph)
    return found


def _add(found: list[Section], paragraph: list[SourceLine]) -> None:
    page = paragraph[0].page
    if not found or found[-1].page != page:
        found.append(Section((), page))
    found[-1].passages.append(Passage(paragraph, BLOCK, PROSE))

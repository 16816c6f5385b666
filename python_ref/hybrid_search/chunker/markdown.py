"""Divides a Markdown text into sections, by CommonMark and its tables as far as cutting requires (CHK-3)."""

import re
from collections.abc import Sequence

from hybrid_search.base import characters
from hybrid_search.chunker import markdown_lines
from hybrid_search.chunker.markdown_lines import LONGEST_HEADING, TAB_STOP, Fence, Item
from hybrid_search.chunker.section import BLOCK, DEEPEST_ITEM, HEADING, ITEM, LINES, PROSE, Passage, Section
from hybrid_search.chunker.source_lines import SourceLine

_FRONT_MATTER = re.compile(r"---[ \t]*\Z")
_FRONT_MATTER_END = re.compile(r"(?:---|\.\.\.)[ \t]*\Z")
_TEXT = "text"
_QUOTE = "quote"
_TABLE = "table"
_CODE = "code"
_KINDS = {_TEXT: PROSE, _QUOTE: PROSE, _TABLE: LINES, _CODE: LINES}


class MarkdownReader:
    """Reads one Markdown text, line by line."""

    def __init__(self) -> None:
        self._sections: list[Section] = []
        self._section: Section | None = None
        self._path: list[tuple[int, str]] = []
        self._bare: int | None = None  # level of the last heading, while the section has only headings
        self._items: list[int] = []  # first content columns of the list items that are still open
        self._fence: Fence | None = None
        self._open: list[SourceLine] = []
        self._kind = _TEXT
        self._level = BLOCK
        self._page: int | None = None

    def sections(self, lines: Sequence[SourceLine]) -> list[Section]:
        """Return the sections of a text in order."""
        begin = _front_matter(lines)
        if begin:
            self._add(Passage(lines[:begin], BLOCK, LINES))
        for line in lines[begin:]:
            self._read(line)
        self._close()
        return self._sections

    def _read(self, line: SourceLine) -> None:
        if self._fence is not None:
            self._read_code(line, self._fence)
        elif not characters.strip(line.text):
            self._close()
        else:
            if self._page != line.page:
                self._turn_page(line.page)
            self._read_text(line, markdown_lines.indent(line.text))

    def _read_code(self, line: SourceLine, opened: Fence) -> None:
        self._open.append(line)
        if markdown_lines.closes(line.text, opened):
            self._close()

    def _read_text(self, line: SourceLine, columns: int) -> None:
        """Read a line that is neither blank nor in fenced code."""
        if columns < TAB_STOP or self._items:
            fence = markdown_lines.fence(line.text)
            if fence is not None:
                self._begin(_CODE, self._placed(columns), line)
                self._fence = fence
                return
            if self._read_heading(line, columns):
                return
            if markdown_lines.is_break(line.text):
                self._begin(_CODE, self._placed(columns), line)
                self._close()
                return
            item = markdown_lines.item(line.text, columns)
            if item is not None and (self._items or item.interrupts or not self._is_open(_TEXT, _QUOTE)):
                self._begin_item(item, columns, line)
                return
            if markdown_lines.is_quote(line.text) and not self._is_open(_QUOTE, _TABLE):
                self._begin(_QUOTE, self._placed(columns), line)
                return
        self._continue(line, columns)

    def _read_heading(self, line: SourceLine, columns: int) -> bool:
        """Read a heading, if the line is one outside list items; return whether it is."""
        if self._items and columns >= self._items[0]:
            return False
        heading = markdown_lines.heading(line.text)
        if heading is not None:
            self._close()
            self._begin_section(*heading, [line])
            return True
        level = markdown_lines.underline(line.text)
        if level is None or self._items or not self._is_open(_TEXT):
            return False
        lines = [*self._open, line]
        text = " ".join(one.text for one in self._open)
        self._open = []
        self._begin_section(level, text, lines)
        return True

    def _continue(self, line: SourceLine, columns: int) -> None:
        """Read a line that does not begin a block itself."""
        if self._is_open(_TEXT, _QUOTE) and markdown_lines.is_delimiter_row(line.text) and "|" in self._open[-1].text:
            self._begin_table(line)
        elif not self._open:
            level = self._placed(columns)
            self._begin(_CODE if columns >= TAB_STOP and level == BLOCK else _TEXT, level, line)
        elif self._is_open(_CODE) and columns < TAB_STOP:
            self._begin(_TEXT, BLOCK, line)
        else:
            self._open.append(line)

    def _begin_table(self, line: SourceLine) -> None:
        head = self._open.pop()
        level = self._level if not self._open else self._inner_level()
        self._begin(_TABLE, level, head)
        self._open.append(line)

    def _begin_item(self, item: Item, columns: int, line: SourceLine) -> None:
        level = BLOCK
        if self._items:
            self._placed(columns)
            level = ITEM + min(len(self._items), DEEPEST_ITEM)
        self._begin(_TEXT, level, line)
        self._items.append(item.content)

    def _placed(self, columns: int) -> int:
        """Close the list items to which a line of this indent does not belong; return the level of the boundary."""
        while self._items and columns < self._items[-1]:
            self._items.pop()
        return self._inner_level()

    def _inner_level(self) -> int:
        return ITEM + min(len(self._items), DEEPEST_ITEM) if self._items else BLOCK

    def _is_open(self, *kinds: str) -> bool:
        return bool(self._open) and self._kind in kinds

    def _begin(self, kind: str, level: int, line: SourceLine) -> None:
        self._close()
        self._kind, self._level = kind, level
        self._open.append(line)

    def _close(self) -> None:
        if self._open:
            self._add(Passage(self._open, self._level, _KINDS[self._kind]))
            self._bare = None
        self._open = []
        self._fence = None

    def _turn_page(self, page: int | None) -> None:
        self._close()
        self._page = page
        self._section = None
        self._bare = None

    def _begin_section(self, level: int, text: str, lines: Sequence[SourceLine]) -> None:
        """Begin a section with a heading, or add the heading to a section that has only headings above this one."""
        if self._bare is None or self._bare >= level:
            self._section = None
        self._items.clear()
        while self._path and self._path[-1][0] >= level:
            self._path.pop()
        shown = " ".join(characters.split_white(text))[:LONGEST_HEADING]
        if shown:
            self._path.append((level, shown))
        self._bare = level
        self._add(Passage(lines, BLOCK, HEADING))
        assert self._section is not None
        self._section.headings = self._headings()

    def _add(self, passage: Passage) -> None:
        if self._section is None:
            self._section = Section(self._headings(), passage.lines[0].page)
            self._sections.append(self._section)
        self._section.passages.append(passage)

    def _headings(self) -> tuple[str, ...]:
        return tuple(text for _, text in self._path)


def _front_matter(lines: Sequence[SourceLine]) -> int:
    """Return the number of lines of front matter at the beginning of a text, up to the closing line; 0 without any."""
    if len(lines) < 2 or not _FRONT_MATTER.match(lines[0].text) or not characters.strip(lines[1].text):
        return 0
    for index, line in enumerate(lines[1:], start=2):
        if _FRONT_MATTER_END.match(line.text):
            return index
    return 0

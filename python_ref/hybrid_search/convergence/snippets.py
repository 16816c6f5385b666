"""Builds the texts of blocks for a rerank model (CNV-5)."""

from hybrid_search.base import characters
from hybrid_search.convergence.block_index import BlockIndex
from hybrid_search.convergence.settings import Settings
from hybrid_search.convergence.source_files import SourceFiles

CHARACTERS_PER_TOKEN = 4


class Snippets:
    """Reads the source of blocks.

    Args:
        index: the blocks.
        files: the files of its repository.
        settings: the parameters (CNV-2).
        cut: whether to cut texts at a fixed number of characters for each token; otherwise the model cuts them itself.
    """

    def __init__(self, index: BlockIndex, files: SourceFiles, settings: Settings, cut: bool) -> None:
        self._index = index
        self._files = files
        self._most_lines = settings["rerank_snippet_max_lines"]
        self._context = settings["rerank_context_lines"]
        self._most_characters = settings["rerank_max_length"] * CHARACTERS_PER_TOKEN if cut else None

    def text(self, row: int) -> str | None:
        """Return the text of a block for the model; `None` if its source is not available."""
        block, path = self._index.blocks[row], self._index.file(row)
        if path is None or block.start_line is None:
            return None
        lines = self._files.lines(path)
        if lines is None or block.start_line >= len(lines):
            return None
        first, last = self._span(block.start_line, block.end_line, len(lines))
        while first <= last and not characters.strip(lines[first]):
            first += 1
        while first <= last and not characters.strip(lines[last]):
            last -= 1
        if first > last:
            return None
        code = "\n".join(lines[first : last + 1])
        return f"File: {path}\nLines: {first + 1}-{last + 1}\nCode:\n{code}"[: self._most_characters]

    def _span(self, start: int, end: int | None, count: int) -> tuple[int, int]:
        """Return the first and the last line to show, including blank lines at both ends."""
        first = start
        last = min(start if end is None or end < start else end, count - 1)
        last = min(last, first + self._most_lines - 1)
        for _ in range(min(self._context, self._most_lines)):
            if first > 0 and last - first + 1 < self._most_lines:
                first -= 1
            if last < count - 1 and last - first + 1 < self._most_lines:
                last += 1
        return first, last

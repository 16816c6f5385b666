"""Cuts a source file into blocks (CNV-6)."""

import ast
import itertools
import re
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

from hybrid_search import _characters as characters

LINE_END = re.compile("\r\n|\r|\n")
MOST_LINES = 60
"""Longer stretches are cut into windows."""
Node = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
Span = tuple[int, int]


class SourceBlocks:
    """The blocks of a file: functions, methods and what is between them in Python, else windows of lines.

    Args:
        path: within the repository.
        content: its bytes.

    Attributes:
        blocks: as `BlockIndex` takes them.
        texts: of each what is embedded: the path, and the source.
    """

    def __init__(self, path: str, content: bytes) -> None:
        text = content.decode("utf-8", "replace")
        self._lines = LINE_END.split(text)
        definitions = list(_definitions(text)) if path.endswith((".py", ".pyi")) else []
        self.blocks: list[dict[str, Any]] = []
        self.texts: list[str] = []
        for first, last in self._spans(definitions):
            block: dict[str, Any] = {"file_path": path, "start_line": first, "end_line": last}
            overlapping = [each for each in definitions if each["start_line"] <= last and each["end_line"] >= first]
            if overlapping:
                block["definitions"] = overlapping
            self.blocks.append(block)
            self.texts.append("\n".join([path, *self._lines[first : last + 1]]))

    def _spans(self, definitions: Sequence[dict[str, Any]]) -> Iterator[Span]:
        """Stretches between the beginnings and ends of definitions, but those within functions; without blank ends."""
        functions = [each["qualified_name"] for each in definitions if each["kind"] == "function"]
        outer = [each for each in definitions if not _is_within(each["qualified_name"], functions)]
        cuts = {0, len(self._lines), *(each["start_line"] for each in outer), *(each["end_line"] + 1 for each in outer)}
        ordered = sorted(cuts)
        for begin, end in itertools.pairwise(ordered):
            for first in range(begin, end, MOST_LINES):
                span = self._stripped(first, min(first + MOST_LINES, end) - 1)
                if span is not None:
                    yield span

    def _stripped(self, first: int, last: int) -> Span | None:
        filled = [line for line in range(first, last + 1) if characters.strip(self._lines[line])]
        return (filled[0], filled[-1]) if filled else None


def _is_within(name: str, functions: Sequence[str]) -> bool:
    return any(name.startswith(f"{function}.") for function in functions)


def _definitions(text: str) -> Iterator[dict[str, Any]]:
    """All classes and functions of a Python file with their lines from 0; none where it cannot be parsed."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    waiting: list[tuple[str, ast.AST]] = [("", tree)]
    while waiting:
        prefix, node = waiting.pop()
        for child in ast.iter_child_nodes(node):
            if isinstance(child, Node):
                name = f"{prefix}{child.name}"
                first = min([child.lineno, *(decorator.lineno for decorator in child.decorator_list)])
                yield {
                    "qualified_name": name,
                    "kind": "class" if isinstance(child, ast.ClassDef) else "function",
                    "start_line": first - 1,
                    "end_line": (child.end_lineno or child.lineno) - 1,
                }
                waiting.append((f"{name}.", child))
            else:
                waiting.append((prefix, child))

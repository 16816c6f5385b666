"""Finds the functions and classes of files with tree-sitter (CNV-6)."""

import bisect
import importlib
import importlib.metadata
import re
from collections.abc import Iterator
from typing import Any, Self

from hybrid_search.code_index.code_definition import FUNCTION, CodeDefinition
from hybrid_search.code_index.grammars import Grammar

LIBRARY = "tree-sitter"
LINE_END = re.compile(b"\r\n|\r|\n")


class SyntaxDefinitions:
    """Finds the functions and classes of one language's files, each including the comment directly above it.

    Args:
        grammar: the language.
        parser: the parser of tree-sitter.

    Attributes:
        name: the name of the parser, for the notes of an index.
    """

    def __init__(self, grammar: Grammar, parser: Any) -> None:
        self._grammar = grammar
        self._parser = parser
        self.name = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in (LIBRARY, grammar.package))

    @classmethod
    def load(cls, grammar: Grammar) -> Self | None:
        """Return the finder of a language; `None` if its packages are not installed, or do not fit together."""
        try:
            library: Any = importlib.import_module("tree_sitter")
            package: Any = importlib.import_module(grammar.package.replace("-", "_"))
            return cls(grammar, library.Parser(library.Language(package.language())))
        except (ImportError, ValueError):
            return None

    def __call__(self, text: str) -> list[CodeDefinition]:
        """Return all definitions of a file, in order; an empty list if it does not parse."""
        source = text.encode()
        root = self._parser.parse(source).root_node
        if root.has_error:
            return []
        found = _SyntaxTree(source, root).definitions(self._grammar)
        return sorted(found, key=lambda each: (each.start_line, -each.end_line))


class _SyntaxTree:
    """A parsed file.

    Args:
        source: its bytes.
        root: the root of the tree.
    """

    def __init__(self, source: bytes, root: Any) -> None:
        self._source = source
        self._root = root
        self._starts = [0, *(end.end() for end in LINE_END.finditer(source))]

    def definitions(self, grammar: Grammar) -> Iterator[CodeDefinition]:
        """Yield the definitions that the rules of a language find."""
        commented = self._commented()
        waiting: list[tuple[str, bool, Any]] = [("", False, self._root)]
        while waiting:
            prefix, is_inner, node = waiting.pop()
            rule = grammar.rules.get(node.type)
            defined = None if rule is None else rule(node)
            if defined is not None:
                kind, name = defined
                first, last = self._lines(node)
                while first - 1 in commented:
                    first -= 1
                yield CodeDefinition(f"{prefix}{name}", kind, first, last, is_inner)
                prefix, is_inner = f"{prefix}{name}.", is_inner or kind == FUNCTION
            waiting += [(prefix, is_inner, child) for child in reversed(node.named_children)]

    def _commented(self) -> set[int]:
        """Return the lines that contain only comments, or the last line of one."""
        found: set[int] = set()
        waiting = [self._root]
        while waiting:
            node = waiting.pop()
            if node.type.endswith("comment"):
                first, last = self._lines(node)
                if not self._source[self._starts[first] : node.start_byte].strip():
                    found.update(range(first, last + 1))
            waiting += node.named_children
        return found

    def _lines(self, node: Any) -> tuple[int, int]:
        """Return the first and the last line of a node, with lines counted as in snippets (CNV-5)."""
        last = max(node.start_byte, node.end_byte - 1)
        return bisect.bisect_right(self._starts, node.start_byte) - 1, bisect.bisect_right(self._starts, last) - 1

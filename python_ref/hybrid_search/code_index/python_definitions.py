"""Finds the functions and classes of Python files with `ast` (CNV-6)."""

import ast
import warnings
from collections.abc import Iterator

from hybrid_search.code_index.code_definition import CLASS, FUNCTION, CodeDefinition

Node = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


class PythonDefinitions:
    """Finds the functions and classes of Python files.

    Attributes:
        name: the name of the parser, for the notes of an index.
    """

    name = "ast"

    def __call__(self, text: str) -> list[CodeDefinition]:
        """Return all definitions of a file; an empty list if it cannot be parsed."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return list(self._within(ast.parse(text)))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return []

    def _within(self, tree: ast.AST) -> Iterator[CodeDefinition]:
        waiting: list[tuple[str, bool, ast.AST]] = [("", False, tree)]
        while waiting:
            prefix, is_inner, node = waiting.pop()
            for child in ast.iter_child_nodes(node):
                if isinstance(child, Node):
                    name = f"{prefix}{child.name}"
                    kind = CLASS if isinstance(child, ast.ClassDef) else FUNCTION
                    first = min([child.lineno, *(decorator.lineno for decorator in child.decorator_list)])
                    yield CodeDefinition(name, kind, first - 1, (child.end_lineno or child.lineno) - 1, is_inner)
                    waiting.append((f"{name}.", is_inner or kind == FUNCTION, child))
                else:
                    waiting.append((prefix, is_inner, child))

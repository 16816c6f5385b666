"""A function or class of a source file (CNV-6)."""

from typing import Any, NamedTuple

CLASS, FUNCTION = "class", "function"


class CodeDefinition(NamedTuple):
    """A function, a method, or a class or something like one: a module, an interface, a structure.

    Attributes:
        qualified_name: the name after the names of its enclosing definitions, joined by dots.
        kind: "class" or "function".
        start_line: its first line, from 0.
        end_line: its last line.
        is_inner: whether it is in a function.
    """

    qualified_name: str
    kind: str
    start_line: int
    end_line: int
    is_inner: bool

    def to_dict(self) -> dict[str, Any]:
        """Return the definition in the form of blocks."""
        return {name: value for name, value in self._asdict().items() if name != "is_inner"}

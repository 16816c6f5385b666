"""A function or class of a source file (CNV-6)."""

from typing import Any, NamedTuple

CLASS, FUNCTION = "class", "function"


class CodeDefinition(NamedTuple):
    """A function, a method, or a class or what is like one: a module, an interface, a structure.

    Attributes:
        qualified_name: with the names of what it stands in, by points.
        kind: "class" or "function".
        start_line: its first line, from 0.
        end_line: its last line.
        is_inner: it stands in a function.
    """

    qualified_name: str
    kind: str
    start_line: int
    end_line: int
    is_inner: bool

    def to_dict(self) -> dict[str, Any]:
        """As blocks hold it."""
        return {name: value for name, value in self._asdict().items() if name != "is_inner"}

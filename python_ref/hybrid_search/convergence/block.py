"""A block of source code and its definitions, checked (CNV-6)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hybrid_search.base import validation

FIELDS = ("file_path", "start_line", "end_line", "definitions")
DEFINITION_FIELDS = ("qualified_name", "kind", "start_line", "end_line")
CLASS, FUNCTION = "class", "function"


@dataclass(frozen=True)
class Definition:
    """A class or a function that overlaps a block.

    Attributes:
        qualified_name: the name after the names of its enclosing definitions: `Class.method`.
        kind: "class" or "function".
        start_line: its first line, from 0.
        end_line: its last line.
    """

    qualified_name: str
    kind: str
    start_line: int
    end_line: int

    @classmethod
    def of(cls, name: str, value: Any) -> "Definition":
        """Return a definition from plain data.

        Raises:
            InvalidInputError: the data is not a definition.
        """
        given = validation.mapping(name, value)
        validation.known(f"field of {name}", given, DEFINITION_FIELDS)
        return cls(
            validation.text(f"{name}.qualified_name", given.get("qualified_name")),
            validation.choice(f"{name}.kind", given.get("kind"), (CLASS, FUNCTION)),
            validation.integer(f"{name}.start_line", given.get("start_line"), 0),
            validation.integer(f"{name}.end_line", given.get("end_line"), 0),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the definition as plain data."""
        return {field: getattr(self, field) for field in DEFINITION_FIELDS}


@dataclass(frozen=True)
class Block:
    """A block of an index.

    Attributes:
        file_path: its file, relative to the repository; `None` if it has no file.
        start_line: its first line, from 0; `None` if not known.
        end_line: its last line.
        definitions: the definitions that overlap it.
    """

    file_path: str | None = None
    start_line: int | None = None
    end_line: int | None = None
    definitions: Sequence[Definition] = ()

    @classmethod
    def of(cls, name: str, value: Any) -> "Block":
        """Return a block from plain data.

        Raises:
            InvalidInputError: the data is not a block.
        """
        given = validation.mapping(name, value)
        validation.known(f"field of {name}", given, FIELDS)
        definitions = given.get("definitions")
        if definitions is None:
            definitions = []
        if not isinstance(definitions, (list, tuple)):
            raise validation.fail(f"{name}.definitions", definitions, "a list of objects")
        path = given.get("file_path")
        return cls(
            (validation.text(f"{name}.file_path", path) or None) if path is not None else None,
            cls._line(f"{name}.start_line", given.get("start_line")),
            cls._line(f"{name}.end_line", given.get("end_line")),
            tuple(Definition.of(f"{name}.definitions[{place}]", each) for place, each in enumerate(definitions)),
        )

    @staticmethod
    def _line(name: str, value: Any) -> int | None:
        return None if value is None else validation.integer(name, value, 0)

    def to_dict(self) -> dict[str, Any]:
        """Return the block as plain data, without the members that are not set."""
        plain: Mapping[str, Any] = {
            "file_path": self.file_path,
            "start_line": self.start_line,
            "end_line": self.end_line,
            "definitions": [each.to_dict() for each in self.definitions] or None,
        }
        return {field: value for field, value in plain.items() if value is not None}

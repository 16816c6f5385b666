"""One record from a file, or the reason why there is none (FIL-3)."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class FileRecord:
    """One record from a file.

    Attributes:
        path: the path of the file.
        number: its number in the file, from 1: of a line, a row or a chunk; 0 for the whole file.
        record: the record, if there is one.
        text: the line of an invalid record.
        reason: the reason why there is no record.
    """

    path: str
    number: int
    record: dict[str, Any] | None = None
    text: str = ""
    reason: str = ""

    @property
    def place(self) -> str:
        """Its place, for messages."""
        return f"{self.path}:{self.number}" if self.number else self.path

"""Reports skipped records in a file of JSON Lines, or in one line each on standard error (CUR-5)."""

from contextlib import ExitStack
from types import TracebackType
from typing import Any, Self

from hybrid_search.base import json_writer
from hybrid_search.cli.console import Console
from hybrid_search.cli.record_lines import RecordLine
from hybrid_search.cli.whole_file import WholeFile


class Rejects:
    """Receives skipped records.

    Args:
        path: the file; `None` uses standard error.
        console: provides standard error.

    Attributes:
        count: the number of skipped records.
    """

    def __init__(self, path: str | None, console: Console) -> None:
        self._console = console
        self._file = None if path is None else WholeFile(path)
        self._open = ExitStack()
        self.count = 0

    def __enter__(self) -> Self:
        if self._file is not None:
            self._open.enter_context(self._file)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.__exit__(kind, error, trace)

    def add(self, line: RecordLine, reason: str) -> None:
        """Report a skipped record."""
        self.count += 1
        if self._file is None:
            self._console.complain(line.place, f"passed over: {reason}")
            return
        what: dict[str, Any] = {"text": line.text} if line.content is None else {"record": line.content}
        self._file.write(json_writer.write({"file": line.file, "line": line.number, "reason": reason, **what}) + "\n")

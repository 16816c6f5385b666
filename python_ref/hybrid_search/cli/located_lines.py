"""Writes the output of `locate`: a line for each instance, each written at once (CNV-6)."""

import os
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, Self

from hybrid_search.base import json_writer, strict_json
from hybrid_search.base.system_path import system_path
from hybrid_search.cli import usage
from hybrid_search.cli.record_lines import InputError
from hybrid_search.cli.whole_file import OutputError

EMPTY: Mapping[str, Any] = {"found_files": [], "found_modules": [], "found_entities": [], "raw_output_loc": []}


class LocatedLines:
    """The file of the output.

    Args:
        path: its path.
        resume: whether the complete lines that it contains stay; otherwise it is overwritten.

    Raises:
        OutputError: the file cannot be written.
        InputError: its contents are not lines of `locate`.

    Attributes:
        `kept`: the lines that it contained.
    """

    def __init__(self, path: str, resume: bool) -> None:
        self._path = path
        self.kept: Sequence[dict[str, Any]] = ()
        try:
            place = system_path(path)
            self._file = open(place, "r+b" if resume and os.path.exists(place) else "w+b", buffering=0)  # noqa: SIM115
        except OSError as problem:
            raise self._failure(problem) from None
        try:
            self._begin()
        except OSError as problem:
            self._file.close()
            raise self._failure(problem) from None
        except InputError:
            self._file.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def write(self, identifier: str | None, found: Mapping[str, Any]) -> None:
        """Write the line of an instance."""
        line = {"instance_id": identifier, **EMPTY, **found}
        try:
            self._file.write(f"{json_writer.write(line)}\n".encode())
        except OSError as problem:
            raise self._failure(problem) from None

    def _begin(self) -> None:
        """Read the complete lines, and cut off an incomplete last line that a killed run left behind."""
        content = self._file.read() or b""
        whole = content.rfind(b"\n") + 1
        lines = content[:whole].decode("utf-8", "replace").split("\n")[:-1]
        self.kept = [self._line(number, line) for number, line in enumerate(lines, start=1)]
        self._file.truncate(whole)
        self._file.seek(whole)

    def _line(self, number: int, text: str) -> dict[str, Any]:
        line = strict_json.parse_object(text)
        if line is None or "instance_id" not in line or not isinstance(line.get("found_files"), list):
            raise InputError(f"{self._path}:{number}: not a line of locate; omit --resume to start again")
        return line

    def _failure(self, problem: OSError) -> OutputError:
        return OutputError(usage.failed_to(f"write {usage.shown(self._path)}", problem))

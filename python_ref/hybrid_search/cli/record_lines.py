"""Reads records from files of JSON Lines (CUR-5)."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO

from hybrid_search.base import strict_json
from hybrid_search.base.system_path import system_path
from hybrid_search.cli import usage
from hybrid_search.cli.usage import UsageError
from hybrid_search.errors import HybridSearchError, InvalidInputError

STANDARD_INPUT = "-"
LONGEST_LINE = 64 * 1024 * 1024
MARK = b"\xef\xbb\xbf"


class InputError(HybridSearchError):
    """Input that is not acceptable; the message names the place."""


@dataclass(frozen=True)
class RecordLine:
    """One line of a file.

    Attributes:
        file: the file as given.
        number: the number of the line, from 1; 0 for the whole file.
        content: the object in the line, `None` if the line is not an object.
        text: the line itself, if it is not an object.
        reason: the reason why it is not an object.
    """

    file: str
    number: int
    content: dict[str, Any] | None = None
    text: str = ""
    reason: str = ""

    @property
    def place(self) -> str:
        """The place of the line, for messages."""
        return f"{self.file}:{self.number}" if self.number else self.file


class RecordLines:
    """The lines of files, one after the other; blank lines are skipped.

    Args:
        files: their paths; `-` is standard input.
        stdin: standard input.

    Raises:
        UsageError: standard input is named twice.
        InputError: a file cannot be read.

    Attributes:
        read: the number of bytes read.
        size: the number of all bytes; `None` if it is not known.
    """

    def __init__(self, files: Sequence[str], stdin: BinaryIO) -> None:
        self._files = list(files) or [STANDARD_INPUT]
        self._stdin = stdin
        if self._files.count(STANDARD_INPUT) > 1:
            raise UsageError("standard input can be read only once")
        self.read = 0
        self.size = self._whole_size()

    def __iter__(self) -> Iterator[RecordLine]:
        for file in self._files:
            if file == STANDARD_INPUT:
                yield from self._lines(file, self._stdin)
            else:
                with _opened(file) as stream:
                    yield from self._lines(file, stream)

    def _whole_size(self) -> int | None:
        """Return the size of all files, each of which must be readable."""
        size = 0
        for file in self._files:
            if file == STANDARD_INPUT:
                return None
            with _opened(file) as stream:
                size += os.fstat(stream.fileno()).st_size
        return size

    def _lines(self, file: str, stream: BinaryIO) -> Iterator[RecordLine]:
        number = 0
        while True:
            try:
                data, whole = self._line(stream)
            except OSError as problem:
                raise InputError(usage.failed_to(f"read {usage.shown(file)}", problem)) from None
            if not data:
                return
            number += 1
            if number == 1:
                data = data.removeprefix(MARK)
            if not whole:
                yield RecordLine(file, number, reason=f"the line has more than {LONGEST_LINE} bytes")
            elif data.strip(b" \t\r\n"):
                yield _parsed(file, number, data)

    def _line(self, stream: BinaryIO) -> tuple[bytes, bool]:
        """Return the next line, and whether it is complete; a line that is too long is cut."""
        data = stream.readline(LONGEST_LINE + 1)
        self.read += len(data)
        whole = len(data) <= LONGEST_LINE
        rest = data
        while len(rest) > LONGEST_LINE and not rest.endswith(b"\n"):
            rest = stream.readline(LONGEST_LINE + 1)
            self.read += len(rest)
        return data, whole


def _opened(file: str) -> BinaryIO:
    try:
        return open(system_path(file), "rb")
    except OSError as problem:
        raise InputError(usage.failed_to(f"read {usage.shown(file)}", problem)) from None
    except ValueError:
        raise InvalidInputError(f"{usage.shown(file)} is not a path") from None


def _parsed(file: str, number: int, data: bytes) -> RecordLine:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return RecordLine(file, number, text=data.decode("utf-8", "replace").rstrip("\r\n"), reason="not valid UTF-8")
    try:
        content = strict_json.parse(text)
    except ValueError:
        content = None
    if not isinstance(content, dict):
        return RecordLine(file, number, text=text.rstrip("\r\n"), reason="not a JSON object")
    return RecordLine(file, number, content)

"""Reads and writes the standard streams in UTF-8, in every locale (CUR-5)."""

import os
import re
import sys
from typing import Any, BinaryIO

from hybrid_search.base import json_writer

CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]+")


class Console:
    """Standard input, output and error of a command."""

    def __init__(
        self, stdin: BinaryIO | None = None, stdout: BinaryIO | None = None, stderr: BinaryIO | None = None
    ) -> None:
        self.stdin = sys.stdin.buffer if stdin is None else stdin
        self._stdout = sys.stdout.buffer if stdout is None else stdout
        self._stderr = sys.stderr.buffer if stderr is None else stderr

    @property
    def is_terminal(self) -> bool:
        """Whether the output is a terminal."""
        return self._stdout.isatty()

    @property
    def has_terminal_for_errors(self) -> bool:
        """Whether standard error is a terminal."""
        return self._stderr.isatty()

    def write(self, text: str) -> None:
        """Write a text to the output."""
        self._stdout.write(text.encode("utf-8"))

    def write_json(self, value: Any, flush: bool = False) -> None:
        """Write a value as one line of JSON."""
        self.write(json_writer.write(value) + "\n")
        if flush:
            self.flush()

    def flush(self) -> None:
        """Flush the output."""
        self._stdout.flush()

    def tell(self, text: str) -> None:
        """Write a text to standard error at once."""
        self._stderr.write(text.encode("utf-8", "replace"))
        self._stderr.flush()

    def complain(self, who: str, message: str) -> None:
        """Write a message as one line to standard error."""
        self.tell(f"{who}: {CONTROL.sub(' ', message)}\n")

    def abandon(self) -> None:
        """Discard unwritten output, since its reader has closed the pipe."""
        os.dup2(os.open(os.devnull, os.O_WRONLY), self._stdout.fileno())

"""Writes a file completely or not at all: first to a file next to it, which is then renamed (CUR-5)."""

import errno
import os
from types import TracebackType
from typing import Self

from hybrid_search.base.system_path import system_path
from hybrid_search.cli import usage
from hybrid_search.errors import HybridSearchError


class OutputError(HybridSearchError):
    """A file cannot be written."""


class WholeFile:
    """A text file that appears at its path when its block ends without an error; otherwise nothing is left behind.

    Args:
        path: its path.

    Raises:
        OutputError: the file cannot be written; every method raises this too.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._place = system_path(path)
        self._beside = system_path(os.path.join(os.path.dirname(path), f".{os.path.basename(path)}.{os.getpid()}.part"))
        try:
            if os.path.isdir(self._place):  # a file cannot replace it: report that now, not at the end
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
            self._stream = open(self._beside, "wb")  # noqa: SIM115 - closed by `__exit__`
        except OSError as problem:
            raise self._failure(problem) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self._stream.flush()
                os.fsync(self._stream.fileno())
                self._stream.close()
                os.replace(self._beside, self._place)
        except OSError as problem:
            raise self._failure(problem) from None
        finally:
            self._clear()

    def write(self, text: str) -> None:
        """Append a text."""
        try:
            self._stream.write(text.encode("utf-8"))
        except OSError as problem:
            raise self._failure(problem) from None

    def _clear(self) -> None:
        try:
            self._stream.close()
        except OSError:
            pass  # output that could not be written is abandoned anyway
        finally:
            if os.path.exists(self._beside):
                os.unlink(self._beside)

    def _failure(self, problem: OSError) -> OutputError:
        return OutputError(usage.failed_to(f"write {usage.shown(self._path)}", problem))

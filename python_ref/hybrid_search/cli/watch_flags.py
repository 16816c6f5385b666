"""Reads the flags of `hybrid-search index --watch`, which runs until a signal ends it (CUR-5, FIL-7)."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from hybrid_search.cli.command_line import CommandLine
from hybrid_search.cli.record_lines import STANDARD_INPUT
from hybrid_search.cli.usage import UsageError
from hybrid_search.readers.file_walk import FileWalk
from hybrid_search.readers.file_watch import FileWatch

SIGNALS = (signal.SIGINT, signal.SIGTERM)


def walk_of(line: CommandLine) -> FileWalk:
    """Return the files that a command line watches.

    Raises:
        UsageError: there are no files, or all documents are to be replaced in one step.
    """
    if "rebuild" in line.flags:
        raise UsageError("--watch and --rebuild exclude each other")
    if not line.arguments or STANDARD_INPUT in line.arguments:
        raise UsageError("--watch needs files or folders")
    return FileWalk(line.arguments)


@contextmanager
def watching(walk: FileWalk, index: str) -> Iterator[FileWatch]:
    """Watch files in the block; the first signal ends the iteration, and the second one ends the program."""
    stopped: list[int] = []

    def handle(number: int, _frame: Any) -> None:
        stopped.append(number)
        for one, usual in before.items():
            signal.signal(one, usual)

    before: dict[signal.Signals, Any] = {}
    with FileWatch(walk, index, lambda: bool(stopped)) as watch:
        before.update({one: signal.signal(one, handle) for one in SIGNALS})
        try:
            yield watch
        finally:
            for one, usual in before.items():
                signal.signal(one, usual)

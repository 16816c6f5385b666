"""Shows the progress of `index`: a bar with rate and remaining time, lines of JSON, or nothing (CUR-5)."""

import io
import time
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import IO, Any, Self, cast

from hybrid_search.base import json_writer
from hybrid_search.cli.console import Console

WIDTH = 24
PAUSE = 0.1
"""The minimum number of seconds between two updates of the bar."""


class Progress:
    """Shows nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the display."""

    def stored(self, counts: Mapping[str, Any], read: int) -> None:
        """Show that a batch is stored.

        Args:
            counts: the counts of records since the beginning; the first one is the number of all records read.
            read: the number of bytes read.
        """


class ProgressLines(Progress):
    """Writes a line of JSON for each batch; records counted in a line are stored permanently."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def stored(self, counts: Mapping[str, Any], read: int) -> None:
        """Write a line, see `Progress`."""
        self._console.tell(json_writer.write(dict(counts)) + "\n")


class ProgressBar(Progress):
    """A bar with counts, rate and the remaining time, drawn by rich.

    Args:
        console: the console whose standard error is the terminal.
        size: the number of bytes to read; `None` if it is not known.
        clock: returns seconds.
    """

    def __init__(self, console: Console, size: int | None, clock: Callable[[], float] = time.monotonic) -> None:
        from rich import progress
        from rich.console import Console as RichConsole

        counts = progress.TextColumn("{task.fields[records]} records  {task.fields[rate]:.0f}/s")
        known: list[progress.ProgressColumn] = [progress.BarColumn(WIDTH), progress.TaskProgressColumn()]
        left = [progress.TimeRemainingColumn(), progress.TextColumn("left")]
        columns = [*known, counts, *left] if size else [progress.SpinnerColumn(), counts, progress.TimeElapsedColumn()]
        self._clock = clock
        self._started = clock()
        self._shown = self._started - PAUSE
        self._bar = progress.Progress(
            *columns,
            console=RichConsole(file=cast(IO[str], _Errors(console)), force_terminal=console.has_terminal_for_errors),
            auto_refresh=False,
            get_time=clock,
        )
        self._task = self._bar.add_task("", total=size or None, records=0, rate=0.0)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def stored(self, counts: Mapping[str, Any], read: int) -> None:
        """Update the bar, see `Progress`."""
        now = self._clock()
        records = next(iter(counts.values()))
        rate = records / (now - self._started) if now > self._started else 0.0
        self._bar.update(self._task, completed=read, records=records, rate=rate)
        if now - self._shown >= PAUSE:
            self._shown = now
            self._bar.start()
            self._bar.refresh()


class _Errors(io.TextIOBase):
    """Standard error of a console, in the form to which rich writes."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def write(self, text: str) -> int:
        self._console.tell(text)
        return len(text)

"""How far an `index` is: a bar with its rate and the time that is left, lines of JSON, or nothing (CUR-5)."""

import time
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, Self

from hybrid_search.base import json_writer
from hybrid_search.cli.console import Console

WIDTH = 24
PAUSE = 0.1
"""Seconds between two pictures of the bar."""


class Progress:
    """Shows nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End."""

    def stored(self, counts: Mapping[str, Any], read: int) -> None:
        """A batch is stored.

        Args:
            counts: of records, since the beginning; the first one is that of all that were read.
            read: bytes that were read.
        """


class ProgressLines(Progress):
    """A line of JSON for each batch: what a line counts is stored, and stays."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def stored(self, counts: Mapping[str, Any], read: int) -> None:
        """See `Progress`."""
        self._console.tell(json_writer.write(dict(counts)) + "\n")


class ProgressBar(Progress):
    """A bar in one line of the terminal.

    Args:
        console: the terminal is that of its standard error.
        size: how many bytes are to be read, none: not known.
        clock: tells seconds.
    """

    def __init__(self, console: Console, size: int | None, clock: Callable[[], float] = time.monotonic) -> None:
        self._console = console
        self._size = size
        self._clock = clock
        self._started = clock()
        self._shown = self._started - PAUSE
        self._last: str | None = None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._last is not None:
            self._console.tell(f"\r{self._last}\x1b[K\n")

    def stored(self, counts: Mapping[str, Any], read: int) -> None:
        """See `Progress`."""
        now = self._clock()
        records = next(iter(counts.values()))
        self._last = self._picture(records, read, now - self._started)
        if now - self._shown >= PAUSE:
            self._shown = now
            self._console.tell(f"\r{self._last}\x1b[K")

    def _picture(self, records: int, read: int, seconds: float) -> str:
        rate = records / seconds if seconds > 0.0 else 0.0
        told = f"{records} records  {rate:.0f}/s  {duration(seconds)}"
        if not self._size:
            return told
        share = min(1.0, read / self._size)
        full = int(share * WIDTH)
        left = duration(seconds / share - seconds) if share > 0.0 else "?"
        return f"{'#' * full}{'-' * (WIDTH - full)} {int(share * 100):3d} %  {told}, {left} left"


def duration(seconds: float) -> str:
    """Hours, minutes and seconds."""
    whole = int(seconds)
    minutes = f"{whole // 60 % 60:02d}:{whole % 60:02d}"
    return minutes if whole < 3600 else f"{whole // 3600}:{minutes}"

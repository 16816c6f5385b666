"""Counts on stderr: on one line where a person watches, else a line now and then."""

import sys
import threading
import time

WIDEST = 60
PAUSE = 60.0
"""Seconds between two lines where nobody watches."""


class Counter:
    """Tells how many are done, and which was the last; may be called from several threads.

    Args:
        total: how many there are.
        pause: seconds between two lines where nobody watches.
    """

    def __init__(self, total: int, pause: float = PAUSE) -> None:
        self._total = total
        self._pause = pause
        self._done = 0
        self._told = time.monotonic()
        self._lock = threading.Lock()

    def done(self, name: str) -> None:
        """One more is done."""
        with self._lock:
            self._done += 1
            if sys.stderr.isatty():
                end = "\n" if self._done == self._total else ""
                self._write(f"\r{self._done}/{self._total} {name:<{WIDEST}}{end}")
            elif time.monotonic() - self._told >= self._pause:
                self._told = time.monotonic()
                self._write(f"{self._done}/{self._total} {name}\n")

    def say(self, line: str) -> None:
        """A line of its own, at once."""
        with self._lock:
            self._write(f"\r{line:<{WIDEST}}\n" if sys.stderr.isatty() else f"{line}\n")

    @staticmethod
    def _write(text: str) -> None:
        sys.stderr.write(text)
        sys.stderr.flush()

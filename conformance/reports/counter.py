"""Counts on stderr where a person watches."""

import sys

WIDEST = 60


class Counter:
    """Tells how many are done, and which was the last.

    Args:
        total: how many there are.
    """

    def __init__(self, total: int) -> None:
        self._total = total
        self._done = 0

    def done(self, name: str) -> None:
        """One more is done."""
        self._done += 1
        if sys.stderr.isatty():
            end = "\n" if self._done == self._total else ""
            sys.stderr.write(f"\r{self._done}/{self._total} {name:<{WIDEST}}{end}")
            sys.stderr.flush()

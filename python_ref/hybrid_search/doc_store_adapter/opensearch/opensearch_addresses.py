"""Chooses the address of each request: one that does not answer is skipped for a while (OS-3)."""

import threading
import time
from collections.abc import Callable

PAUSE = 30.0
"""The number of seconds for which an address is skipped."""


class OpenSearchAddresses:
    """Addresses of one cluster, each used in turn. It is safe to use from several threads.

    Args:
        count: the number of addresses.
        clock: returns a number of seconds that only grows.
    """

    def __init__(self, count: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._skipped_until = [0.0] * count
        self._clock = clock
        self._turn = 0
        self._lock = threading.Lock()

    def choose(self) -> int:
        """Return the place of the next address that is not skipped; if all are, the first to be used again."""
        with self._lock:
            self._turn += 1
            count, now = len(self._skipped_until), self._clock()
            places = [(self._turn + step) % count for step in range(count)]
            return min(places, key=lambda place: max(self._skipped_until[place] - now, 0.0))

    def fail(self, place: int) -> None:
        """Skip an address for a while."""
        with self._lock:
            self._skipped_until[place] = self._clock() + PAUSE

    def succeed(self, place: int) -> None:
        """Use an address again."""
        with self._lock:
            self._skipped_until[place] = 0.0

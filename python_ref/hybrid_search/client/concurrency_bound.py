"""How many calls may be under way at once."""

import threading
from collections import deque

from hybrid_search.base import validation


class ConcurrencyBound:
    """A number of places; who finds none waits, and places are given in the order of arrival.

    Args:
        max_concurrency: how many places there are, at least 1.

    Raises:
        InvalidInputError: the number is not acceptable.
    """

    def __init__(self, max_concurrency: int) -> None:
        self.places = validation.integer("max_concurrency", max_concurrency, 1)
        self._free = self.places
        self._waiting: deque[threading.Event] = deque()
        self._lock = threading.Lock()

    def enter(self, timeout: float) -> bool:
        """Take a place, waiting for one some seconds; whether there was one."""
        given = threading.Event()
        with self._lock:
            if self._free > 0:
                self._free -= 1
                return True
            self._waiting.append(given)
        try:
            given.wait(max(0.0, min(timeout, threading.TIMEOUT_MAX)))
        except BaseException:
            if not self._give_up(given):
                self.leave()
            raise
        return not self._give_up(given)

    def leave(self) -> None:
        """Give the place back: to who waits longest."""
        with self._lock:
            if self._waiting:
                self._waiting.popleft().set()
            else:
                self._free += 1

    def _give_up(self, given: threading.Event) -> bool:
        """Wait no longer; false if there is a place by now."""
        with self._lock:
            if given.is_set():
                return False
            self._waiting.remove(given)
            return True

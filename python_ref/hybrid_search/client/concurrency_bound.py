"""Bounds the number of calls that run at the same time."""

import threading
from collections import deque

from hybrid_search.base import validation


class ConcurrencyBound:
    """A semaphore whose places are given to waiting callers in the order of their arrival.

    Args:
        max_concurrency: the number of places, at least 1.

    Raises:
        InvalidInputError: the number is not acceptable.
    """

    def __init__(self, max_concurrency: int) -> None:
        self.places = validation.integer("max_concurrency", max_concurrency, 1)
        self._free = self.places
        self._waiting: deque[threading.Event] = deque()
        self._lock = threading.Lock()

    def enter(self, timeout: float) -> bool:
        """Take a place, waiting up to `timeout` seconds for one; return whether a place was taken."""
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
        """Give the place back to the caller that has waited longest."""
        with self._lock:
            if self._waiting:
                self._waiting.popleft().set()
            else:
                self._free += 1

    def _give_up(self, given: threading.Event) -> bool:
        """Stop waiting; return false if a place was given in the meantime."""
        with self._lock:
            if given.is_set():
                return False
            self._waiting.remove(given)
            return True

"""How many calls may be under way at once."""

import threading

from hybrid_search import validation


class ConcurrencyBound:
    """A number of places; who finds none waits.

    Args:
        max_concurrency: how many places there are, at least 1.

    Raises:
        InvalidInputError: the number is not acceptable.
    """

    def __init__(self, max_concurrency: int) -> None:
        places = validation.integer("max_concurrency", max_concurrency, 1)
        self._places = threading.BoundedSemaphore(places)

    def enter(self, timeout: float) -> bool:
        """Take a place, waiting for one some seconds; whether there was one."""
        return self._places.acquire(timeout=max(0.0, min(timeout, threading.TIMEOUT_MAX)))

    def leave(self) -> None:
        """Give the place back."""
        self._places.release()

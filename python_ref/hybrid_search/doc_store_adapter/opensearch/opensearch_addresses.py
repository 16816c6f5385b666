"""Chooses the address of each request: one that does not respond is skipped for a while (OS-3)."""

import threading
import time
from collections.abc import Callable
from typing import Any

from hybrid_search.base import validation
from hybrid_search.client.endpoint import Endpoint

PAUSE = 30.0
"""The number of seconds for which an address is skipped."""


class OpenSearchAddresses:
    """Addresses of one cluster, each used in turn. It is safe to use from several threads.

    Args:
        count: the number of addresses.
        clock: returns seconds that only go forward.
    """

    def __init__(self, count: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._skipped_until = [0.0] * count
        self._clock = clock
        self._turn = 0
        self._lock = threading.Lock()

    def choose(self) -> int:
        """Return the place of the next address that is not skipped; if all are, the first that will be used again."""
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


def accepted(url: Any) -> list[str]:
    """Return the addresses of an argument: one address, or a list of them.

    Raises:
        InvalidInputError: the list is empty, or one of the addresses is not that of a server.
    """
    urls = [url] if isinstance(url, str) else validation.texts("url", url)
    if not urls:
        raise validation.fail("url", urls, "the address of a node, or a list of them")
    for index, one in enumerate(urls):
        Endpoint("url" if isinstance(url, str) else f"url[{index}]", one)
    return urls

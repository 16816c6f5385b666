"""Counts the work of the service, in the text format of Prometheus (CUR-6)."""

import threading
from collections.abc import Iterator, Mapping
from typing import Any

from hybrid_search.base import numeric
from hybrid_search.base.process_lock import ProcessLock

BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""The upper bounds of the buckets of durations, in seconds."""
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT")
"""The methods with a series of their own; any other counts as `other`, so that clients cannot create series."""
NAMES = {
    "requests": ("hybrid_search_http_requests_total", "counter", "Requests answered."),
    "seconds": ("hybrid_search_http_request_duration_seconds", "histogram", "How long answers took."),
    "in_progress": ("hybrid_search_http_requests_in_progress", "gauge", "Requests that are being answered."),
    "hits": ("hybrid_search_hits_returned_total", "counter", "Hits returned."),
    "changed": ("hybrid_search_documents_changed_total", "counter", "Documents added or changed."),
    "deleted": ("hybrid_search_documents_deleted_total", "counter", "Documents removed."),
    "documents": ("hybrid_search_documents", "gauge", "Documents in the index."),
    "cache_hits": ("hybrid_search_ranking_cache_hits_total", "counter", "Rankings found in the ranking cache."),
    "cache_misses": ("hybrid_search_ranking_cache_misses_total", "counter", "Rankings that it did not have."),
    "cache_entries": ("hybrid_search_ranking_cache_entries", "gauge", "Rankings that it keeps."),
    "cache_bytes": ("hybrid_search_ranking_cache_bytes", "gauge", "Bytes that they count."),
}


class HttpMetrics:
    """Counts requests; safe to share between threads."""

    def __init__(self) -> None:
        self._lock = ProcessLock(threading.Lock)
        self._requests: dict[tuple[str, str, int], int] = {}
        self._buckets: dict[str, list[int]] = {}
        self._seconds: dict[str, float] = {}
        self._counts = {"in_progress": 0, "hits": 0, "changed": 0, "deleted": 0}

    def count(self, name: str, by: int = 1) -> None:
        """Add to a counter without labels."""
        with self._lock.mutex:
            self._counts[name] += by

    def answered(self, method: str, path: str, status: int, seconds: float) -> None:
        """Count a response.

        Args:
            method: the method of the request.
            path: the path of its route, "" without a route.
            status: the status of the response.
            seconds: its duration.
        """
        known = method if method in METHODS else "other"
        with self._lock.mutex:
            key = (path, known, status)
            self._requests[key] = self._requests.get(key, 0) + 1
            buckets = self._buckets.setdefault(path, [0] * (len(BOUNDS) + 1))
            buckets[next((place for place, bound in enumerate(BOUNDS) if seconds <= bound), len(BOUNDS))] += 1
            self._seconds[path] = self._seconds.get(path, 0.0) + seconds

    def text(self, gauges: Mapping[str, int]) -> str:
        """Return all counters, with the given gauges, such as `documents`."""
        with self._lock.mutex:
            lines = [*self._told_requests(), *self._told_seconds()]
            lines += [line for name in self._counts for line in _plain(name, self._counts[name])]
        lines += [line for name, value in gauges.items() for line in _plain(name, value)]
        return "".join(f"{line}\n" for line in lines)

    def _told_requests(self) -> Iterator[str]:
        name = NAMES["requests"][0]
        yield from _head("requests")
        for (path, method, status), count in sorted(self._requests.items()):
            yield f'{name}{{path="{path}",method="{method}",status="{status}"}} {count}'

    def _told_seconds(self) -> Iterator[str]:
        name = NAMES["seconds"][0]
        yield from _head("seconds")
        for path, buckets in sorted(self._buckets.items()):
            total = 0
            for bound, count in zip((*map(numeric.shortest, BOUNDS), "+Inf"), buckets, strict=True):
                total += count
                yield f'{name}_bucket{{path="{path}",le="{bound}"}} {total}'
            yield f'{name}_sum{{path="{path}"}} {numeric.shortest(self._seconds[path])}'
            yield f'{name}_count{{path="{path}"}} {total}'


def _plain(key: str, value: Any) -> Iterator[str]:
    yield from _head(key)
    yield f"{NAMES[key][0]} {value}"


def _head(key: str) -> Iterator[str]:
    name, kind, says = NAMES[key]
    yield f"# HELP {name} {says}"
    yield f"# TYPE {name} {kind}"

"""Rankings that are cached between the pages of a search (CUR-7)."""

import dataclasses
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

from hybrid_search.base import validation
from hybrid_search.base.process_lock import ProcessLock
from hybrid_search.search.ranking import Ranking

OPTIONS = ("max_entries", "max_bytes", "max_seconds", "clock")
PER_VALUE = 64


@dataclasses.dataclass(frozen=True)
class _Kept:
    ranking: Ranking
    size: int
    until: float


class RankingCache:
    """Stores whole rankings: further pages call neither the store nor the model, and follow the first page's ranking.

    Passed to an `Index` as `ranking_cache`; several indexes may share one. When it is full, the least recently used
    ranking is removed. Safe to use from several threads.

    Args:
        max_entries: the maximum number of stored rankings, at least 1.
        max_bytes: the maximum size of their results in bytes, at least 1; the size is that of texts plus a share for
            each value.
        max_seconds: the maximum age of a ranking in seconds, above 0.
        clock: returns seconds, for tests.

    Raises:
        InvalidInputError: an argument is not acceptable.
    """

    @validation.known_options(OPTIONS)
    def __init__(
        self,
        max_entries: int = 256,
        max_bytes: int = 67_108_864,
        max_seconds: float = 300.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._max_entries = validation.integer("max_entries", max_entries, 1)
        self._max_bytes = validation.integer("max_bytes", max_bytes, 1)
        self._max_seconds = validation.number("max_seconds", max_seconds)
        if self._max_seconds <= 0.0:
            raise validation.fail("max_seconds", max_seconds, "a number above 0")
        self._clock = clock
        self._lock = ProcessLock(threading.Lock)
        self._kept: OrderedDict[Hashable, _Kept] = OrderedDict()
        self._bytes = 0
        self._hits = 0
        self._misses = 0

    @property
    def hits(self) -> int:
        """Return the number of rankings that were found."""
        return self._hits

    @property
    def misses(self) -> int:
        """Return the number of rankings that were requested but not found."""
        return self._misses

    @property
    def size(self) -> int:
        """Return the number of stored rankings."""
        return len(self._kept)

    @property
    def bytes(self) -> int:
        """Return the size of the stored rankings in bytes."""
        return self._bytes

    def clear(self) -> None:
        """Forget all rankings; the counts of hits and misses stay."""
        with self._lock.mutex:
            self._kept.clear()
            self._bytes = 0

    def fetch(self, keys: Sequence[Hashable]) -> Ranking | None:
        """Return the ranking of the first key that has one, or `None`."""
        with self._lock.mutex:
            self._expire()
            for key in keys:
                if key in self._kept:
                    self._kept.move_to_end(key)
                    self._hits += 1
                    return self._kept[key].ranking
            self._misses += 1
            return None

    def keep(self, key: Hashable, ranking: Ranking) -> None:
        """Store a ranking, unless it is larger than the whole cache."""
        scores = ranking.scores
        size = _bytes_of([ranking.keys, scores.bm25, scores.cosines, scores.reranked, scores.models, ranking.parts])
        if ranking.arranged is not None:
            size += _bytes_of(ranking.arranged.counted)
        if size > self._max_bytes:
            return
        with self._lock.mutex:
            self._forget(key)
            self._kept[key] = _Kept(ranking, size, self._clock() + self._max_seconds)
            self._bytes += size
            while len(self._kept) > self._max_entries or self._bytes > self._max_bytes:
                self._forget(next(iter(self._kept)))

    def _expire(self) -> None:
        now = self._clock()
        for key in [key for key, kept in self._kept.items() if kept.until <= now]:
            self._forget(key)

    def _forget(self, key: Hashable) -> None:
        kept = self._kept.pop(key, None)
        self._bytes -= 0 if kept is None else kept.size


def _bytes_of(value: Any) -> int:
    """Return the size of plain data: its texts in UTF-8, and 64 bytes for each value and each key."""
    if isinstance(value, str):
        return PER_VALUE + len(value.encode("utf-8", "surrogatepass"))
    total = PER_VALUE
    if isinstance(value, Mapping):
        for name, item in value.items():
            total += _bytes_of(name) + _bytes_of(item)
    elif isinstance(value, Sequence):
        for item in value:
            total += _bytes_of(item)
    return total

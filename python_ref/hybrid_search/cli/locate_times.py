"""Measures the durations of the stages of `locate` (CNV-6)."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

STAGES = ("open", "embed", "retrieve", "rerank", "map")


class LocateTimes:
    """Sums up the seconds of stages.

    Args:
        clock: returns seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._began = clock()
        self._seconds = dict.fromkeys(STAGES, 0.0)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Add the duration of the block to a stage."""
        began = self._clock()
        try:
            yield
        finally:
            self._seconds[name] += self._clock() - began

    def seconds(self) -> Mapping[str, float]:
        """Return stage → seconds, rounded to thousandths, with the total since the beginning."""
        whole = {**self._seconds, "total": self._clock() - self._began}
        return {name: int(seconds * 1000) / 1000 for name, seconds in whole.items()}

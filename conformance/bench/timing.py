"""Seconds, their spread over rounds, and the ratios of two timings."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from time import perf_counter, process_time
from typing import Any


@dataclass(frozen=True)
class Spread:
    """The smallest, the median and the largest of some numbers."""

    least: float
    median: float
    most: float

    @staticmethod
    def of(values: Sequence[float]) -> "Spread":
        """The spread of at least one number."""
        return Spread(min(values), median(values), max(values))


@dataclass(frozen=True)
class Seconds:
    """How long something took.

    Attributes:
        cpu: seconds of processor time of the process, which waiting for a busy machine does not count in.
        wall: seconds on the clock.
    """

    cpu: float
    wall: float


def timed(work: Callable[[], Any]) -> tuple[Any, Seconds]:
    """What `work` gives, and how long it took."""
    wall, cpu = perf_counter(), process_time()
    value = work()
    return value, Seconds(process_time() - cpu, perf_counter() - wall)


def ratios(anchor: Sequence[float], candidate: Sequence[float]) -> Spread:
    """How many times as fast as the anchor, round by round."""
    return Spread.of([one / max(other, 1e-9) for one, other in zip(anchor, candidate, strict=True)])


def percentile(values: Sequence[float], percent: int) -> float:
    """The value that `percent` of the values do not surpass (nearest rank); there is at least one value."""
    ordered = sorted(values)
    return ordered[max(0, -(-len(ordered) * percent // 100) - 1)]

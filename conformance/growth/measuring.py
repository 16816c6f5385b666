"""The cost of two sizes of one text, and whether it grew too fast."""

import math
from dataclasses import dataclass

FACTOR = 8
"""How much longer the long text is."""
ALLOWANCE = 1.5
"""What caches of the processor, collections of garbage and other programs may add."""
SHORTEST = 0.001
"""Seconds of processor time: costs below this say nothing."""


@dataclass(frozen=True)
class Growth:
    """What an operation cost for a text of `size` code points, and for one eight times as long.

    Attributes:
        language: python or ruby.
        operation: its name.
        pattern: what the text is made of.
        size: code points of the short text.
        short: seconds of processor time for it.
        long: seconds of processor time for the long one.
        power: 1 where the cost may grow as n·log n, 2 where document and question both grow.
    """

    language: str
    operation: str
    pattern: str
    size: int
    short: float
    long: float
    power: int = 1

    @property
    def ratio(self) -> float:
        """How many times the cost of the short text the long one's is."""
        return self.long / max(self.short, 1e-6)

    @property
    def allowed(self) -> float:
        """The largest ratio of something that grows as n·log n (or n²·log n), with an allowance."""
        logarithm = math.log(FACTOR * self.size) / math.log(self.size)
        return float(FACTOR**self.power * ALLOWANCE * logarithm)

    @property
    def is_suspect(self) -> bool:
        """Whether the long text costs more than it may."""
        return self.long >= SHORTEST and self.ratio > self.allowed

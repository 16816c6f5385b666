"""Looks for differences in blocks of drawn cases; a block replays from the seed and its number (CNF-17)."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import hypothesis
from hypothesis import HealthCheck, Phase

from conformance.fuzz import drawing
from conformance.fuzz.drawing import Drawn
from conformance.fuzz.panel import Panel
from conformance.fuzz.shapes import Shapes

BLOCK = 50
"""Cases in a block."""
SHRINK_SECONDS = 60.0


@dataclass(frozen=True)
class Finding:
    """A difference in its smallest form: the block it is from, the case, what differs."""

    seed: int
    block: int
    drawn: Drawn
    lines: tuple[str, ...]

    def told(self) -> dict[str, Any]:
        """It as reports hold it."""
        return {
            "block": self.block,
            "operation": self.drawn.operation,
            "base": self.drawn.base.id,
            "params": self.drawn.params,
            "input": self.drawn.input,
            "difference": list(self.lines),
        }


class _DifferenceError(Exception):
    """Two implementations differ."""


def block(
    panel: Panel,
    shapes: dict[str, Shapes],
    weights: dict[str, int],
    seed: int,
    number: int,
    told: Callable[[Drawn], None],
    deadline: float | None = None,
    shrink_seconds: float = SHRINK_SECONDS,
) -> Finding | None:
    """Run one block; the first difference is shrunk and ends it.

    Args:
        panel: who is asked.
        shapes: operation → what its inputs look like.
        weights: operation → how often it is drawn.
        seed: of the run.
        number: of the block.
        told: called with each case that is compared, those of shrinking too.
        deadline: when to stop comparing, by the monotonic clock.
        shrink_seconds: how long a difference is made smaller.
    """
    smallest: list[tuple[Drawn, tuple[str, ...]]] = []
    begun: list[float] = []

    @hypothesis.seed(seed * 1_000_003 + number)
    @hypothesis.settings(
        max_examples=BLOCK,
        deadline=None,
        database=None,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
        report_multiple_bugs=False,
    )
    @hypothesis.given(drawing.cases(shapes, weights))
    def compared(drawn: Drawn) -> None:
        now = time.monotonic()
        if not begun and deadline is not None and now > deadline:
            return
        if begun and now > begun[0] + shrink_seconds:
            return
        lines = panel.difference(drawn.operation, drawn.params, drawn.input)
        told(drawn)
        if lines is not None:
            begun.append(now)
            smallest.append((drawn, tuple(lines)))
            raise _DifferenceError

    try:
        compared()
    except (_DifferenceError, hypothesis.errors.Flaky):
        drawn, lines = smallest[-1]
        return Finding(seed, number, drawn, lines)
    return None

"""Clocks, sleep and chance of the network clients, so that tests need not wait."""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Timing:
    """Where time and chance come from.

    Attributes:
        clock: seconds that only go forward.
        now: seconds since 1970, to read dates by.
        sleep: waits some seconds.
        chance: a number from 0 up to, but not including, 1.
    """

    clock: Callable[[], float] = time.monotonic
    now: Callable[[], float] = time.time
    sleep: Callable[[float], None] = time.sleep
    chance: Callable[[], float] = random.random

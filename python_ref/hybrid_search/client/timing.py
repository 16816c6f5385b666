"""Clocks, sleep and randomness of the network clients, so that tests need not wait."""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Timing:
    """The sources of time and randomness.

    Attributes:
        clock: returns seconds that only go forward.
        now: returns seconds since 1970, for comparison with dates.
        sleep: waits a number of seconds.
        chance: returns a random number from 0 up to, but not including, 1.
    """

    clock: Callable[[], float] = time.monotonic
    now: Callable[[], float] = time.time
    sleep: Callable[[float], None] = time.sleep
    chance: Callable[[], float] = random.random

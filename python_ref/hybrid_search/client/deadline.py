"""Time limits of one HTTP exchange."""

from collections.abc import Callable
from dataclasses import dataclass

from hybrid_search.base import validation
from hybrid_search.client.exchange_error import ExchangeError

LEAST_SECONDS, LEAST_SHARE = 0.05, 0.02
"""A request is sent only if the shorter of two times is left: this number of seconds, or this share of the total."""


@dataclass(frozen=True)
class Limits:
    """Limits of time and size.

    Attributes:
        connect_timeout: seconds for making a connection, TLS included.
        read_timeout: seconds of silence while waiting for bytes.
        deadline: seconds of the whole exchange, for messages.
        max_response_bytes: the largest body.
    """

    connect_timeout: float
    read_timeout: float
    deadline: float
    max_response_bytes: int


class Deadline:
    """The remaining time of one exchange, measured by a clock that only goes forward.

    Args:
        limits: time limits of the parts of the exchange.
        clock: returns seconds.
        at: the end of the exchange, on the clock.
    """

    def __init__(self, limits: Limits, clock: Callable[[], float], at: float) -> None:
        self._limits = limits
        self._clock = clock
        self._at = at

    def left(self) -> float:
        """Return the seconds until the deadline; 0 or less once it has passed."""
        return self._at - self._clock()

    def check(self) -> None:
        """Raise once the deadline has passed.

        Raises:
            ExchangeError: the deadline has passed.
        """
        if self.left() <= 0.0:
            raise self.past()

    def demand(self, seconds: float) -> None:
        """Raise if fewer than `seconds` remain before the deadline.

        Raises:
            ExchangeError: fewer seconds remain.
        """
        if self.left() < seconds:
            raise self.past()

    def least(self) -> float:
        """Return the minimum number of seconds that must remain to send a request."""
        return min(LEAST_SECONDS, LEAST_SHARE * self._limits.deadline)

    def for_bytes(self) -> float:
        """Return the maximum number of seconds until the next bytes.

        Raises:
            ExchangeError: the deadline has passed.
        """
        self.check()
        return min(self.left(), self._limits.read_timeout)

    def connected_by(self) -> float:
        """Return the time, on the clock, by which the connection must be made."""
        return min(self._clock() + self._limits.connect_timeout, self._at)

    def until(self, instant: float) -> float:
        """Return the seconds until an instant on the clock; 0 or less once it has passed."""
        return instant - self._clock()

    def not_connected(self) -> ExchangeError:
        """Return the error for a connection that was not made in time."""
        if self.left() <= 0.0:
            return self.past()
        return self._late("could not be connected to", self._limits.connect_timeout)

    def silent(self, waited: float) -> ExchangeError:
        """Return the error for bytes that did not come in time.

        Args:
            waited: the seconds waited, which `for_bytes` returned.
        """
        if waited < self._limits.read_timeout:
            return self.past()
        return self._late("did not answer", self._limits.read_timeout)

    def past(self) -> ExchangeError:
        """Return the error for a deadline that has passed."""
        shown = validation.describe(self._limits.deadline)
        return ExchangeError(f"did not answer before the deadline of {shown} seconds", retryable=False)

    @staticmethod
    def _late(what: str, seconds: float) -> ExchangeError:
        return ExchangeError(f"{what} within {validation.describe(seconds)} seconds")

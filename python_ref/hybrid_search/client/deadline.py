"""The time that one exchange has."""

from collections.abc import Callable
from dataclasses import dataclass

from hybrid_search.base import validation
from hybrid_search.client.exchange_error import ExchangeError

LEAST_SECONDS, LEAST_SHARE = 0.05, 0.02
"""No request goes out with less time left than the smaller one: so many seconds, that share of the whole."""


@dataclass(frozen=True)
class Limits:
    """How long and how much.

    Attributes:
        connect_timeout: seconds for making a connection, TLS included.
        read_timeout: seconds of silence while waiting for bytes.
        deadline: seconds that the deadline was set at, for messages.
        max_response_bytes: the largest body.
    """

    connect_timeout: float
    read_timeout: float
    deadline: float
    max_response_bytes: int


class Deadline:
    """The time that one exchange has, by a clock that only goes forward.

    Args:
        limits: how long its parts may take.
        clock: seconds.
        at: when, by the clock, all must be done.
    """

    def __init__(self, limits: Limits, clock: Callable[[], float], at: float) -> None:
        self._limits = limits
        self._clock = clock
        self._at = at

    def left(self) -> float:
        """Seconds until the deadline; not above 0 once it has passed."""
        return self._at - self._clock()

    def check(self) -> None:
        """Raise once the deadline has passed.

        Raises:
            ExchangeError: it has.
        """
        if self.left() <= 0.0:
            raise self.past()

    def demand(self, seconds: float) -> None:
        """Raise unless so many seconds are left.

        Raises:
            ExchangeError: fewer are.
        """
        if self.left() < seconds:
            raise self.past()

    def least(self) -> float:
        """How many seconds must be left for a request to go out."""
        return min(LEAST_SECONDS, LEAST_SHARE * self._limits.deadline)

    def for_bytes(self) -> float:
        """How many seconds the next bytes may take.

        Raises:
            ExchangeError: the deadline has passed.
        """
        self.check()
        return min(self.left(), self._limits.read_timeout)

    def connected_by(self) -> float:
        """When, by the clock, there must be a connection."""
        return min(self._clock() + self._limits.connect_timeout, self._at)

    def until(self, instant: float) -> float:
        """Seconds until an instant by the clock; not above 0 once it has passed."""
        return instant - self._clock()

    def not_connected(self) -> ExchangeError:
        """There was no connection in time."""
        if self.left() <= 0.0:
            return self.past()
        return self._late("could not be connected to", self._limits.connect_timeout)

    def silent(self, waited: float) -> ExchangeError:
        """No bytes came.

        Args:
            waited: for so many seconds, as `for_bytes` gave them.
        """
        if waited < self._limits.read_timeout:
            return self.past()
        return self._late("did not answer", self._limits.read_timeout)

    def past(self) -> ExchangeError:
        """The deadline has passed."""
        shown = validation.describe(self._limits.deadline)
        return ExchangeError(f"did not answer before the deadline of {shown} seconds", retryable=False)

    @staticmethod
    def _late(what: str, seconds: float) -> ExchangeError:
        return ExchangeError(f"{what} within {validation.describe(seconds)} seconds")

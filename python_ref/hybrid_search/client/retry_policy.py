"""Decides whether and when a call is retried."""

import calendar
import re

from hybrid_search.base import validation
from hybrid_search.client.timing import Timing

LONGEST_SECONDS = 9
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
DATE = re.compile(
    r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), ([0-9]{2}) ([A-Z][a-z]{2}) ([0-9]{4}) ([0-9]{2}):([0-9]{2}):([0-9]{2}) GMT"
)
MOST_DOUBLINGS = 30
LONGEST = 86_400


class RetryPolicy:
    """Exponential backoff with jitter; a server's `Retry-After` has priority.

    Args:
        max_retries: the maximum number of retries of a call, at least 0.
        backoff: seconds before the first retry, doubled for each further one; 0 to 86,400.
        max_backoff: the longest wait in seconds, 0 to 86,400; `Retry-After` may ask for more.
        timing: clock and randomness.

    Raises:
        InvalidInputError: an argument is not acceptable.
    """

    def __init__(self, max_retries: int, backoff: float, max_backoff: float, timing: Timing) -> None:
        self.max_retries = validation.integer("max_retries", max_retries, 0)
        self._backoff = validation.number("backoff", backoff, 0, LONGEST)
        self._max_backoff = validation.number("max_backoff", max_backoff, 0, LONGEST)
        self._timing = timing

    @staticmethod
    def is_retryable(status: int) -> bool:
        """Return whether the same call may succeed later, judged by its HTTP status: 429 and 5xx."""
        return status == 429 or 500 <= status <= 599

    def delay(self, attempt: int, retry_after: str | None = None) -> float:
        """Return the number of seconds to wait after a failed attempt.

        Half of the wait is fixed and half is random, so that clients that failed together do not retry together.

        Args:
            attempt: the number of the failed attempt, from 1.
            retry_after: the value of `Retry-After`, seconds or an HTTP date; any other value counts as missing.
        """
        asked = self.asked_for(retry_after)
        if asked is not None:
            return asked
        full = min(self._max_backoff, self._backoff * float(1 << min(attempt - 1, MOST_DOUBLINGS)))
        return full * (0.5 + 0.5 * self._timing.chance())

    def asked_for(self, retry_after: str | None) -> float | None:
        """Return the seconds that `Retry-After` asks for, 0 for a past date; `None` if it is missing or malformed."""
        if retry_after is None:
            return None
        text = retry_after.strip(" \t")
        if text.isascii() and text.isdigit():
            return float(text) if len(text) <= LONGEST_SECONDS else float("9" * LONGEST_SECONDS)
        match = DATE.fullmatch(text)
        if match is None or match.group(2) not in MONTHS:
            return None
        day, _, year, hour, minute, second = match.groups()
        date = (int(year), MONTHS.index(match.group(2)) + 1, int(day), int(hour), int(minute), int(second))
        if not (1 <= date[2] <= 31 and date[0] >= 1970 and date[3] <= 23 and date[4] <= 59 and date[5] <= 60):
            return None
        return max(0.0, float(calendar.timegm(date)) - self._timing.now())

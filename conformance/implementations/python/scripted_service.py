"""A service behind HTTP for cases, which say what it answers; its clock moves only while it answers or is waited on."""

from collections.abc import Callable, Mapping
from typing import Any

from hybrid_search.base import json_writer
from hybrid_search.client.deadline import Deadline
from hybrid_search.client.exchange_error import ExchangeError
from hybrid_search.client.response_reader import ClientResponse
from hybrid_search.client.timing import Timing


class ScriptedService:
    """Takes the place of the exchange of an HTTP client.

    Args:
        answers: one after the other. Each is an object of `status` (200), `retry_after` and the body, as `json`, as
            `text` or `filled` (a text, what is repeated, how often, a text); or of a `problem`, which may be
            `retryable`. It takes so many `seconds`.

    Attributes:
        sent: of each request its headers, its body and how many seconds were left.
        slept: how long was waited, each time.
    """

    def __init__(self, answers: list[Mapping[str, Any]]) -> None:
        self._answers = list(answers)
        self._seconds = 0.0
        self.sent: list[Any] = []
        self.slept: list[float] = []

    def timing(self, chance: float) -> Timing:
        """Its clock, for the client; dates are read by it too."""
        clock: Callable[[], float] = lambda: self._seconds  # noqa: E731
        return Timing(clock=clock, now=clock, sleep=self._sleep, chance=lambda: chance)

    def post(self, body: bytes, headers: Mapping[str, str], deadline: Deadline) -> ClientResponse:
        """The next answer."""
        self.sent.append([dict(sorted(headers.items())), body.decode("utf-8"), deadline.left()])
        answer = self._answers.pop(0)
        self._seconds += answer.get("seconds", 0.0)
        if "problem" in answer:
            raise ExchangeError(answer["problem"], retryable=answer.get("retryable", True))
        return ClientResponse(
            answer.get("status", 200), answer.get("retry_after"), bytearray(_text(answer).encode("utf-8"))
        )

    def _sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self._seconds += seconds


def _text(answer: Mapping[str, Any]) -> str:
    if "json" in answer:
        return json_writer.write(answer["json"])
    if "filled" in answer:
        first, repeated, count, last = answer["filled"]
        return str(first + repeated * count + last)
    return str(answer.get("text", ""))

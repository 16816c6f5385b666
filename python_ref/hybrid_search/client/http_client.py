"""Sends JSON to a service, with timeouts, retries, a concurrency bound and a key that is never shown."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypedDict, Unpack

from hybrid_search.base import json_writer, log, numeric, validation
from hybrid_search.client.answer_json import AnswerJson
from hybrid_search.client.api_key import ApiKey
from hybrid_search.client.client_exchange import ClientExchange
from hybrid_search.client.concurrency_bound import ConcurrencyBound
from hybrid_search.client.deadline import Deadline, Limits
from hybrid_search.client.endpoint import Endpoint
from hybrid_search.client.exchange_error import ExchangeError
from hybrid_search.client.response_reader import ClientResponse
from hybrid_search.client.retry_policy import RetryPolicy
from hybrid_search.client.service_words import ServiceWords
from hybrid_search.client.timing import Timing
from hybrid_search.errors import HybridSearchError, InvalidInputError

LONGEST = 86_400.0
DEEPEST = 20
LARGEST_INTEGER = 2**53
DEFAULTS: dict[str, Any] = {
    "api_key": None,
    "api_key_env": None,
    "api_key_header": "Authorization",
    "connect_timeout": 5.0,
    "read_timeout": 15.0,
    "deadline": 25.0,
    "max_retries": 2,
    "backoff": 0.5,
    "max_backoff": 8.0,
    "max_concurrency": 4,
    "max_response_bytes": 33_554_432,
    "timing": None,
}


class ConnectionOptions(TypedDict, total=False):
    """The keyword options of clients of services.

    TLS trusts the system's authorities, or those of the file and folder that the environment variables `SSL_CERT_FILE`
    and `SSL_CERT_DIR` name.

    Attributes:
        api_key: a callable that returns the key, called for each call; `None` means no key, or the one of
            `api_key_env`.
        api_key_env: the name of the environment variable that contains the key.
        api_key_header: the header of the key: a bearer token in `Authorization`, the plain key in any other header.
        connect_timeout: seconds for making a connection, TLS included; above 0.
        read_timeout: seconds of silence while waiting for bytes; above 0.
        deadline: seconds for a whole call, including all batches, attempts and waits; above 0.
        max_retries: the maximum number of retries of a request after 429, 5xx, a refused or cut connection, or a
            timeout.
        backoff: seconds before the first retry, doubled for each further one; half of it is random.
        max_backoff: the longest such wait; `Retry-After` may ask for a longer one, which is respected up to the
            deadline.
        max_concurrency: the maximum number of requests at the same time, over all threads.
        max_response_bytes: the largest body of a response; text and values of its JSON may take twice as much memory.
        timing: clocks, sleep and randomness, for tests.
    """

    api_key: Callable[[], str] | None
    api_key_env: str | None
    api_key_header: str
    connect_timeout: float
    read_timeout: float
    deadline: float
    max_retries: int
    backoff: float
    max_backoff: float
    max_concurrency: int
    max_response_bytes: int
    timing: Timing | None


class HttpClient:
    """A client of one endpoint; safe to share between threads.

    Every request has a connection of its own. Requests may be repeated, so repetition must do no harm.

    Args:
        service: the kind of service, for messages: "the rerank service" …
        endpoint: the address of the service.
        error: the class of the errors.
        options: see `ConnectionOptions`.

    Raises:
        InvalidInputError: an option is unknown or not acceptable.
    """

    def __init__(
        self,
        service: str,
        endpoint: Endpoint,
        error: type[HybridSearchError],
        **options: Unpack[ConnectionOptions],
    ) -> None:
        validation.known("option", options, tuple(DEFAULTS))
        given = {**DEFAULTS, **options}
        timing = Timing() if given["timing"] is None else given["timing"]
        if not isinstance(timing, Timing):
            raise validation.fail("timing", timing, "a Timing")
        self._service = service
        self._endpoint = endpoint
        self._error = error
        self._timing = timing
        self._api_key = ApiKey(given["api_key"], given["api_key_env"], given["api_key_header"])
        deadline = _seconds("deadline", given["deadline"])
        self._limits = Limits(
            _seconds("connect_timeout", given["connect_timeout"]),
            _seconds("read_timeout", given["read_timeout"]),
            deadline,
            validation.integer("max_response_bytes", given["max_response_bytes"], 1),
        )
        self._exchange = ClientExchange(endpoint, self._limits)
        self._retry_policy = RetryPolicy(given["max_retries"], given["backoff"], given["max_backoff"], timing)
        self._places = ConcurrencyBound(given["max_concurrency"])

    def __repr__(self) -> str:
        return f"HttpClient {self._endpoint.shown}"

    @property
    def most_memory(self) -> int:
        """The maximum memory in bytes of a response and the data that is built from it."""
        return AnswerJson.most_memory(self._limits.max_response_bytes)

    @staticmethod
    def plain(name: str, value: Any) -> dict[str, Any]:
        """Return a copy of an object of texts, finite numbers, booleans, nulls, lists and objects (at most 20 levels).

        Raises:
            InvalidInputError: the value is not such an object.
        """
        fields = validation.mapping(name, value)
        return {field: _plain(f"{name}[{validation.describe(field)}]", fields[field], 1) for field in fields}

    def deadline_from_now(self, most: float | None = None) -> Deadline:
        """Return the deadline of a call that begins now.

        Args:
            most: the maximum number of seconds, in addition to the limit of the options; `None` sets no other limit.
        """
        seconds = self._limits.deadline if most is None else min(self._limits.deadline, most)
        return Deadline(replace(self._limits, deadline=seconds), self._timing.clock, self._timing.clock() + seconds)

    def post_json(self, payload: Any, deadline: Deadline, read: Callable[[Any], Any]) -> Any:
        """Send JSON to the service and return its interpreted response.

        Args:
            payload: plain data.
            deadline: the time by which the response must be complete.
            read: interprets the plain data of a response, or raises an error of the class `error`.

        Raises:
            ConfigurationError: a key is configured but missing.
            HybridSearchError: of the class `error`: the service cannot be reached, was late, refused, or returned
                nothing usable, after all attempts that are allowed and fit before the deadline. No object in the
                traceback has seen the key.
        """
        body = json_writer.write(payload).encode("utf-8")
        attempt = 1
        while True:
            outcome = self._attempt(body, deadline, read)
            if outcome.problem is None:
                return outcome.value
            if not outcome.retryable or attempt > self._retry_policy.max_retries:
                raise self._error(f"{outcome.problem}{_attempts(attempt)}")
            delay = self._retry_policy.delay(attempt, outcome.retry_after)
            if delay >= deadline.left():
                raise self._error(f"{outcome.problem}{_attempts(attempt)}, too late for another")
            log.warning(f"{outcome.problem}; attempt {attempt + 1} follows in {numeric.fixed1(delay)} seconds")
            if delay > 0.0:
                self._timing.sleep(delay)
            attempt += 1

    def _attempt(self, body: bytes, deadline: Deadline, read: Callable[[Any], Any]) -> "_Attempt":
        key = self._api_key.read()
        try:
            answer = self._post(body, key, deadline)
            return self._judge(answer, key, deadline, read)
        except ExchangeError as problem:
            return self._failed(problem.problem, problem.retryable)

    def _post(self, body: bytes, key: str | None, deadline: Deadline) -> ClientResponse:
        """Return the response to a request; it is sent when a place is free, if enough time is left then."""
        waiting = deadline.left() - deadline.least()
        if waiting < 0.0:
            raise deadline.past()
        if not self._places.enter(waiting):
            raise self._no_place()
        try:
            if deadline.left() < deadline.least():
                raise self._no_place()
            return self._exchange.post(body, self._headers(key), deadline)
        finally:
            self._places.leave()

    def _judge(
        self, answer: ClientResponse, key: str | None, deadline: Deadline, read: Callable[[Any], Any]
    ) -> "_Attempt":
        secrets = self._endpoint.secrets if key is None else [key, *self._endpoint.secrets]
        if answer.status <= 299:
            return self._read(answer.body, secrets, deadline, read)
        if answer.status <= 399:
            return self._failed(f"returned status {answer.status}, and redirects are not followed")
        words = ServiceWords.find(answer.body, secrets)
        told = f"returned status {answer.status}{'' if words is None else f': {words}'}"
        return self._failed(told, RetryPolicy.is_retryable(answer.status), answer.retry_after)

    def _read(self, body: bytearray, secrets: list[str], deadline: Deadline, read: Callable[[Any], Any]) -> "_Attempt":
        value = AnswerJson.parse(body, self._limits.max_response_bytes, deadline)
        try:
            return _Attempt(read(value))
        except self._error as problem:
            if ServiceWords.show(str(problem), secrets):
                return self._failed("returned an answer that is not usable")
            return _Attempt(None, str(problem))

    def _failed(self, problem: str, retryable: bool = False, retry_after: str | None = None) -> "_Attempt":
        return _Attempt(None, f"{self._service} at {self._endpoint.shown} {problem}", retryable, retry_after)

    def _no_place(self) -> ExchangeError:
        calls = "1 call" if self._places.places == 1 else f"{self._places.places} calls"
        return ExchangeError(f"had {calls} under way until the deadline", retryable=False)

    def _headers(self, key: str | None) -> dict[str, str]:
        return {
            "Content-Type": "application/json",
            "Accept": "application/json",
            "Accept-Encoding": "identity",
            "User-Agent": "hybrid-search",
            **self._api_key.headers(key),
        }


@dataclass(frozen=True)
class _Attempt:
    """The outcome of an attempt.

    Attributes:
        value: the interpreted response.
        problem: the problem, as a message; `None` after a success.
        retryable: whether another attempt may succeed.
        retry_after: the time of the next attempt, if the service stated it.
    """

    value: Any
    problem: str | None = None
    retryable: bool = False
    retry_after: str | None = None


def _seconds(name: str, value: Any) -> float:
    seconds = validation.number(name, value)
    if not 0.0 < seconds <= LONGEST:
        raise InvalidInputError(f"{name} must be above 0, at most a day (86400), not {validation.describe(value)}")
    return seconds


def _plain(name: str, value: Any, depth: int) -> Any:
    if depth > DEEPEST:
        raise InvalidInputError(f"{name} must not be nested so deeply")
    if isinstance(value, Mapping):
        fields = validation.mapping(name, value)
        return {field: _plain(f"{name}[{validation.describe(field)}]", fields[field], depth + 1) for field in fields}
    if isinstance(value, (list, tuple)):
        return [_plain(f"{name}[{index}]", item, depth + 1) for index, item in enumerate(value)]
    if isinstance(value, str):
        return validation.text(name, value)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return validation.integer(name, value, -LARGEST_INTEGER, LARGEST_INTEGER)
    if isinstance(value, float):
        return validation.number(name, value)
    raise validation.fail(name, value, "plain JSON data")


def _attempts(count: int) -> str:
    return "" if count == 1 else f", {count} attempts"

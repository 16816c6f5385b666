"""JSON to a service and back, with timeouts, retries, a concurrency bound and a key that nothing shows."""

import json
from collections.abc import Callable, Mapping
from typing import Any, NoReturn, TypedDict, Unpack

from hybrid_search import validation
from hybrid_search.errors import HybridSearchError, InvalidInputError
from hybrid_search.network.api_key import ApiKey
from hybrid_search.network.concurrency_bound import ConcurrencyBound
from hybrid_search.network.endpoint import Endpoint
from hybrid_search.network.exchange import Exchange, Limits
from hybrid_search.network.exchange_error import ExchangeError
from hybrid_search.network.response_reader import HttpAnswer
from hybrid_search.network.retry_policy import RetryPolicy
from hybrid_search.network.timing import Timing
from hybrid_search.strict_json import StrictJson

LARGEST_ERROR = 65_536
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

    Attributes:
        api_key: a callable that gives the key, asked for each call; none: no key, or the one of `api_key_env`.
        api_key_env: the name of the environment variable that holds the key.
        api_key_header: the header that carries it; with `Authorization` as a bearer token, else as it is.
        connect_timeout: seconds for making a connection, TLS included; above 0.
        read_timeout: seconds of silence while waiting for bytes; above 0.
        deadline: seconds for a whole call, all batches, attempts and waits; above 0.
        max_retries: how often a request is repeated after 429, 5xx, a refused or cut connection, a timeout.
        backoff: seconds before the first repetition, doubled for each further one; half of it is up to chance.
        max_backoff: the longest such wait; `Retry-After` may ask for more and gets it, up to the deadline.
        max_concurrency: how many requests may be under way at once, over all threads.
        max_response_bytes: the largest answer.
        timing: clocks, sleep and chance, for tests.
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
    """A client of one endpoint; safe to use from several threads.

    Every request has its own connection. Requests must be such that repeating them does no harm.

    Args:
        service: what the endpoint is, for messages: "the rerank service" …
        endpoint: where it is.
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
        self._deadline = _seconds("deadline", given["deadline"])
        limits = Limits(
            _seconds("connect_timeout", given["connect_timeout"]),
            _seconds("read_timeout", given["read_timeout"]),
            self._deadline,
            validation.integer("max_response_bytes", given["max_response_bytes"], 1),
        )
        self._exchange = Exchange(endpoint, limits, timing)
        self._retry_policy = RetryPolicy(given["max_retries"], given["backoff"], given["max_backoff"], timing)
        self._places = ConcurrencyBound(given["max_concurrency"])

    def __repr__(self) -> str:
        return f"HttpClient {self._endpoint.shown}"

    @staticmethod
    def plain(name: str, value: Any) -> dict[str, Any]:
        """An object of texts, finite numbers, booleans, nulls, lists and objects, at most 20 levels deep; a copy.

        Raises:
            InvalidInputError: it is no such.
        """
        fields = validation.mapping(name, value)
        return {field: _plain(f"{name}[{validation.describe(field)}]", fields[field], 1) for field in fields}

    def deadline_from_now(self) -> float:
        """When, by the clock, a call that begins now must have ended."""
        return self._timing.clock() + self._deadline

    def post_json(self, payload: Any, deadline_at: float) -> Any:
        """What the service answers to JSON, as plain data.

        Args:
            payload: plain data.
            deadline_at: when the answer must be here, as `deadline_from_now` gave it.

        Raises:
            ConfigurationError: there is no key where one was promised.
            HybridSearchError: of the class `error`: the service cannot be reached, was late, refused, or answered
                no JSON; after as many attempts as are allowed and fit before the deadline.
        """
        body = json.dumps(payload, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
        attempt = 1
        while True:
            key = self._api_key.read()
            answer, problem, retryable = self._attempt(body, key, deadline_at)
            if answer is not None and problem is None:
                return self._parse(answer.body)
            if not retryable or attempt > self._retry_policy.max_retries:
                self._fail(f"{problem}{_attempts(attempt)}")
            delay = self._retry_policy.delay(attempt, answer.retry_after if answer else None)
            if self._timing.clock() + delay >= deadline_at:
                self._fail(f"{problem}{_attempts(attempt)}, too late for another")
            if delay > 0.0:
                self._timing.sleep(delay)
            attempt += 1

    def _attempt(self, body: bytes, key: str | None, deadline_at: float) -> tuple[HttpAnswer | None, str | None, bool]:
        """An answer, or what went wrong (the answer, if any, then tells more) and whether to try again."""
        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json",
            "Accept-Encoding": "identity",
            "User-Agent": "hybrid-search",
            **self._api_key.headers(key),
        }
        if not self._places.enter(deadline_at - self._timing.clock()):
            return None, "had too many calls under way until the deadline", False
        try:
            answer = self._exchange.post(body, headers, deadline_at)
        except ExchangeError as problem:
            return None, problem.problem, problem.retryable
        finally:
            self._places.leave()
        if 200 <= answer.status <= 299:
            return answer, None, False
        if 300 <= answer.status <= 399:
            return answer, f"answered status {answer.status}, and redirects are not followed", False
        words = self._words(answer.body, key)
        return answer, f"answered status {answer.status}{words}", RetryPolicy.is_retryable(answer.status)

    def _parse(self, body: bytearray) -> Any:
        try:
            return json.loads(body.decode("utf-8"), parse_constant=_refuse)
        except (ValueError, RecursionError):
            self._fail("answered something that is no JSON")

    def _words(self, body: bytearray, key: str | None) -> str:
        """What the service says of an error, if it says so in JSON, unless its words show parts of the key."""
        try:
            text = body[:LARGEST_ERROR].decode("utf-8")
        except UnicodeDecodeError:
            return ""
        said = StrictJson.parse_object(text) or {}
        error = said.get("error")
        inner = error.get("message") if isinstance(error, dict) else error
        for words in (inner, said.get("message"), said.get("detail")):
            if isinstance(words, str) and words:
                return "" if ApiKey.is_in(key, words) else f": {validation.describe(words)}"
        return ""

    def _fail(self, problem: str) -> NoReturn:
        raise self._error(f"{self._service} at {self._endpoint.shown} {problem}")


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


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)

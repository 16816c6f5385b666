"""Sends requests to a cluster and reads its responses: retries if it is busy, and detects partial responses (OS-3)."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from hybrid_search.base import log, numeric, validation
from hybrid_search.client.retry_policy import RetryPolicy
from hybrid_search.client.timing import Timing
from hybrid_search.doc_store_adapter.opensearch import opensearch_engine
from hybrid_search.doc_store_adapter.opensearch.opensearch_engine import OpenSearchEngine
from hybrid_search.doc_store_adapter.opensearch.opensearch_transport import Answer, Transport, TransportError
from hybrid_search.errors import DocStoreError, UnknownOutcomeError

BUSY = 429
UNAVAILABLE = (502, 503, 504)
FAILED = 500
"""From this status on, a write may have taken effect, completely or in part."""
FORBIDDEN = 403
NOT_FOUND = 404
UNTOLD = (400, FORBIDDEN, NOT_FOUND, 405)
"""The statuses with which a node, or a gateway before it, may refuse to state its version."""
MOST_PAUSES = 1_000
BACKOFF, MAX_BACKOFF = 0.1, 5.0
UNKNOWN = "; the outcome is unknown: what was to be written may be stored, or some of it"
BLOCKED = "cluster_block_exception"
MISSING, CLOSED = "index_not_found_exception", "index_closed_exception"
LOST = ("node_not_connected_exception", "node_disconnected_exception", "node_closed_exception")
"""The types of errors with status 500 about a node that disappeared before the cluster noticed it."""


class Request(NamedTuple):
    """A request.

    Attributes:
        method: the HTTP method.
        path: the path and the query, escaped.
        body: plain data; a list is sent as lines, one for each member.
        writes: whether the request changes something. Such a request is repeated only if it certainly had no effect.
        accept: the statuses other than 2xx whose responses are read.
    """

    method: str
    path: str
    body: Mapping[str, Any] | Sequence[Any] | None = None
    writes: bool = False
    accept: tuple[int, ...] = ()


class EngineSearch(NamedTuple):
    """A search request to the engine.

    Attributes:
        path: the path of the index; empty if the body has a point in time.
        body: the search request.
        preference: the copies and shards to search; empty for any copy of all shards.
    """

    path: str
    body: Mapping[str, Any]
    preference: str = ""


class OpenSearchClient:
    """Sends requests until the cluster responds, within a deadline.

    Args:
        transport: sends a single request.
        name: the cluster's name in messages.
        timeout: the maximum number of seconds for a request, including pauses.
        tolerant: whether partial responses are accepted with a warning; otherwise they are an error.
        timing: the clock, the sleep function and the random numbers.
        addresses: the number of nodes that the transport uses in turn; a read leaves time for each of them.
    """

    def __init__(
        self, transport: Transport, name: str, timeout: float, tolerant: bool, timing: Timing, addresses: int = 1
    ) -> None:
        self._transport = transport
        self._name = name
        self._timeout = timeout
        self._tolerant = tolerant
        self._addresses = addresses
        self._timing = timing
        self._engine: OpenSearchEngine | None = None
        self._pauses = RetryPolicy(MOST_PAUSES, BACKOFF, MAX_BACKOFF, timing)

    @property
    def engine(self) -> OpenSearchEngine:
        """The engine of the cluster, which is asked for its version once."""
        if self._engine is None:
            self._engine = opensearch_engine.of(self.ask(Request("GET", "/", accept=UNTOLD)))
            self._name = self._name.replace(OpenSearchEngine.name, self._engine.name, 1)
        return self._engine

    def ask(self, request: Request) -> Any:
        """Return the content of the response to a request; `None` if its status is 404 and 404 is accepted.

        Raises:
            DocStoreError: the request was refused, or there was no response in time.
            UnknownOutcomeError: the request changes something, and may have taken effect.
        """
        return self._ask(request, self.pausing())

    def search(self, searches: Sequence[EngineSearch]) -> list[dict[str, Any]]:
        """Send searches as one request, and return their responses, each of which covers all shards.

        Args:
            searches: at least one; a search without an index must be the only one.

        Raises:
            DocStoreError: a search failed, or its response was partial twice.
        """
        pausing = self.pausing()
        retried = False
        while True:
            answers = self._searched(searches, pausing)
            problem = next((found for found in map(_partial, answers) if found is not None), None)
            if problem is None:
                return answers
            told = f"{self._name} gave a part of the answer: {problem}"
            if retried and not self._tolerant:
                raise DocStoreError(told)
            if retried:
                log.warning(told)
                return answers
            retried = True

    @property
    def milliseconds(self) -> int:
        """The maximum number of milliseconds for a request, including pauses."""
        return int(self._timeout * 1000.0)

    @property
    def microseconds(self) -> int:
        """The number of microseconds since 1970."""
        return int(self._timing.now() * 1e6)

    def pausing(self) -> "Pausing":
        """Return the pauses of one call; they grow, and end at the deadline."""
        return Pausing(self._pauses, self._timing, self._timeout)

    def failure(self, what: str) -> DocStoreError:
        """Return the error that names the cluster and what it did."""
        return DocStoreError(f"{self._name} {what}")

    def check_index(self, error: Any, index: str | None = None) -> None:
        """Raise an error if an engine's error says that an index is missing or closed.

        Args:
            error: the engine's error.
            index: the requested index; another one may be missing for a moment, while an alias changes.
        """
        cause = _cause(error) if isinstance(error, Mapping) else {}
        kind, name = cause.get("type"), cause.get("index")
        if name is not None and (kind == CLOSED or (kind == MISSING and index in (None, name))):
            words = "has closed the index" if kind == CLOSED else "has no index"
            raise self.failure(f"{words} {validation.describe(name)}")

    def _searched(self, searches: Sequence[EngineSearch], pausing: "Pausing") -> list[dict[str, Any]]:
        while True:
            answers = self._answers(searches, pausing)
            failed = next((answer for answer in answers if "error" in answer), None)
            if failed is None:
                return answers
            status = failed.get("status")
            self.check_index(_error(failed))
            told = f"returned status {validation.describe(status)}{_words(failed)}"
            if not _may_pass(status, failed):
                raise self.failure(told)
            pausing.wait(self.failure(told))

    def _answers(self, searches: Sequence[EngineSearch], pausing: "Pausing") -> list[dict[str, Any]]:
        if len(searches) == 1:
            path, body, preference = searches[0]
            query = f"?preference={preference}" if preference else ""
            return [self._ask(Request("POST", f"{path}/_search{query}", body), pausing)]
        lines = [line for search in searches for line in (_header(search), search.body)]
        answers = self._ask(Request("POST", "/_msearch", lines), pausing).get("responses")
        if isinstance(answers, list) and len(answers) == len(searches):
            return answers
        raise self.failure("did not answer all searches")

    def _ask(self, request: Request, pausing: "Pausing") -> Any:
        body = _written(request.body)
        while True:
            try:
                seconds = pausing.left(self._late, 1 if request.writes else self._addresses)
                answer = self._transport.request(request.method, request.path, body, seconds)
            except TransportError as failure:
                if failure.lasting:
                    raise self.failure(str(failure)) from None
                if request.writes and failure.sent:
                    raise self._unknown(str(failure)) from None
                pausing.wait(self.failure(str(failure)))
                continue
            value = self._read(answer, request)
            if 200 <= answer.status <= 299 or answer.status in request.accept:
                return value
            self.check_index(_error(value))
            told = self.failure(f"returned status {answer.status}{_words(value)}")
            if answer.status >= FAILED and _kind(value) != BLOCKED and request.writes:
                raise UnknownOutcomeError(f"{told}{UNKNOWN}")
            if not _may_pass(answer.status, value):
                raise told
            pausing.wait(told)

    def _read(self, answer: Answer, request: Request) -> Any:
        if answer.status == NOT_FOUND and NOT_FOUND in request.accept:
            return None
        try:
            value = json.loads(answer.text)
        except (ValueError, RecursionError):
            value = None
        if isinstance(value, dict) or not 200 <= answer.status <= 299:
            return value
        if request.writes:
            raise self._unknown("returned invalid JSON")
        raise self.failure("returned invalid JSON")

    def _unknown(self, what: str) -> UnknownOutcomeError:
        return UnknownOutcomeError(f"{self._name} {what}{UNKNOWN}")

    def _late(self) -> DocStoreError:
        return self.failure(f"did not answer within {validation.describe(self._timeout)} seconds")


class Pausing:
    """Growing pauses until a deadline.

    Args:
        policy: determines the lengths of the pauses.
        timing: the clock and the sleep function.
        timeout: the deadline, in seconds from now.
    """

    def __init__(self, policy: RetryPolicy, timing: Timing, timeout: float) -> None:
        self._policy = policy
        self._timing = timing
        self._until = timing.clock() + timeout
        self._attempt = 0

    def left(self, late: Callable[[], DocStoreError], addresses: int = 1) -> float:
        """Return the number of seconds for the next attempt: those until the deadline, or a share of them.

        Args:
            late: returns the error for a deadline that has passed.
            addresses: the number of nodes; each gets an equal share of the time, and the last one all that is left.

        Raises:
            DocStoreError: `late`, if the deadline has passed.
        """
        left = self._until - self._timing.clock()
        if left <= 0.0:
            raise late()
        return left / max(addresses - self._attempt, 1)

    def wait(self, problem: DocStoreError) -> None:
        """Pause before another attempt.

        Raises:
            DocStoreError: `problem`, if the deadline comes first.
        """
        self._attempt += 1
        delay = self._policy.delay(self._attempt, None)
        if self._timing.clock() + delay >= self._until:
            raise DocStoreError(f"{problem}, after {self._attempt} attempts")
        log.warning(f"{problem}; attempt {self._attempt + 1} follows in {numeric.fixed1(delay)} seconds")
        self._timing.sleep(delay)


def _written(body: Any) -> str | None:
    if body is None:
        return None
    if isinstance(body, Mapping):
        return _line(body)
    return "".join(f"{_line(line)}\n" for line in body)


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _header(search: EngineSearch) -> dict[str, str]:
    index = {"index": search.path.removeprefix("/")}
    return {**index, "preference": search.preference} if search.preference else index


def _partial(answer: Mapping[str, Any]) -> str | None:
    """Return the reason why a search response is partial, or `None` if it is complete."""
    shards = answer.get("_shards")
    if not isinstance(shards, Mapping):
        return "it does not tell its shards"
    total, successful = shards.get("total"), shards.get("successful")
    if successful != total or shards.get("failed", 0) != 0:
        return f"{validation.describe(successful)} of {validation.describe(total)} shards"
    return "it was cut short by a timeout" if answer.get("timed_out") is not False else None


def _may_pass(status: Any, value: Any) -> bool:
    """Return whether a failed request may succeed a little later."""
    return status == BUSY or status in UNAVAILABLE or _kind(value) == BLOCKED or _cause_kind(value) in LOST


def _kind(value: Any) -> Any:
    """Return the type of the error in a response, or `None` without an error."""
    error = _error(value)
    return error.get("type") if isinstance(error, dict) else None


def _cause_kind(value: Any) -> Any:
    """Return the type of the cause of the error in a response, or `None` without an error."""
    error = _error(value)
    return _cause(error).get("type") if isinstance(error, dict) else None


def _error(value: Any) -> Any:
    return value.get("error") if isinstance(value, dict) else None


def _words(value: Any) -> str:
    """Return the message of the error in a response."""
    error = _error(value)
    if isinstance(error, str):
        return f": {validation.describe(error)}"
    return f": {words(error)}" if isinstance(error, dict) else ""


def words(error: Mapping[str, Any]) -> str:
    """Return the type and the reason of an engine's error in one line; those of its cause if it has one."""
    cause = _cause(error)
    told = [str(cause[part]) for part in ("type", "reason") if cause.get(part) is not None]
    text = " ".join(": ".join(told).split())
    return text if len(text) <= validation.MESSAGE_CHARACTERS else text[: validation.MESSAGE_CHARACTERS] + "…"


def _cause(error: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the cause of an engine's error, or the error itself if no cause is known."""
    shard = _first(error.get("failed_shards"))
    reason = shard.get("reason") if shard is not None else None
    return reason if isinstance(reason, Mapping) else _first(error.get("root_cause")) or error


def _first(objects: Any) -> Mapping[str, Any] | None:
    """Return the first of a list of objects, or `None`."""
    first = objects[0] if isinstance(objects, list) and objects else None
    return first if isinstance(first, Mapping) else None

"""Handles one request from its head to its response (CUR-6)."""

import re
import secrets
import time
from collections.abc import Mapping
from typing import Any

from hybrid_search.base import log, numeric, validation
from hybrid_search.index import Index
from hybrid_search.server import http_json, negotiation, query_string, routes
from hybrid_search.server.access_log import AccessLog
from hybrid_search.server.allowed_hosts import AllowedHosts
from hybrid_search.server.bearer_tokens import BearerTokens
from hybrid_search.server.http_message import HttpHead, ServerResponse
from hybrid_search.server.http_metrics import HttpMetrics
from hybrid_search.server.http_problem import HttpProblem
from hybrid_search.server.http_settings import HttpSettings
from hybrid_search.server.operations import Operations
from hybrid_search.server.routes import Route
from hybrid_search.server.static_files import POLICY

SANE_ID = re.compile(r"[A-Za-z0-9._:/=+-]{1,128}")
SHOWN_PATH = 200
"""The maximum number of characters of a path without a route in the access log."""
BODY_OF_GET = "GET takes no body: its options are in the query string; POST takes them in its body"
CHARSETS = {"text/plain": "; version=0.0.4; charset=utf-8", "application/json": ""}


class HttpApi:
    """The objects that all requests of a service share.

    Args:
        index: the index to search and change.
        settings: the settings of the service.
    """

    def __init__(self, index: Index, settings: HttpSettings) -> None:
        self.settings = settings
        self.metrics = HttpMetrics()
        self.operations = Operations(index, self.metrics)
        self.tokens = BearerTokens(settings.tokens)
        self.hosts = AllowedHosts(settings.allowed_hosts, bool(settings.tokens))
        self.log = AccessLog(settings.access_log)

    def exchange(self, head: HttpHead) -> "ServerExchange":
        """Return the exchange for a new request, which must be answered or abandoned."""
        return ServerExchange(self, head)


class ServerExchange:
    """One request: accepted or refused at once, then answered once, counted and logged.

    Args:
        api: the shared objects.
        head: the request without its body.
    """

    def __init__(self, api: HttpApi, head: HttpHead) -> None:
        self._api = api
        self._head = head
        self._begun = time.monotonic()
        given = head.header("x-request-id")
        self._id = given if SANE_ID.fullmatch(given) else secrets.token_hex(16)
        self._route: Route | None = None
        self._parameter = ""
        self._question: Any = None
        self._refused: HttpProblem | None = None
        self._finished = False
        api.metrics.count("in_progress")
        try:
            self._admit()
        except HttpProblem as problem:
            self._refused = problem

    @property
    def body_limit(self) -> int | None:
        """The maximum number of bytes of the body; `None` if no body is expected."""
        if self._refused is not None or self._route is None or self._route.body is None:
            return None
        return self._api.settings.limits[self._route.body]

    def answer(self, body: bytes = b"") -> ServerResponse:
        """Perform the request and return its response; errors become responses too.

        Args:
            body: the body, up to one byte more than `body_limit`.
        """
        try:
            if self._refused is not None:
                raise self._refused
            assert self._route is not None
            content = self._perform(self._route, body)
            return self._done(200, self._headers(self._route.gives), content)
        except Exception as error:
            return self._refusal(error)

    def refuse(self, code: str) -> ServerResponse:
        """Return the response for a problem that was found while the body was read."""
        return self._refusal(HttpProblem(code))

    def abandon(self) -> None:
        """Count a request whose client has disconnected: it gets no response, and is logged with status 499."""
        self._finish(499, 0, "client_gone", None)

    def _admit(self) -> None:
        """Find the route of the request, and check whether the request is allowed."""
        head, settings = self._head, self._api.settings
        self._api.hosts.check(head)
        self._route, self._parameter = routes.find(head.method, head.path)
        if not self._route.is_open:
            self._api.tokens.check(head)
        if self._route.writes and settings.read_only:
            raise HttpProblem("read_only")
        if self._route.writes and not settings.tokens and not settings.allow_anonymous_writes:
            raise HttpProblem("anonymous_write")
        negotiation.check_accept(head, self._route.gives)
        if self._route.body is not None:
            negotiation.check_body(head, settings.limits[self._route.body])
        elif self._route.operation == "search_get" and head.has_body:
            raise HttpProblem("invalid_request", BODY_OF_GET)

    def _perform(self, route: Route, body: bytes) -> bytes:
        operations, query = self._api.operations, self._head.query
        most = self._api.settings.limits["max_query_bytes"]
        if route.operation == "search_get":
            return operations.search(self._asked(query_string.search_options(query, most)))
        if route.operation == "get":
            return operations.get(self._parameter, query_string.included_names(query, most))
        if route.operation == "delete":
            return operations.delete(self._parameter)
        if route.operation == "page":
            return operations.page(self._head.root)
        operation = getattr(operations, route.operation)
        if route.body is None:
            return bytes(operation())
        query_string.check_empty(query, most)
        return bytes(operation(self._asked(self._read(route.body, body))))

    def _asked(self, options: Mapping[str, Any]) -> Mapping[str, Any]:
        """Store the question for the access log."""
        self._question = options.get("question")
        return options

    def _read(self, limit: str, body: bytes) -> Mapping[str, Any]:
        most = self._api.settings.limits[limit]
        if len(body) > most:
            raise HttpProblem("payload_too_large", str(most))
        return http_json.read(body, most)

    def _refusal(self, error: Exception) -> ServerResponse:
        problem = HttpProblem.of(error)
        if problem.status == 500:
            log.warning(f"request {self._id} failed: {validation.foreign_error(error)}")
        content = http_json.write({"error": {"code": problem.code, "message": str(problem)}})
        headers = {**self._headers("application/json"), **problem.headers}
        return self._done(problem.status, headers, content, problem.code)

    def _headers(self, media: str) -> dict[str, str]:
        headers = {
            "content-type": media + CHARSETS.get(media, "; charset=utf-8"),
            "cache-control": "no-store" if media == "application/json" else "no-cache",
            "x-content-type-options": "nosniff",
            "x-request-id": self._id,
        }
        if media == "text/html":
            headers |= {"content-security-policy": POLICY, "referrer-policy": "no-referrer"}
        return headers

    def _done(self, status: int, headers: dict[str, str], content: bytes, code: str | None = None) -> ServerResponse:
        headers["content-length"] = str(len(content))
        body = b"" if self._head.method == "HEAD" else content
        self._finish(status, len(body), code, self._question)
        return ServerResponse(status, headers, body)

    def _finish(self, status: int, size: int, code: str | None, question: Any) -> None:
        if self._finished:
            return  # the server has stopped meanwhile, and has sent a response
        self._finished = True
        seconds = time.monotonic() - self._begun
        path = "" if self._route is None else self._route.path
        self._api.metrics.answered(self._head.method, path, status, seconds)
        self._api.metrics.count("in_progress", -1)
        entry: dict[str, Any] = {
            "request_id": self._id,
            "remote": self._head.remote,
            "method": self._head.method[:SHOWN_PATH],
            "path": path or self._head.path[:SHOWN_PATH],
            "status": status,
            "error": code,
            "bytes": size,
            "milliseconds": float(numeric.fixed4(1000.0 * seconds)),
        }
        if self._api.settings.log_queries and question is not None:
            entry["question"] = question
        self._api.log.write(entry)

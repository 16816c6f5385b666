"""Sends HTTP requests to the nodes of a cluster: with opensearch-py here, with net/http in Ruby."""

import json
import os
import threading
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, NamedTuple, Protocol

from hybrid_search.base import numeric, validation
from hybrid_search.errors import ConfigurationError


class Answer(NamedTuple):
    """A node's response.

    Attributes:
        status: the HTTP status.
        text: the body.
    """

    status: int
    text: str


class TransportError(Exception):
    """There was no response.

    Args:
        problem: the reason, for messages.
        sent: whether the request may have reached a node.
    """

    def __init__(self, problem: str, sent: bool) -> None:
        super().__init__(problem)
        self.sent = sent


class Transport(Protocol):
    """Sends requests; callers may pass an object of their own."""

    def request(self, method: str, path: str, body: str | None, timeout: float) -> Answer:
        """Send one request, without repeating it, and return the response with any status.

        Args:
            method: the HTTP method.
            path: the path and the query, escaped.
            body: JSON, or lines of JSON.
            timeout: the maximum number of seconds.

        Raises:
            TransportError: there was no response.
        """
        ...


class OpenSearchTransport:
    """Sends requests with opensearch-py, which reuses connections and alternates between the nodes.

    It is safe to use from several threads, and in a forked child.

    Args:
        urls: the addresses of the nodes.
        user: the name of the user; `None` for no authentication.
        password: returns the password of the user.
        ca_file: a file with the certificates of trusted authorities; `None` for those of the system.

    Raises:
        ConfigurationError: opensearch-py is not installed.
    """

    def __init__(
        self, urls: Sequence[str], user: str | None, password: Callable[[], str] | None, ca_file: str | None
    ) -> None:
        try:
            self._library = import_module("opensearchpy")
        except ImportError:
            raise ConfigurationError(
                "OpenSearchDocStore needs the package opensearch-py: pip install 'hybrid-search[opensearch]'"
            ) from None
        self._urls = list(urls)
        self._user = user
        self._password = password
        self._ca_file = ca_file
        self._lock = threading.Lock()
        self._clients: dict[int, Any] = {}

    def request(self, method: str, path: str, body: str | None, timeout: float) -> Answer:
        """See `Transport`."""
        errors = self._library.exceptions
        try:
            text = self._client().transport.perform_request(
                method, path, params={"request_timeout": timeout}, body=body
            )
        except errors.ConnectionTimeout as problem:
            late = f"did not answer within {numeric.fixed1(timeout)} seconds"
            raise TransportError(late, _is_sent(problem)) from None
        except errors.ConnectionError as problem:
            raise TransportError("cannot be reached, or cut the connection", _is_sent(problem)) from None
        except errors.TransportError as problem:
            return Answer(int(problem.status_code), _info(problem))
        return Answer(200, text if isinstance(text, str) else "")

    def _client(self) -> Any:
        """Return the client of this process; a child does not share connections with its parent."""
        with self._lock:
            if os.getpid() not in self._clients:
                self._clients = {os.getpid(): self._connected()}
            return self._clients[os.getpid()]

    def _connected(self) -> Any:
        options: dict[str, Any] = {"max_retries": 0, "serializer": _Unread(), "deserializer": _Unread()}
        if self._user is not None:
            given = self._password() if self._password is not None else ""
            options["http_auth"] = (self._user, validation.text("the password", given))
        if self._ca_file is not None:
            options["ca_certs"] = self._ca_file
        client = self._library.OpenSearch(self._urls, **options)
        client.transport.deserializer = _Unread()
        return client


class _Unread:
    """Passes bodies through unchanged, since the store parses them itself."""

    mimetype = "application/json"

    def dumps(self, data: Any) -> Any:
        """Return a request body unchanged."""
        return data

    def loads(self, text: str, content_type: str | None = None) -> str:
        """Return a response body unchanged."""
        return text


def _is_sent(problem: Any) -> bool:
    """Return whether a request may have reached a node, which requires a connection."""
    cause = problem.args[2] if len(problem.args) > 2 else None
    return type(cause).__name__ not in ("NewConnectionError", "ConnectTimeoutError", "NameResolutionError")


def _info(problem: Any) -> str:
    info = problem.args[2] if len(problem.args) > 2 else ""
    return info if isinstance(info, str) else json.dumps(info)

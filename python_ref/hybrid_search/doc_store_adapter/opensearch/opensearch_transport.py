"""Sends HTTP requests to the nodes of a cluster: with opensearch-py here, with net/http in Ruby."""

import json
import os
import re
import threading
from collections.abc import Sequence
from importlib import import_module
from typing import Any, NamedTuple, Protocol

from hybrid_search.base import numeric
from hybrid_search.doc_store_adapter.opensearch.opensearch_access import OpenSearchAccess
from hybrid_search.doc_store_adapter.opensearch.opensearch_addresses import OpenSearchAddresses
from hybrid_search.errors import ConfigurationError

UNAUTHORIZED = 401
INSECURE = {
    "mismatch|match|not valid for": "has a certificate for another host name",
    "has expired": "has a certificate that has expired",
    "not yet valid": "has a certificate that is not yet valid",
    "certificate verify failed": "has a certificate that is not trusted",
    "alert.certificate.required": "demands a client certificate",
    "alert.(unknown.ca|.*certificate)": "does not accept the client certificate",
    "alert.handshake.failure": "refuses the secured connection; it may demand a client certificate",
    "wrong.version.number": "answers without TLS: its address begins with http, not https",
}
"""The message of OpenSSL about a connection, as a regular expression → the description in messages."""


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
        lasting: whether a further attempt would fail in the same way.
    """

    def __init__(self, problem: str, sent: bool, lasting: bool = False) -> None:
        super().__init__(problem)
        self.sent = sent
        self.lasting = lasting


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
    """Sends requests with opensearch-py, which reuses connections; each node in turn, unless it does not respond.

    It is safe to use from several threads, and in a forked child.

    Args:
        urls: the addresses of the nodes.
        access: the credentials; `None` for no user. A callable is called again after a status of 401.

    Raises:
        ConfigurationError: opensearch-py is not installed.
    """

    def __init__(self, urls: Sequence[str], access: OpenSearchAccess | None = None) -> None:
        try:
            self._library = import_module("opensearchpy")
        except ImportError:
            raise ConfigurationError(
                "OpenSearchDocStore needs the package opensearch-py: pip install 'hybrid-search[opensearch]'"
            ) from None
        self._urls = list(urls)
        self._access = access or OpenSearchAccess()
        self._lock = threading.Lock()
        self._clients: dict[int, list[Any]] = {}
        self._addresses = OpenSearchAddresses(len(urls))

    def request(self, method: str, path: str, body: str | None, timeout: float) -> Answer:
        """See `Transport`."""
        place = self._addresses.choose()
        try:
            answer = self._sent(place, method, path, body, timeout)
            if answer.status == UNAUTHORIZED and self._access.is_named:
                self._clients = {}
                answer = self._sent(place, method, path, body, timeout)
        except TransportError:
            self._addresses.fail(place)
            raise
        self._addresses.succeed(place)
        return answer

    def _sent(self, place: int, method: str, path: str, body: str | None, timeout: float) -> Answer:
        errors = self._library.exceptions
        try:
            text = self._client(place).transport.perform_request(
                method, path, params={"request_timeout": timeout}, body=body
            )
        except errors.SSLError as problem:
            raise _insecure(str(problem), _is_sent(problem)) from None
        except errors.ConnectionTimeout as problem:
            late = f"did not answer within {numeric.fixed1(timeout)} seconds"
            raise TransportError(late, _is_sent(problem)) from None
        except errors.ConnectionError as problem:
            raise TransportError("cannot be reached, or cut the connection", _is_sent(problem)) from None
        except errors.TransportError as problem:
            return Answer(int(problem.status_code), _info(problem))
        return Answer(200, text if isinstance(text, str) else "")

    def _client(self, place: int) -> Any:
        """Return the client of an address in this process; a child does not share connections with its parent."""
        with self._lock:
            if os.getpid() not in self._clients:
                self._clients = {os.getpid(): [self._connected(url) for url in self._urls]}
            return self._clients[os.getpid()][place]

    def _connected(self, url: str) -> Any:
        options: dict[str, Any] = {"max_retries": 0, "serializer": _Unread(), "deserializer": _Unread()}
        if self._access.is_named:
            options["headers"] = {"authorization": self._access.header()}
        if self._access.ca_file is not None:
            options["ca_certs"] = self._access.ca_file
        options.update(client_cert=self._access.client_certificate, client_key=self._access.client_key)
        client = self._library.OpenSearch([url], **options)
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


def _insecure(told: str, sent: bool) -> TransportError:
    """Return the error for a connection that could not be secured, or whose security ended after a request."""
    words = next((words for said, words in INSECURE.items() if re.search(said, told, re.IGNORECASE)), None)
    if words is None:
        return TransportError("cannot be reached, or cut the connection", sent)
    return TransportError(words, False, lasting=True)


def _info(problem: Any) -> str:
    info = problem.args[2] if len(problem.args) > 2 else ""
    return info if isinstance(info, str) else json.dumps(info)

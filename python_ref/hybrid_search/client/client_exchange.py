"""Performs one HTTP/1.1 request on a connection of its own, within limits of time and size."""

import threading
from collections.abc import Mapping

from hybrid_search.client.connection import Connection
from hybrid_search.client.deadline import Deadline, Limits
from hybrid_search.client.endpoint import Endpoint
from hybrid_search.client.response_reader import ClientResponse, ResponseReader
from hybrid_search.client.tls import Tls


class ClientExchange:
    """Sends requests one by one and stores nothing between them. Proxies are not used, redirects not followed.

    Args:
        endpoint: the address of the service.
        limits: limits of time and size.
    """

    def __init__(self, endpoint: Endpoint, limits: Limits) -> None:
        self._endpoint = endpoint
        self._limits = limits
        self._lock = threading.Lock()
        self._made_tls: Tls | None = None

    def post(self, body: bytes, headers: Mapping[str, str], deadline: Deadline) -> ClientResponse:
        """Return the response to a POST.

        Args:
            body: the bytes to send.
            headers: the headers in addition to `Host`, `Content-Length` and `Connection`.
            deadline: the time by which the response must be complete.

        Raises:
            ExchangeError: the service sent no response, or one that is too large.
        """
        connection = Connection(deadline)
        try:
            connection.open(self._endpoint, self._tls())
            connection.send(self._head(len(body), headers), body)
            return ResponseReader(connection.read, self._limits.max_response_bytes).answer()
        finally:
            connection.close()

    def _head(self, length: int, headers: Mapping[str, str]) -> bytes:
        fields = {"Host": self._endpoint.authority, **headers, "Content-Length": length, "Connection": "close"}
        lines = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        return f"POST {self._endpoint.target} HTTP/1.1\r\n{lines}\r\n".encode("ascii")

    def _tls(self) -> Tls | None:
        """Return the TLS settings, made on first use since that reads the files of authorities."""
        if not self._endpoint.secure:
            return None
        with self._lock:
            if self._made_tls is None:
                self._made_tls = Tls(self._endpoint.host)
            return self._made_tls

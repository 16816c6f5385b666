"""One request and its answer over HTTP/1.1, on a connection of its own, within time and size limits."""

import threading
from collections.abc import Mapping

from hybrid_search.client.connection import Connection
from hybrid_search.client.deadline import Deadline, Limits
from hybrid_search.client.endpoint import Endpoint
from hybrid_search.client.response_reader import ClientResponse, ResponseReader
from hybrid_search.client.tls import Tls


class ClientExchange:
    """Sends one request; holds nothing between requests. Proxies are not used, redirects not followed.

    Args:
        endpoint: where to.
        limits: how long and how much.
    """

    def __init__(self, endpoint: Endpoint, limits: Limits) -> None:
        self._endpoint = endpoint
        self._limits = limits
        self._lock = threading.Lock()
        self._made_tls: Tls | None = None

    def post(self, body: bytes, headers: Mapping[str, str], deadline: Deadline) -> ClientResponse:
        """The answer to a POST.

        Args:
            body: the bytes to send.
            headers: header lines besides `Host`, `Content-Length` and `Connection`.
            deadline: when the answer must be whole.

        Raises:
            ExchangeError: there was no answer, or one that is too large.
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
        """Made when it is first needed, as it reads the files of authorities."""
        if not self._endpoint.secure:
            return None
        with self._lock:
            if self._made_tls is None:
                self._made_tls = Tls(self._endpoint.host)
            return self._made_tls

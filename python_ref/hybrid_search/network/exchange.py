"""One request and its answer over HTTP/1.1, on a connection of its own, within time and size limits."""

import contextlib
import functools
import http.client
import io
import socket
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hybrid_search import validation
from hybrid_search.network.endpoint import Endpoint
from hybrid_search.network.exchange_error import ExchangeError
from hybrid_search.network.response_reader import HttpAnswer
from hybrid_search.network.timing import Timing

CHUNK = 65_536


@dataclass(frozen=True)
class Limits:
    """How long and how much.

    Attributes:
        connect_timeout: seconds for making a connection, TLS included.
        read_timeout: seconds of silence while waiting for bytes.
        deadline: seconds that the deadline was set at, for messages.
        max_response_bytes: the largest body.
    """

    connect_timeout: float
    read_timeout: float
    deadline: float
    max_response_bytes: int


class Exchange:
    """Sends one request; holds nothing between requests. Proxies are not used, redirects not followed.

    Args:
        endpoint: where to.
        limits: how long and how much.
        timing: the clock that deadlines refer to.
    """

    def __init__(self, endpoint: Endpoint, limits: Limits, timing: Timing) -> None:
        self._endpoint = endpoint
        self._limits = limits
        self._timing = timing

    def post(self, body: bytes, headers: Mapping[str, str], deadline_at: float) -> HttpAnswer:
        """The answer to a POST.

        Args:
            body: the bytes to send.
            headers: header lines besides `Host`, `Content-Length` and `Connection`.
            deadline_at: when, by the clock, the answer must be whole.

        Raises:
            ExchangeError: there was no answer, or one that is too large.
        """
        sock = self._connect(deadline_at)
        try:
            return self._talk(sock, body, headers, deadline_at)
        except ExchangeError:
            raise
        except TimeoutError:
            raise self._late(deadline_at, "did not answer", self._limits.read_timeout) from None
        except (ConnectionError, http.client.IncompleteRead, ssl.SSLError):
            raise ExchangeError("cut the connection") from None
        except (http.client.HTTPException, ValueError):
            raise ExchangeError("answered something that is no HTTP", retryable=False) from None
        except OSError:
            raise ExchangeError("cannot be reached") from None
        finally:
            sock.close()

    def _talk(self, sock: socket.socket, body: bytes, headers: Mapping[str, str], deadline_at: float) -> HttpAnswer:
        connection = http.client.HTTPConnection(self._endpoint.host, self._endpoint.port)
        timed: Any = _TimedSocket(sock, functools.partial(self._wait, deadline_at))
        connection.sock = timed
        with contextlib.closing(connection):
            fixed = {"Host": self._endpoint.authority, "Connection": "close"}
            connection.request("POST", self._endpoint.target, body, {**headers, **fixed})
            with connection.getresponse() as response:
                content = self._read(response)
                return HttpAnswer(response.status, response.getheader("Retry-After"), content)

    def _read(self, response: http.client.HTTPResponse) -> bytes:
        largest = self._limits.max_response_bytes
        too_large = ExchangeError(f"answered more than {largest} bytes", retryable=False)
        if response.length is not None and response.length > largest:
            raise too_large
        parts = []
        left = largest
        while part := response.read(CHUNK):
            parts.append(part)
            left -= len(part)
            if left < 0:
                raise too_large
        if response.length:
            raise ExchangeError("cut the connection")
        return b"".join(parts)

    def _connect(self, deadline_at: float) -> socket.socket:
        """A connection to the first of the host's addresses that takes one."""
        started = self._timing.clock()
        problem: ExchangeError | None = None
        for family, kind, protocol, _, address in self._addresses():
            seconds = min(self._limits.connect_timeout + started, deadline_at) - self._timing.clock()
            if seconds <= 0.0:
                break
            sock = socket.socket(family, kind, protocol)
            try:
                sock.settimeout(seconds)
                sock.connect(address)
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                return self._secured(sock)
            except ExchangeError:
                sock.close()
                raise
            except TimeoutError:
                problem = None
            except ConnectionRefusedError:
                problem = ExchangeError("refused the connection")
            except OSError:
                problem = ExchangeError("cannot be reached")
            sock.close()
        raise problem or self._late(deadline_at, "could not be connected to", self._limits.connect_timeout)

    def _addresses(self) -> list[Any]:
        try:
            return socket.getaddrinfo(self._endpoint.host, self._endpoint.port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError):
            raise ExchangeError("cannot be found: its host name has no address") from None

    def _secured(self, sock: socket.socket) -> socket.socket:
        if not self._endpoint.secure:
            return sock
        try:
            return self._context.wrap_socket(sock, server_hostname=self._endpoint.host)
        except (ssl.SSLError, ssl.CertificateError):
            raise ExchangeError("failed the TLS handshake", retryable=False) from None

    @functools.cached_property
    def _context(self) -> ssl.SSLContext:
        return ssl.create_default_context()

    def _wait(self, deadline_at: float) -> float:
        """How many seconds the next bytes may take."""
        left = deadline_at - self._timing.clock()
        if left <= 0.0:
            raise TimeoutError
        return min(left, self._limits.read_timeout)

    def _late(self, deadline_at: float, what: str, seconds: float) -> ExchangeError:
        if self._timing.clock() >= deadline_at:
            shown = validation.describe(self._limits.deadline)
            return ExchangeError(f"did not answer before the deadline of {shown} seconds", retryable=False)
        return ExchangeError(f"{what} within {validation.describe(seconds)} seconds")


class _TimedSocket:
    """A connected socket whose every step has as much time as is left; closing is left to its owner."""

    def __init__(self, sock: socket.socket, wait: Any) -> None:
        self._sock = sock
        self._wait = wait

    def sendall(self, data: Any) -> None:
        self._sock.settimeout(self._wait())
        self._sock.sendall(data)

    def makefile(self, _mode: str) -> io.BufferedReader:
        return io.BufferedReader(_TimedReader(self._sock, self._wait))

    def close(self) -> None:
        pass


class _TimedReader(io.RawIOBase):
    def __init__(self, sock: socket.socket, wait: Any) -> None:
        super().__init__()
        self._sock = sock
        self._wait = wait

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._sock.settimeout(self._wait())
        return self._sock.recv_into(buffer)

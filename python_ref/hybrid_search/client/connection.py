"""A connection to a service on which no step waits beyond a deadline."""

import errno
import selectors
import socket
import ssl
from typing import Any

from hybrid_search.client.deadline import Deadline
from hybrid_search.client.endpoint import Endpoint
from hybrid_search.client.exchange_error import ExchangeError
from hybrid_search.client.name_lookup import NameLookup
from hybrid_search.client.tls import Tls

PIECE = 16_384
Selector = getattr(selectors, "PollSelector", selectors.SelectSelector)
UNDER_WAY = (errno.EINPROGRESS, errno.EWOULDBLOCK)
READABLE, WRITABLE = selectors.EVENT_READ, selectors.EVENT_WRITE


class Connection:
    """Sends and receives at the same time, since a service may respond before it has taken the whole request.

    Args:
        deadline: limits every step.
    """

    def __init__(self, deadline: Deadline) -> None:
        self._deadline = deadline
        self._socket: Any = None
        self._outgoing: list[memoryview] = []

    def __repr__(self) -> str:
        return "Connection"

    def open(self, endpoint: Endpoint, tls: Tls | None) -> None:
        """Connect to the first of a host's addresses that accepts a connection.

        Each address gets an equal share of the remaining time, so that a silent one cannot use up all of it.

        Args:
            endpoint: the address of the service.
            tls: secures the connection.

        Raises:
            ExchangeError: the connection failed, took too long, or led to another host than it should.
        """
        addresses = NameLookup.addresses(endpoint.host, endpoint.port, self._deadline)
        by = self._deadline.connected_by()
        self._dial(addresses, by)
        if tls is not None:
            self._socket = tls.secure(self._socket, lambda sock, to_write: self._wait_to_connect(sock, to_write, by))

    def send(self, *parts: bytes) -> None:
        """Queue bytes, which `read` sends while it waits."""
        self._outgoing = [memoryview(part) for part in reversed(parts) if part]

    def read(self, most: int) -> bytes:
        """Return up to `most` received bytes; no bytes at the end of the stream.

        Raises:
            ExchangeError: no bytes came in time, or the connection was cut.
        """
        while True:
            seconds = self._deadline.for_bytes()
            events = self._push()
            try:
                piece: bytes = self._socket.recv(most)
                return piece
            except (BlockingIOError, ssl.SSLWantReadError):
                events |= READABLE
            except ssl.SSLWantWriteError:
                events |= WRITABLE
            except OSError:
                raise ExchangeError("cut the connection") from None
            if not _wait(self._socket, events, seconds):
                raise self._deadline.silent(seconds)

    def close(self) -> None:
        """Close the connection, whether it was open or not."""
        if self._socket is not None:
            self._socket.close()

    def _push(self) -> int:
        """Send a piece of the queued bytes if the stream accepts one; return the events to wait for before the next.

        A service that accepts no more bytes may have responded; `read` finds that out.
        """
        if not self._outgoing:
            return 0
        try:
            sent = self._socket.send(self._outgoing[-1][:PIECE])
            rest = self._outgoing.pop()[sent:]
            self._outgoing += [rest] if rest else []
        except (BlockingIOError, ssl.SSLWantWriteError):
            return WRITABLE
        except ssl.SSLWantReadError:
            return READABLE
        except OSError:
            self._outgoing = []
        return WRITABLE if self._outgoing else 0

    def _dial(self, addresses: list[Any], by: float) -> None:
        problem: ExchangeError | None = None
        for place, (family, kind, protocol, _, address) in enumerate(addresses):
            left = self._deadline.until(by)
            if left <= 0.0:
                break
            problem = self._attempt((family, kind, protocol), address, left / (len(addresses) - place))
            if problem is None:
                return
            self.close()
        raise problem or self._deadline.not_connected()

    def _attempt(self, kind: tuple[int, int, int], address: Any, seconds: float) -> ExchangeError | None:
        """Connect to an address; return the error, or `None` if the connection was made."""
        try:
            self._socket = socket.socket(*kind)
            self._socket.setblocking(False)
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            number = self._socket.connect_ex(address)
            if number in UNDER_WAY:
                if not _wait(self._socket, WRITABLE, seconds):
                    return self._deadline.not_connected()
                number = self._socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
        except OSError:
            return ExchangeError("cannot be reached")
        if number == errno.ECONNREFUSED:
            return ExchangeError("refused the connection")
        if number == errno.ECONNRESET:
            return ExchangeError("cut the connection")
        return ExchangeError("cannot be reached") if number else None

    def _wait_to_connect(self, sock: socket.socket, to_write: bool, by: float) -> None:
        seconds = self._deadline.until(by)
        if seconds <= 0.0 or not _wait(sock, WRITABLE if to_write else READABLE, seconds):
            raise self._deadline.not_connected()


def _wait(sock: socket.socket, events: int, seconds: float) -> bool:
    """Return whether one of the events occurred within `seconds`."""
    with Selector() as selector:
        selector.register(sock, events)
        return bool(selector.select(seconds))

"""One connection to a service, of which no step waits longer than a deadline allows."""

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
    """What is to be sent goes out while answers are read: a service may answer before it has taken the whole request.

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
        """Connect to the first of a host's addresses that takes a connection.

        Each gets an equal share of the time that is left, so that one that keeps silent does not use up all of it.

        Args:
            endpoint: where to.
            tls: what makes the connection secure.

        Raises:
            ExchangeError: there was no connection, or none in time, or not to whom it should be.
        """
        addresses = NameLookup.addresses(endpoint.host, endpoint.port, self._deadline)
        by = self._deadline.connected_by()
        self._dial(addresses, by)
        if tls is not None:
            self._socket = tls.secure(self._socket, lambda sock, to_write: self._wait_to_connect(sock, to_write, by))

    def send(self, *parts: bytes) -> None:
        """Let `read` send these bytes while it waits."""
        self._outgoing = [memoryview(part) for part in reversed(parts) if part]

    def read(self, most: int) -> bytes:
        """The bytes that came, so many at the most; none at the end of the stream.

        Raises:
            ExchangeError: none came in time, or the connection was cut.
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
        """End it, whether it was open or not."""
        if self._socket is not None:
            self._socket.close()

    def _push(self) -> int:
        """Send a piece of what is left to send, if the stream takes one; what to wait for before there is more to send.

        A service that takes no more may have answered: that is for `read` to find out.
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
        """What is wrong with an address; none once there is a connection to it."""
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
    """Whether some of the events came within so many seconds."""
    with Selector() as selector:
        selector.register(sock, events)
        return bool(selector.select(seconds))

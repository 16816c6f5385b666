"""A server on loopback where a test controls every connection."""

import contextlib
import socket
import struct
import threading
from collections.abc import Callable, Iterator

Act = Callable[[socket.socket], None]


@contextlib.contextmanager
def raw_server(*acts: Act) -> Iterator[int]:
    """The port of a server that runs one act per connection, and repeats the last one."""
    with socket.create_server(("127.0.0.1", 0)) as listening, contextlib.ExitStack() as end:
        thread = threading.Thread(target=_serve, args=(listening, acts, end), daemon=True)
        thread.start()
        try:
            yield listening.getsockname()[1]
        finally:
            with contextlib.suppress(OSError):
                listening.shutdown(socket.SHUT_RDWR)
            thread.join(5)


def _serve(listening: socket.socket, acts: tuple[Act, ...], end: contextlib.ExitStack) -> None:
    waiting = list(acts)
    while True:
        try:
            connection, _ = listening.accept()
        except OSError:
            return
        connection.settimeout(10)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        end.enter_context(connection)
        act = waiting.pop(0) if len(waiting) > 1 else waiting[0]
        with contextlib.suppress(OSError):
            act(connection)


def request(connection: socket.socket) -> bytes:
    """Return the whole request."""
    seen = bytearray()
    while b"\r\n\r\n" not in seen:
        seen += _more(connection)
    length = int(seen.split(b"Content-Length: ")[1].split(b"\r\n")[0])
    whole = seen.index(b"\r\n\r\n") + 4 + length
    while len(seen) < whole:
        seen += _more(connection)
    return bytes(seen)


def _more(connection: socket.socket) -> bytes:
    piece = connection.recv(65_536)
    if not piece:
        raise ConnectionError("the client has gone")
    return piece


def answer(status: str, body: bytes = b"", fields: str = "") -> bytes:
    """Return a whole response."""
    return f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n{fields}\r\n".encode() + body


def told(data: bytes) -> Act:
    """Read the request, send this, close."""

    def act(connection: socket.socket) -> None:
        request(connection)
        connection.sendall(data)
        connection.close()

    return act


def unread(data: bytes) -> Act:
    """Send this, close without reading the rest of the request: the client's system receives a reset."""

    def act(connection: socket.socket) -> None:
        connection.recv(100)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # or closing would discard buffered bytes
        connection.sendall(data)
        connection.close()

    return act


def reset(connection: socket.socket) -> None:
    """Cut the connection."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def silent(_connection: socket.socket) -> None:
    """Neither read nor send."""

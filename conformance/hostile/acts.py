"""What the hostile server does with a connection, one function each."""

import itertools
import json
import socket
import struct
import time
from collections.abc import Iterable
from typing import Any

GAP = 0.05
LONGEST = 20.0
PIECE = 65_536
HEAD = b"HTTP/1.1 200 OK\r\n"
EXPECT_LENGTH = b"content-length:"


def request_of(connection: Any, most: int | None = None) -> tuple[bytes, bytes]:
    """Head and body of the request; of the body, at most so many bytes."""
    received = bytearray()
    while (end := received.find(b"\r\n\r\n")) < 0:
        piece = connection.recv(PIECE)
        if not piece:
            return bytes(received), b""
        received += piece
    head, body = bytes(received[:end]), received[end + 4 :]
    lengths = [line for line in head.lower().split(b"\r\n") if line.startswith(EXPECT_LENGTH)]
    wanted = int(lengths[0].split(b":")[1]) if lengths else 0
    wanted = wanted if most is None else min(wanted, most)
    while len(body) < wanted and (piece := connection.recv(PIECE)):
        body += piece
    return head, bytes(body)


def good_body(request: bytes) -> bytes:
    """A valid answer of either service to a request."""
    asked = json.loads(request)
    if "input" in asked:
        return json.dumps(
            {"data": [{"index": i, "embedding": [0.5, 0.25]} for i in range(len(asked["input"]))]}
        ).encode()
    results = [{"index": i, "relevance_score": 0.5} for i in range(len(asked["documents"]))]
    return json.dumps({"results": results}).encode()


def whole(body: bytes, status: bytes = b"200 OK", fields: bytes = b"") -> bytes:
    """An answer with its length."""
    return b"HTTP/1.1 %s\r\n%sContent-Length: %d\r\n\r\n%s" % (status, fields, len(body), body)


def reset(connection: socket.socket) -> None:
    """Close with RST instead of FIN."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def send_all(connection: Any, pieces: Iterable[bytes], gap: float = 0.0) -> None:
    """Send pieces, perhaps slowly, until the other side has had enough."""
    until = time.monotonic() + LONGEST
    for piece in pieces:
        connection.sendall(piece)
        if gap:
            time.sleep(gap)
        if time.monotonic() > until:
            return


def hold(connection: Any) -> None:
    """Keep silent until the other side goes."""
    connection.settimeout(LONGEST)
    while connection.recv(PIECE):
        pass


def linger(connection: Any) -> None:
    """End one's own side, then take what still comes, as RFC 9112 (9.6) asks, lest RST destroy what was said."""
    connection.shutdown(socket.SHUT_WR)
    hold(connection)


ENDS = {"reset": reset, "hold": hold, "linger": linger}


class Act:
    """What to do with a connection.

    Args:
        pieces: what is sent after the request has been read.
        gap: seconds between pieces.
        then: what happens afterwards: `close`, `reset`, `hold` or `linger`.
        reads: how many bytes of the request's body are read before; none of the request at all with -1.
        held_back: whether the kernel holds a small piece back until all before it is acknowledged (Nagle); who then
            closes with some of the request unread throws that piece away, and nobody ever sees it.
    """

    def __init__(
        self,
        pieces: Iterable[bytes] = (),
        gap: float = 0.0,
        then: str = "close",
        reads: int | None = None,
        held_back: bool = False,
    ) -> None:
        self._pieces = pieces
        self._gap = gap
        self._then = then
        self._reads = reads
        self._held_back = held_back

    def __call__(self, connection: Any) -> None:
        """Do it."""
        if self._reads != -1:
            request_of(connection, self._reads)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, not self._held_back)
        send_all(connection, iter(self._pieces), self._gap)
        if self._then in ENDS:
            ENDS[self._then](connection)


class Good:
    """Answers well; chunked if asked to; the first answers as given, if any."""

    def __init__(self, before: bytes = b"", gap: float = 0.0, chunked: bool = False) -> None:
        self._before = before
        self._gap = gap
        self._chunked = chunked

    def __call__(self, connection: Any) -> None:
        """Do it."""
        _, body = request_of(connection)
        answer = good_body(body)
        if self._chunked:
            chunks = b"".join(b"%x;x=y\r\n%s\r\n" % (1, answer[i : i + 1]) for i in range(len(answer)))
            told = HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + chunks + b"0\r\nX-Trailer: 1\r\n\r\n"
        else:
            told = whole(answer)
        pieces = (told[i : i + 64] for i in range(0, len(told), 64)) if self._gap else [told]
        send_all(connection, [self._before, *pieces], self._gap)


class Echo:
    """Shows what it was sent, the keys too: in its words, its reason, its fields, its values."""

    def __init__(self, status: bytes, template: str) -> None:
        self._status = status
        self._template = template

    def __call__(self, connection: Any) -> None:
        """Do it."""
        head, _ = request_of(connection)
        lines = head.decode("latin-1").split("\r\n")
        key = next((line.split()[-1] for line in lines if line.lower().startswith("authorization:")), "")
        secret = lines[0].split()[1].partition("key=")[2]
        told = self._template.replace("KEY", key).replace("QUERY", secret).encode()
        fields = b"X-Key: %s\r\n" % key.encode()
        connection.sendall(whole(told, self._status + b" " + key.encode(), fields))


class SlowReader:
    """Reads the request slowly, then answers well."""

    def __call__(self, connection: Any) -> None:
        """Do it."""
        for _ in range(5):
            connection.recv(1024)
            time.sleep(GAP)
        connection.setblocking(True)
        connection.settimeout(0.2)
        try:
            while connection.recv(PIECE):
                pass
        except TimeoutError:
            pass
        connection.sendall(whole(b'{"results": [{"index": 0, "relevance_score": 0.5}]}'))


class Raw:
    """Nothing but TCP: what is sent at once, before the other side's first word is read."""

    def __init__(self, said: bytes = b"", wait: bool = True, then: str = "close") -> None:
        self._said = said
        self._wait = wait
        self._then = then

    def __call__(self, connection: Any) -> None:
        """Do it."""
        if self._wait:
            connection.recv(PIECE)
        connection.sendall(self._said)
        if self._then in ENDS:
            ENDS[self._then](connection)


class Forever:
    """One piece again and again, after a beginning."""

    def __init__(self, beginning: bytes, piece: bytes) -> None:
        self._beginning = beginning
        self._piece = piece

    def __iter__(self) -> Any:
        """The pieces."""
        return itertools.chain([self._beginning], itertools.repeat(self._piece))


class Repeated:
    """A whole answer whose body is one piece many times, made as it is sent."""

    def __init__(self, beginning: bytes, piece: bytes, count: int, end: bytes) -> None:
        self._beginning = beginning
        self._piece = piece
        self._count = count
        self._end = end

    def __iter__(self) -> Any:
        """The pieces."""
        length = len(self._beginning) + len(self._piece) * self._count + len(self._end)
        at_once = max(1, PIECE // len(self._piece))
        yield HEAD + b"Content-Length: %d\r\n\r\n" % length + self._beginning
        for start in range(0, self._count, at_once):
            yield self._piece * min(at_once, self._count - start)
        yield self._end

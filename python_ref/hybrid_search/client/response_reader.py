"""Reads one HTTP/1.1 response (RFC 9112) strictly and within bounds, from any source of bytes."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from hybrid_search.client.exchange_error import ExchangeError

PIECE = 65_536
AHEAD = 8_192
"""The number of bytes read ahead for a line; no deadline is checked while small chunks are taken from this buffer."""

LARGEST_HEAD = 65_536
MOST_FIELDS = 100
MOST_INTERIM = 20
LARGEST_CHUNK_LINE = 4096
STATUS_LINE = re.compile(rb"HTTP/1\.[01] ([1-5][0-9]{2})(?: .*)?", re.DOTALL)
FIRST_BYTES = b"HTTP/1."
NAME = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
UNPRINTABLE = re.compile(rb"[\0\r]")
LENGTH = re.compile(rb"[0-9]{1,18}")
CHUNK_LINE = re.compile(rb"([0-9A-Fa-f]{1,16})(?:[ \t]*;.*)?", re.DOTALL)
SWITCHING_PROTOCOLS = 101
WITHOUT_BODY = (204, 304)

Fields = dict[bytes, list[bytes]]


@dataclass(frozen=True)
class ClientResponse:
    """The response of a service.

    Attributes:
        status: 200 to 599.
        retry_after: the value of `Retry-After`, `None` without one.
        body: the bytes as sent.
    """

    status: int
    retry_after: str | None
    body: bytearray


class ResponseReader:
    """Reads one response; earlier ones (1xx) are skipped, and bytes after it are not read.

    Args:
        read: returns some bytes, up to the given number; no bytes at the end.
        max_response_bytes: the largest body.
    """

    def __init__(self, read: Callable[[int], bytes], max_response_bytes: int) -> None:
        self._read = read
        self._max_response_bytes = max_response_bytes
        self._buffer = bytearray()

    def answer(self) -> ClientResponse:
        """Return the complete response.

        Raises:
            ExchangeError: the response ends too early, is larger than allowed, compressed, or not valid HTTP.
        """
        status, fields = self._final_head()
        retry_after = b", ".join(fields[b"retry-after"]).decode("latin-1") if b"retry-after" in fields else None
        return ClientResponse(status, retry_after, self._body(status, fields))

    def _final_head(self) -> tuple[int, Fields]:
        for _ in range(MOST_INTERIM + 1):
            status, fields = self._head()
            if status == SWITCHING_PROTOCOLS:
                raise _invalid()
            if status >= 200:
                return status, fields
        raise _invalid()

    def _head(self) -> tuple[int, Fields]:
        line = self._line(LARGEST_HEAD, FIRST_BYTES)
        match = STATUS_LINE.fullmatch(line)
        if match is None:
            raise _invalid()
        return int(match.group(1)), self._fields(LARGEST_HEAD - self._taken)

    def _fields(self, left: int) -> Fields:
        """Return the fields of a head or the trailers, up to the empty line, by their names in lower case."""
        fields: Fields = {}
        for _ in range(MOST_FIELDS + 1):
            line = self._line(left)
            left -= self._taken
            if not line:
                return fields
            name, colon, value = line.partition(b":")
            if not colon or not NAME.fullmatch(name):
                raise _invalid()
            fields.setdefault(name.lower(), []).append(value.strip(b" \t"))
        raise _invalid()

    def _body(self, status: int, fields: Fields) -> bytearray:
        length = self._length(fields.get(b"content-length", []))
        chunked = self._is_chunked(fields.get(b"transfer-encoding", []))
        if chunked and length is not None:
            raise _invalid()
        if status in WITHOUT_BODY:
            return bytearray()
        if status <= 299 and {*map(bytes.lower, fields.get(b"content-encoding", []))} - {b"", b"identity"}:
            raise ExchangeError("returned a compressed body, which was not asked for", retryable=False)
        body = bytearray()
        if chunked:
            self._read_chunks(body)
        elif length is None:
            self._read_to_the_end(body)
        else:
            self._read_exactly(body, length)
        return body

    @staticmethod
    def _length(values: list[bytes]) -> int | None:
        if not values:
            return None
        if len(set(values)) > 1 or not LENGTH.fullmatch(values[0]):
            raise _invalid()
        return int(values[0])

    @staticmethod
    def _is_chunked(values: list[bytes]) -> bool:
        if not values:
            return False
        if len(values) > 1 or values[0].lower() != b"chunked":
            raise _invalid()
        return True

    def _read_chunks(self, body: bytearray) -> None:
        while True:
            match = CHUNK_LINE.fullmatch(self._line(LARGEST_CHUNK_LINE))
            if match is None:
                raise _invalid()
            size = int(match.group(1), 16)
            if size == 0:
                break
            self._read_exactly(body, size)
            if self._line(len(b"\r\n")):
                raise _invalid()
        self._fields(LARGEST_HEAD)

    def _read_exactly(self, body: bytearray, count: int) -> None:
        self._check_size(len(body) + count)
        while count > 0:
            piece = self._some(count)
            if not piece:
                raise _cut()
            body += piece
            count -= len(piece)

    def _read_to_the_end(self, body: bytearray) -> None:
        while piece := self._some(PIECE):
            body += piece
            self._check_size(len(body))

    def _check_size(self, size: int) -> None:
        if size > self._max_response_bytes:
            raise ExchangeError(f"returned more than {self._max_response_bytes} bytes", retryable=False)

    def _some(self, most: int) -> bytes:
        """Return the next bytes, first those read ahead; no bytes at the end."""
        if not self._buffer:
            return self._read(min(most, PIECE))
        piece = bytes(self._buffer[:most])
        del self._buffer[:most]
        return piece

    def _line(self, left: int, beginning: bytes = b"") -> bytes:
        """Return the next line without its end, LF or CRLF; `_taken` is then its number of bytes with the end.

        Args:
            left: the maximum number of bytes of the line with its end.
            beginning: the required beginning, in case the stream ends in this line.
        """
        searched = 0
        while (end := self._buffer.find(b"\n", searched, left)) < 0:
            searched = len(self._buffer)
            if searched >= left:
                raise _invalid()
            piece = self._read(AHEAD)
            if not piece:
                raise _cut() if beginning.startswith(self._buffer[: len(beginning)]) else _invalid()
            self._buffer += piece
        self._taken = end + 1
        line = bytes(self._buffer[:end]).removesuffix(b"\r")
        del self._buffer[: self._taken]
        if UNPRINTABLE.search(line):
            raise _invalid()
        return line


def _cut() -> ExchangeError:
    return ExchangeError("cut the connection")


def _invalid() -> ExchangeError:
    return ExchangeError("returned invalid HTTP", retryable=False)

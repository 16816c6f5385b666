"""The HTTP service of an index, as an ASGI application on Starlette (CUR-6)."""

import asyncio
import contextlib
import importlib
from collections.abc import Awaitable, Callable, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol
from urllib.parse import quote

from hybrid_search.base import validation
from hybrid_search.errors import ConfigurationError
from hybrid_search.index import Index
from hybrid_search.server.http_message import HttpHead, ServerResponse
from hybrid_search.server.http_settings import LIMITS, HttpSettings
from hybrid_search.server.server_exchange import HttpApi, ServerExchange

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

PATIENCE = 2.0
"""The number of seconds in which the rest of an unwanted body is still read."""
OPTIONS = (
    "token",
    "read_only",
    "access_log",
    "log_queries",
    "max_query_bytes",
    "max_body_bytes",
    "allowed_hosts",
    "allow_anonymous_writes",
    "threads",
    "body_timeout",
)


class _Writable(Protocol):
    """Anything to which lines of text can be written, such as files and streams."""

    def write(self, text: str, /) -> object: ...


class HttpService:
    """The HTTP service of an index: an ASGI application, for uvicorn or to be mounted in another application.

    ```python
    service = HttpService(Index.open("library.hsx", ranking_cache=RankingCache()), token="…")
    app = Starlette(routes=[Mount("/search", service)])
    ```

    Responses and messages are those of Ruby's `HttpService`, byte for byte. Searches run in threads.

    Args:
        index: the index to search and change; its `max_results` caps `limit` and `candidates`. Give it a
            `RankingCache`, so that further pages cost no search.
        token: a bearer token, or a list of them, one of which requests must have; `None` accepts every request.
        read_only: whether documents cannot be changed.
        allow_anonymous_writes: whether documents can be changed if no token is set; requests with a token always can.
        allowed_hosts: names of hosts that are served in addition to localhost and IP addresses: `search.example.com`,
            `.example.com` with all its subdomains, `*` for any. `None` allows every host if a token is set or the
            service is mounted below a path, in which case the application decides, and otherwise no other host.
        access_log: an object with `write` that receives a line of JSON for each request; `None` logs nothing.
        log_queries: whether these lines contain the question.
        max_query_bytes: the maximum size in bytes of a search's body or query string, at least 1.
        max_body_bytes: the maximum size in bytes of a body with documents, at least 1.
        threads: the maximum number of requests computed at the same time, at least 1; others wait.
        body_timeout: seconds in which a body must arrive, above 0.

    Raises:
        InvalidInputError: an argument is not acceptable.
        ConfigurationError: Starlette is not installed.
    """

    @validation.known_options(OPTIONS)
    def __init__(
        self,
        index: Index,
        *,
        token: str | list[str] | None = None,
        read_only: bool = False,
        access_log: _Writable | None = None,
        log_queries: bool = False,
        max_query_bytes: int = LIMITS["max_query_bytes"],
        max_body_bytes: int = LIMITS["max_body_bytes"],
        allowed_hosts: list[str] | None = None,
        allow_anonymous_writes: bool = False,
        threads: int = 4,
        body_timeout: float = 30.0,
    ) -> None:
        if not isinstance(index, Index):
            raise validation.fail("index", index, "an Index")
        settings = HttpSettings(
            token,
            read_only,
            access_log,
            log_queries,
            max_query_bytes,
            max_body_bytes,
            allowed_hosts,
            allow_anonymous_writes,
        )
        self._api = HttpApi(index, settings)
        threads = validation.integer("threads", threads, 1)
        self._timeout = validation.number("body_timeout", body_timeout)
        if self._timeout <= 0.0:
            raise validation.fail("body_timeout", body_timeout, "a number above 0")
        self._starlette = _Starlette()
        self._threads = ThreadPoolExecutor(threads, "hybrid_search_http")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request by the ASGI protocol."""
        if scope["type"] != "http":
            await self._starlette.routing.Router()(scope, receive, send)
            return
        exchange = self._api.exchange(_head(scope))
        body = _Body(receive)
        try:
            in_time = await body.read(exchange.body_limit, self._timeout)
            await body.skip(self._api.settings.limits["max_body_bytes"])
        except _ClientGoneError:
            exchange.abandon()
            return
        except asyncio.CancelledError:
            exchange.abandon()
            raise
        try:
            answer = await self._answer(exchange, body.data) if in_time else exchange.refuse("request_timeout")
        except asyncio.CancelledError:
            with contextlib.suppress(Exception):
                await self._send(exchange.refuse("shutting_down"), body, scope, receive, send)
            raise
        await self._send(answer, body, scope, receive, send)

    async def _answer(self, exchange: ServerExchange, body: bytes) -> ServerResponse:
        return await asyncio.get_running_loop().run_in_executor(self._threads, exchange.answer, body)

    async def _send(self, answer: ServerResponse, body: "_Body", scope: Scope, receive: Receive, send: Send) -> None:
        response = self._starlette.responses.Response(answer.body, answer.status)
        headers = {**answer.headers, **({} if body.is_read else {"connection": "close"})}
        response.raw_headers = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()]
        await response(scope, receive, send)


class _ClientGoneError(Exception):
    """The client no longer waits for the response."""


class _Body:
    """The body of a request: the part that has been read.

    Args:
        receive: the callable of ASGI.
    """

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self.data = b""
        self.is_read = False

    async def read(self, most: int | None, seconds: float) -> bool:
        """Read the body, little more than `most` bytes of it; return whether it came in time.

        Args:
            most: the limit; `None` reads nothing, since no body is expected.
            seconds: the time limit.

        Raises:
            _ClientGoneError: the client has disconnected.
        """
        if most is None:
            return True
        body = bytearray()
        try:
            async with asyncio.timeout(seconds):
                while not self.is_read and len(body) <= most:
                    body += await self._chunk()
        except TimeoutError:
            return False
        self.data = bytes(body)
        return True

    async def skip(self, most: int) -> None:
        """Read and discard more bytes for a while, since a client that is still sending would miss the response."""
        size = 0
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE):
                while not self.is_read and size <= most:
                    size += len(await self._chunk())

    async def _chunk(self) -> bytes:
        message = await self._receive()
        if message["type"] == "http.disconnect":
            raise _ClientGoneError
        self.is_read = not message.get("more_body", False)
        return bytes(message.get("body", b""))


def _head(scope: Scope) -> HttpHead:
    root = str(scope.get("root_path", "")).rstrip("/")
    client = scope.get("client")
    headers: dict[str, str] = {}
    for raw, value in scope["headers"]:
        name, text = raw.decode("latin-1").lower(), value.decode("latin-1")
        headers[name] = f"{headers[name]}, {text}" if name in headers else text
    query = bytes(scope.get("query_string", b"")).decode("latin-1")
    return HttpHead(scope["method"], _path(scope, root), headers, root, client[0] if client else "", query)


def _path(scope: Scope, root: str) -> str:
    """Return the percent-encoded path below the mount point."""
    decoded = str(scope["path"])
    raw = scope.get("raw_path")
    path = quote(decoded, safe="/") if raw is None else raw.partition(b"?")[0].decode("latin-1")
    prefix = quote(root, safe="/")
    if root and (decoded == root or decoded.startswith(f"{root}/")):
        path = path[len(prefix) :] if path.startswith(prefix) else quote(decoded[len(root) :], safe="/")
    return path or "/"


class _Starlette:
    """The parts of Starlette that are used."""

    def __init__(self) -> None:
        try:
            self.responses = importlib.import_module("starlette.responses")
            self.routing = importlib.import_module("starlette.routing")
        except ImportError:
            raise ConfigurationError(
                "HttpService needs the packages starlette and uvicorn: pip install 'hybrid-search[http]'"
            ) from None

"""A way to a server that can be made slow, or be stopped, as a network may be."""

import asyncio
import threading
from contextlib import suppress
from typing import Self

from conformance.engines.ports import HOST

CHUNK = 65_536


class Proxy:
    """Passes on what goes to a port and what comes from it, until it is told otherwise.

    Args:
        port: of the server.

    Attributes:
        delay: how many seconds each piece of data waits.
    """

    def __init__(self, port: int) -> None:
        self.delay = 0.0
        self._server_port = port
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._stalled = False
        self._open: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    def __enter__(self) -> Self:
        self._thread.start()
        self._server = asyncio.run_coroutine_threadsafe(
            asyncio.start_server(self._accept, HOST, 0), self._loop
        ).result()
        self.port: int = self._server.sockets[0].getsockname()[1]
        return self

    def __exit__(self, *error: object) -> None:
        asyncio.run_coroutine_threadsafe(self._end(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def stall(self) -> None:
        """Pass nothing on any more, and say nothing about it."""
        self._stalled = True

    def heal(self) -> None:
        """Work again for new connections; those of before are broken, and what they had not passed on is gone."""

        def broken() -> None:
            for writer in self._open:
                writer.transport.abort()
            self._stalled = False

        self._loop.call_soon_threadsafe(broken)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open.add(writer)
        try:
            there, back = await asyncio.open_connection(HOST, self._server_port)
        except OSError:
            writer.close()
            self._open.discard(writer)
            return
        self._open.add(back)
        for source, target in ((reader, back), (there, writer)):
            task = asyncio.ensure_future(self._pass(source, target))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _pass(self, source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await source.read(CHUNK):
                if self._stalled:
                    return  # what was on the way is lost, and the connection stays as it is
                if self.delay:
                    await asyncio.sleep(self.delay)
                target.write(data)
                await target.drain()
        if not self._stalled:
            target.close()
            self._open.discard(target)

    async def _end(self) -> None:
        self._server.close()
        for writer in list(self._open):
            writer.transport.abort()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

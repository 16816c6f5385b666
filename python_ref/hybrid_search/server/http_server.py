"""Serves an ASGI application under uvicorn until a signal stops it (CUR-6)."""

import asyncio
import importlib
import logging
import os
import signal
import socket
import threading
from collections.abc import Callable
from typing import Any

from hybrid_search.base import validation
from hybrid_search.errors import ConfigurationError

DRAIN_SECONDS = 10
"""The maximum number of seconds from a signal to the end of the process."""
INTERRUPT_SECONDS = 9
"""The number of seconds from a signal until requests that are still running get status 503."""
LAST_CONNECTIONS = 0.1
"""The seconds after a signal in which connections are still accepted, since they may have been queued before it."""
LAST_ARRIVALS = 0.2
"""The number of seconds in which requests on newly accepted connections are still read."""
CUT_OFF = 1
"""The exit status if requests were still being computed at the end."""
LARGEST_HEAD = 65_536
BACKLOG = 1024
SIGNALS = (signal.SIGINT, signal.SIGTERM)


class HttpServer:
    """A process that listens on one address.

    Args:
        service: the application.
        host: a name or an address.
        port: the port, 0 to 65535; 0 takes any free port.

    Raises:
        InvalidInputError: an argument is not acceptable.
        ConfigurationError: uvicorn is not installed.
    """

    def __init__(self, service: Any, host: str, port: int) -> None:
        self._service = service
        self._host = validation.text("host", host)
        self._port = validation.integer("port", port, 0, 65_535)
        try:
            self._uvicorn = importlib.import_module("uvicorn")
        except ImportError:
            raise ConfigurationError("serving needs the package uvicorn: pip install 'hybrid-search[http]'") from None

    def run(self, ready: Callable[[str], object]) -> None:
        """Listen and serve; after SIGINT or SIGTERM, answer the running requests and return.

        Args:
            ready: called with the address once connections are accepted.

        Raises:
            ConfigurationError: the address is not available.
        """
        with self.listening() as listener:
            self.serve(listener, lambda: ready(self.address(listener)))

    def serve(self, listener: socket.socket, ready: Callable[[], object]) -> None:
        """Serve the connections of a listener until SIGINT or SIGTERM, answer the running requests and return.

        Args:
            listener: a socket that listens, which other processes may serve too.
            ready: called once connections are accepted.
        """
        config = self._uvicorn.Config(
            self._service,
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            http="h11",  # its other parser, which uvicorn prefers where it is installed, has no limit for a head
            timeout_graceful_shutdown=INTERRUPT_SECONDS,
            h11_max_incomplete_event_size=LARGEST_HEAD,
        )
        logging.getLogger("uvicorn").addHandler(logging.NullHandler())  # otherwise it logs to standard error
        server = _draining(self._uvicorn)(config)
        if threading.current_thread() is threading.main_thread():
            for one in SIGNALS:
                signal.signal(one, server.handle_exit)  # uvicorn sets its own later, and raises the signal again
        ready()
        server.run(sockets=[listener])

    def address(self, listener: socket.socket) -> str:
        """Return the address of a listener."""
        host = f"[{self._host}]" if ":" in self._host else self._host
        return f"http://{host}:{listener.getsockname()[1]}"

    def listening(self) -> socket.socket:
        """Return a socket that listens.

        Raises:
            ConfigurationError: the address is not available.
        """
        place = f"{self._host}:{self._port}"
        try:
            found = socket.getaddrinfo(self._host, self._port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        except (socket.gaierror, UnicodeError):
            raise ConfigurationError(f"cannot listen at {place}: the host is not known") from None
        family, kind, protocol, _, address = found[0]
        listener = socket.socket(family, kind, protocol)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
            listener.listen(BACKLOG)
        except OSError as error:
            listener.close()
            shown = os.strerror(error.errno) if error.errno else str(error)
            raise ConfigurationError(f"cannot listen at {place}: {shown}") from None
        return listener


def _draining(uvicorn: Any) -> Any:
    """Return the class of a server that stops in time and answers requests that have arrived."""

    class DrainingServer(uvicorn.Server):  # type: ignore[misc]
        """Ends the process at its time limit, even if threads are still computing."""

        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            """Accept queued connections, read requests that were sent, and then shut down as uvicorn does."""
            limit = threading.Timer(DRAIN_SECONDS, os._exit, (CUT_OFF,))
            limit.daemon = True
            limit.start()
            await asyncio.sleep(LAST_CONNECTIONS)  # after an early signal, uvicorn has not run the loop yet
            for one in self.servers:
                one.close()
            await asyncio.sleep(LAST_ARRIVALS)
            await super().shutdown(sockets)

    return DrainingServer

"""The hostile server: a port for each behaviour, on the loopback address."""

import contextlib
import selectors
import socket
import ssl
import threading
import warnings
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from conformance.hostile.acts import LONGEST
from conformance.hostile.behaviours import BEHAVIOURS, Behaviour

HOST = "127.0.0.1"
MOST_WAITING = 64
QUEUE = 128


class HostileServer:
    """Serves all behaviours while it is entered.

    Args:
        certificates: a folder with what `certificates.rb` makes.
    """

    def __init__(self, certificates: Path) -> None:
        self._certificates = certificates
        self._end = contextlib.ExitStack()
        self._selector = selectors.DefaultSelector()
        self._ports: dict[str, int] = {}
        self._contexts: dict[str, ssl.SSLContext] = {}
        self._ended = threading.Event()

    def __enter__(self) -> Self:
        for behaviour in BEHAVIOURS:
            if behaviour.secure:
                self._contexts[behaviour.name] = self._context(behaviour)
            self._ports[behaviour.name] = self._listen(behaviour)
        thread = threading.Thread(target=self._accept, daemon=True)
        thread.start()
        self._end.callback(thread.join, LONGEST)
        self._end.callback(self._ended.set)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end.close()

    def url(self, behaviour: Behaviour) -> str:
        """The address of a behaviour, without a path."""
        return f"{'https' if behaviour.https else 'http'}://{HOST}:{self._ports[behaviour.name]}"

    def _listen(self, behaviour: Behaviour) -> int:
        listening = self._end.enter_context(socket.socket())
        listening.bind((HOST, 0))
        port: int = listening.getsockname()[1]
        if behaviour.queue == "closed":
            return port  # bound, so that nobody else takes it, but not listening
        listening.listen(0 if behaviour.queue else QUEUE)
        if behaviour.queue == "full":
            self._fill(port)
        else:
            self._selector.register(listening, selectors.EVENT_READ, behaviour)
        return port

    def _fill(self, port: int) -> None:
        """Connect until the queue takes no more."""
        for _ in range(MOST_WAITING):
            waiting = self._end.enter_context(socket.socket())
            waiting.settimeout(0.2)
            try:
                waiting.connect((HOST, port))
            except TimeoutError:
                return

    def _accept(self) -> None:
        while not self._ended.is_set():
            for key, _ in self._selector.select(0.1):
                listening: Any = key.fileobj
                connection, _address = listening.accept()
                threading.Thread(target=self._serve, args=(connection, key.data), daemon=True).start()

    def _serve(self, connection: socket.socket, behaviour: Behaviour) -> None:
        connection.settimeout(LONGEST)
        with contextlib.suppress(OSError, ValueError, IndexError), connection:
            stream: Any = connection
            if behaviour.secure:
                stream = self._contexts[behaviour.name].wrap_socket(connection, server_side=True)
            with stream:
                if behaviour.act is not None:
                    behaviour.act(stream)

    def _context(self, behaviour: Behaviour) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self._certificates / f"{behaviour.secure}.pem")
        if behaviour.old:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)
                context.minimum_version = ssl.TLSVersion.TLSv1
                context.maximum_version = ssl.TLSVersion.TLSv1_1
            context.set_ciphers("ALL:@SECLEVEL=0")
        return context

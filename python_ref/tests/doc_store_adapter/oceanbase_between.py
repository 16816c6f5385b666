"""A proxy to OceanBase that can be silent or cut connections, and stores of either language that use it."""

import json
import socket
import subprocess
import threading
from contextlib import suppress
from pathlib import Path

from hybrid_search.doc_store_adapter.oceanbase.oceanbase_doc_store import OceanBaseDocStore
from hybrid_search.errors import HybridSearchError

PLAYER = Path(__file__).with_name("oceanbase_steps.rb")


class Between:
    """Forwards bytes to a server, until a test stops it.

    Args:
        host: of the server.
        port: of the server; without one, there is never a response.

    Attributes:
        port: where it listens.
        is_silent: whether it has stopped forwarding.
        loses_commits: whether the response to a commit is lost, with the connection.
    """

    def __init__(self, host=None, port=None):
        self._server = None if host is None else (host, port)
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]
        self.is_silent = self.loses_commits = False
        self._open = []
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self):
        """Cut all connections."""
        for one in [self._listening, *self._open]:
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()

    def _accept(self):
        with suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                self._open.append(client)
                if self._server is not None:
                    server = socket.create_connection(self._server)
                    self._open.append(server)
                    for pair in ((client, server, True), (server, client, False)):
                        threading.Thread(target=self._pass, args=pair, daemon=True).start()

    def _pass(self, source, target, asks):
        with suppress(OSError):
            while data := source.recv(65_536):
                if self.is_silent:
                    continue
                target.sendall(data)
                if asks and self.loses_commits and data.endswith(b"commit"):
                    source.shutdown(socket.SHUT_RDWR)
            target.shutdown(socket.SHUT_RDWR)


class InPython:
    """A store in this process, whose outcomes are plain data."""

    def open(self, url, **options):
        """Make the store."""
        return self._told(lambda: setattr(self, "_store", OceanBaseDocStore(url, **options)))

    def call(self, method, *arguments):
        """Call a method of it."""
        return self._told(lambda: getattr(self._store, method)(*arguments))

    def close(self):
        """Forget the store."""

    @staticmethod
    def _told(do):
        try:
            return {"gives": do()}
        except HybridSearchError as error:
            return {"error": [type(error).__name__, str(error)]}


class InRuby:
    """A store in a process of Ruby."""

    def __init__(self):
        self._process = subprocess.Popen(
            ["ruby", str(PLAYER)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def open(self, url, **options):
        """Make the store."""
        return self._asked({"open": [url, options]})

    def call(self, method, *arguments):
        """Call a method of it."""
        return self._asked({"call": [method, *arguments]})

    def close(self):
        """End the process."""
        self._process.stdin.close()
        self._process.wait(30)
        self._process.stdout.close()

    def _asked(self, what):
        self._process.stdin.write(json.dumps(what) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())

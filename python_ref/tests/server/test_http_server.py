"""The settings of uvicorn: the header of a request has a limit, whichever parsers are installed (CUR-6)."""

import threading

import pytest

from hybrid_search.server.http_server import LARGEST_HEAD, HttpServer

uvicorn = pytest.importorskip("uvicorn", reason="uvicorn is not installed: bin/setup installs the extra 'http'")


class Stopped(uvicorn.Server):
    """A server that stops before it starts to serve."""

    configured = None

    def run(self, sockets=None):
        Stopped.configured = self.config


def test_headers_are_read_by_the_parser_that_limits_their_size(monkeypatch):
    monkeypatch.setattr(uvicorn, "Server", Stopped)
    server = HttpServer(None, "127.0.0.1", 0)
    thread = threading.Thread(target=server.run, args=(lambda _address: None,))  # no signals in a test
    thread.start()
    thread.join()
    config = Stopped.configured
    assert (config.http, config.h11_max_incomplete_event_size) == ("h11", LARGEST_HEAD)

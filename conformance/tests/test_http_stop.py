"""SIGTERM at any moment ends both servers in time, and every request that was sent before it is answered (CUR-6)."""

import json
import random
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from conformance.http import servers
from conformance.http.servers import LANGUAGES
from conformance.paths import ROOT

pytestmark = pytest.mark.programs

PROGRAMS = {
    "python": [sys.executable, "-m", "hybrid_search.cli"],
    "ruby": ["ruby", "-W", "-I", str(ROOT / "ruby/lib"), str(ROOT / "ruby/exe/hybrid-search")],
}
DRAIN_SECONDS = 10.0
TOLERANCE = 20.0
"""The number of additional seconds on a busy machine."""
CLIENTS = 8
FEW, MANY = 3, 30
BODY = json.dumps({"question": "red wine 红酒", "limit": 20}).encode("utf-8")
REQUEST = (
    b"POST /v1/search HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
    b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%b" % (len(BODY), BODY)
)
SEED = 20261123
EARLY = {
    "python": """
import os, signal, socket
from urllib.parse import urlsplit
from hybrid_search import HttpService, Index
from hybrid_search.server.http_server import HttpServer

index = Index()
index.add([{"id": "1", "content": "red wine"}])
asking = []

def ready(address):
    for _ in range(CLIENTS):
        asking.append(socket.create_connection(("127.0.0.1", urlsplit(address).port), 30.0))
        asking[-1].sendall(REQUEST)
    os.kill(os.getpid(), signal.SIGTERM)

HttpServer(HttpService(index), "127.0.0.1", 0).run(ready)
for one in asking:
    print(one.recv(65_536).partition(b"\\r\\n")[0].decode())
""",
    "ruby": """
require "hybrid_search"
require "conformance/implementations/ruby/internals"

index = HybridSearch::Index.new
index.add([{ id: "1", content: "red wine" }])
asking = []
HybridSearch::Server::HttpServer.new(HybridSearch::HttpService.new(index), "127.0.0.1", 0).run do |address|
  CLIENTS.times do
    asking << TCPSocket.new("127.0.0.1", URI(address).port)
    asking.last.write(REQUEST)
  end
  Process.kill("TERM", Process.pid)
end
asking.each { |one| puts one.readpartial(65_536).lines.first.chomp }
""",
}


@dataclass
class Crowd:
    """The results of clients: when each request was sent, and the first line of its response or the error."""

    seen: list[tuple[float, str]] = field(default_factory=list)
    over: bool = False

    def ask(self, place: tuple[str, int]) -> None:
        """Send requests, each on its own connection, until the test ends or the server stops listening."""
        while not self.over:
            sent = time.monotonic()
            try:
                with socket.create_connection(place, 60.0) as connection:
                    connection.sendall(REQUEST)
                    sent = time.monotonic()
                    parts = b""
                    while part := connection.recv(65_536):
                        parts += part
                self.seen.append((sent, parts.partition(b"\r\n")[0].decode("latin-1")))
            except OSError as error:
                self.seen.append((sent, type(error).__name__))


@contextmanager
def served(language: str, path: Path) -> Iterator[tuple["subprocess.Popen[str]", tuple[str, int]]]:
    """`hybrid-search serve` of a language; begins when it has printed its address."""
    command = [*PROGRAMS[language], "serve", "--index", str(path), "--port", "0", "--no-access-log"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        told = process.stderr.readline()
        parts = urlsplit(told[told.index("http://") :].strip())
        yield process, (parts.hostname or "", parts.port or 0)
    finally:
        process.kill()
        process.communicate()


@pytest.fixture(scope="module")
def index_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("stop") / "index.hsx"
    words = ("red wine", "red car", "红酒 和 汽车", "green door")
    lines = [json.dumps({"id": str(one), "content": f"{words[one % 4]} {one}"}) for one in range(400)]
    command = [*PROGRAMS["python"], "index", "--index", str(path), "--dimension", "16"]
    subprocess.run(command, input="\n".join(lines).encode(), check=True, capture_output=True)
    return path


def stopped(process: "subprocess.Popen[str]") -> float:
    """Send SIGTERM; return the seconds until the process ended with 0 and nothing on standard error."""
    begun = time.monotonic()
    process.send_signal(signal.SIGTERM)
    _, errors = process.communicate(timeout=DRAIN_SECONDS + TOLERANCE + 5.0)
    assert (process.returncode, errors) == (0, "")
    return time.monotonic() - begun


def stop_idle(language: str, path: Path, times: int) -> None:
    chance = random.Random(SEED)
    for _ in range(times):
        with served(language, path) as (process, _):
            time.sleep(chance.choice((0.0, 0.0, 0.01 * chance.random(), 0.2 * chance.random())))
            assert stopped(process) < DRAIN_SECONDS + TOLERANCE


def stop_loaded(language: str, path: Path, times: int) -> None:
    chance = random.Random(SEED)
    for _ in range(times):
        with served(language, path) as (process, place):
            crowd = Crowd()
            clients = [threading.Thread(target=crowd.ask, args=(place,)) for _ in range(CLIENTS)]
            for client in clients:
                client.start()
            time.sleep(0.05 + 0.5 * chance.random())
            at = time.monotonic()
            seconds = stopped(process)
            crowd.over = True
            for client in clients:
                client.join(60.0)
            assert seconds < DRAIN_SECONDS + TOLERANCE
            before = {line for sent, line in crowd.seen if sent < at}
            assert before == {"HTTP/1.1 200 OK"}
            after = {line for sent, line in crowd.seen if sent >= at}
            assert after <= {"HTTP/1.1 200 OK", "ConnectionRefusedError", "ConnectionResetError", ""}


def stop(language: str, path: Path, loaded: bool, times: int) -> None:
    if servers.missing(language):
        pytest.skip(servers.missing(language))
    (stop_loaded if loaded else stop_idle)(language, path, times)


@pytest.mark.parametrize("loaded", [False, True], ids=["idle", "loaded"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_signal_ends_the_server_in_time(language: str, loaded: bool, index_file: Path) -> None:
    stop(language, index_file, loaded, FEW)


@pytest.mark.nightly
@pytest.mark.parametrize("loaded", [False, True], ids=["idle", "loaded"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_signal_at_many_moments_ends_the_server_in_time(language: str, loaded: bool, index_file: Path) -> None:
    stop(language, index_file, loaded, MANY)


@pytest.mark.parametrize("language", LANGUAGES)
def test_requests_that_arrive_before_a_signal_are_answered_even_during_startup(language: str) -> None:
    if servers.missing(language):
        pytest.skip(servers.missing(language))
    request = REQUEST.decode("utf-8")
    if language == "python":
        given = f"CLIENTS, REQUEST = {CLIENTS}, {REQUEST!r}\n{EARLY[language]}"
        command = [sys.executable, "-c", given]
    else:
        given = f"CLIENTS = {CLIENTS}\nREQUEST = {json.dumps(request)}\n{EARLY[language]}"
        command = ["ruby", "-I", str(ROOT / "ruby/lib"), "-I", str(ROOT), "-r", "socket", "-r", "uri", "-e", given]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert (done.stderr, done.stdout.splitlines()) == ("", ["HTTP/1.1 200 OK"] * CLIENTS)

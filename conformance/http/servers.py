"""Starts the services of both languages, asks them over real sockets, and ends them."""

import http.client
import importlib.util
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from conformance.paths import ROOT

PATIENCE = 60.0
LANGUAGES = ("python", "ruby")


@dataclass(frozen=True)
class Reply:
    """What a server has answered."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def data(self) -> Any:
        """The JSON of its body."""
        return json.loads(self.body)


class Server:
    """A started service.

    Args:
        process: its process.
        address: where it takes connections, as `http://127.0.0.1:8000`.
        told: what it has printed before.
    """

    def __init__(self, process: "subprocess.Popen[str]", address: str, told: Sequence[str] = ()) -> None:
        self.process = process
        self.address = address
        self.told = told
        parts = urlsplit(address)
        self.place = (parts.hostname or "", parts.port or 0)

    def ask(self, method: str, path: str, body: bytes | None = None, headers: Mapping[str, str] | None = None) -> Reply:
        """The answer to one request; a body is sent with its length."""
        connection = http.client.HTTPConnection(*self.place, timeout=PATIENCE)
        try:
            connection.request(method, path, body, dict(headers or {}))
            response = connection.getresponse()
            names = {name.lower(): value for name, value in response.getheaders()}
            return Reply(response.status, names, response.read())
        finally:
            connection.close()

    def post(self, path: str, value: Any, **headers: str) -> Reply:
        """The answer to a value that is posted as JSON."""
        body = json.dumps(value, ensure_ascii=False).encode("utf-8")
        return self.ask("POST", path, body, {"Content-Type": "application/json", **headers})

    def stop(self) -> int:
        """Tell it to stop, and wait; returns its exit status."""
        self.process.terminate()
        try:
            return self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()


def missing(language: str) -> str | None:
    """What is missing to serve in a language, none if nothing is."""
    if language == "python":
        absent = [name for name in ("starlette", "uvicorn") if importlib.util.find_spec(name) is None]
        return f"{' and '.join(absent)} is not installed: bin/setup installs the extra 'http'" if absent else None
    found = subprocess.run(["ruby", "-e", 'require "puma"'], capture_output=True, check=False).returncode == 0
    return None if found else "puma is not installed: bin/setup installs it on Debian"


def command(language: str) -> list[str]:
    """What starts the service of a language."""
    here = ROOT / "conformance" / "http"
    if language == "python":
        return [sys.executable, str(here / "serve.py")]
    return ["ruby", "-W", "-I", str(ROOT / "ruby" / "lib"), str(here / "serve.rb")]


@contextmanager
def serving(language: str, *told: Mapping[str, Any]) -> Iterator[Server]:
    """A server that is started, and ended with the block.

    Args:
        language: one of `LANGUAGES`.
        told: of each service, see serve.py.
    """
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python_ref")}
    process = subprocess.Popen(
        [*command(language), json.dumps(told)], env=environment, cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        before: list[str] = []
        while not (line := process.stdout.readline().strip()).startswith("http://"):
            if not line:
                raise RuntimeError(f"the service of {language} did not start; status {process.wait(PATIENCE)}")
            before.append(line)
        yield Server(process, line, before)
    finally:
        if process.poll() is None:
            process.terminate()
        begun = time.monotonic()
        while process.poll() is None and time.monotonic() - begun < PATIENCE:
            time.sleep(0.02)
        if process.poll() is None:
            process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()

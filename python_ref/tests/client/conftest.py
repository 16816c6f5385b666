"""The model server of the conformance suite, in its own process."""

import contextlib
import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

REPOSITORY = Path(__file__).resolve().parents[3]


class ModelServer:
    """Controls a running server and reads its log; see `conformance/tests/model_server.py`."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.url = f"http://127.0.0.1:{port}"

    def tell(self, name: str, steps: list[dict[str, Any]]) -> str:
        body = json.dumps(steps).encode()
        with urllib.request.urlopen(f"{self.url}/control/{name}", body, timeout=10):
            return f"{self.url}/{name}"

    def log(self, name: str) -> list[dict[str, Any]]:
        return self._seen(name)["requests"]

    def most(self, name: str) -> int:
        return self._seen(name)["most"]

    def _seen(self, name: str) -> dict[str, Any]:
        with urllib.request.urlopen(f"{self.url}/log/{name}", timeout=10) as answer:
            return json.load(answer)


@pytest.fixture(scope="session")
def model_server() -> Iterator[ModelServer]:
    process = subprocess.Popen(
        [sys.executable, "-m", "conformance.tests.model_server"],
        cwd=REPOSITORY,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process, contextlib.ExitStack() as end:
        end.callback(process.wait, 10)
        end.callback(process.stdin.close)
        yield ModelServer(json.loads(process.stdout.readline())["port"])

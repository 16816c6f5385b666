"""The application of docs/examples/ruby/rails in its own folder, started as users start it."""

import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "docs/examples/ruby/rails"
NEEDED = 'require "active_record/railtie"; require "kaminari"; require "rack/handler/puma"; require "sqlite3"'
PATIENCE = 60.0


def missing() -> str | None:
    """Why the application cannot be tried here."""
    if shutil.which("ruby") is None or shutil.which("puma") is None:
        return "ruby or puma is not installed"
    done = subprocess.run(["ruby", "-W0", "-e", f'require "logger"; require "rails"; {NEEDED}'], capture_output=True)
    return None if done.returncode == 0 else "Rails, kaminari or sqlite3 is missing: bin/setup installs them on Debian"


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


class Application:
    """A copy of the application.

    Args:
        folder: the target; it must not exist.
        environment: variables of its processes.
    """

    def __init__(self, folder: Path, **environment: str) -> None:
        shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns("log", "storage", "tmp", "*.sqlite3*"))
        self.folder = folder
        self.port = free_port()
        self.environment = {
            **os.environ,
            "RAILS_ENV": "production",
            "RUBYLIB": str(ROOT / "ruby/lib"),
            "RUBYOPT": "-W0",
            "DISABLE_DATABASE_ENVIRONMENT_CHECK": "1",
            "PORT": str(self.port),
            **environment,
        }

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self, *command: str, **environment: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            command,
            cwd=self.folder,
            env={**self.environment, **environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def run(self, *command: str, **environment: str) -> str:
        """Return the output of a command; a status other than 0 is an error."""
        process = self.start(*command, **environment)
        output, _ = process.communicate(timeout=900)
        assert process.returncode == 0, output
        return output

    def rails(self, *arguments: str, **environment: str) -> str:
        return self.run("ruby", "bin/rails", *arguments, **environment)

    @contextmanager
    def serving(self) -> Iterator[None]:
        """Run puma with two workers until the block ends."""
        with (self.folder / "puma.log").open("w") as log:
            process = subprocess.Popen(
                ["puma", "-C", "config/puma.rb"],
                cwd=self.folder,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
            try:
                eventually(lambda: self.is_up() or process.poll() is not None)
                assert process.poll() is None, (self.folder / "puma.log").read_text()
                yield
                process.terminate()
                process.wait(30)
            finally:
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)
                    process.wait()

    def is_up(self) -> bool:
        try:
            return Client(self, "garden").ask("GET", "/session/new")[0] == 200
        except OSError:
            return False


class Client:
    """A client of the application for an account."""

    def __init__(self, application: Application, token: str) -> None:
        self.application = application
        self.headers = {"Authorization": f"Token {token}", "Content-Type": "application/json", "Accept": "*/*"}

    def ask(self, method: str, path: str, **content: object) -> tuple[int, Any]:
        """Return the status and the JSON of the response."""
        connection = http.client.HTTPConnection("127.0.0.1", self.application.port, timeout=PATIENCE)
        try:
            connection.request(method, path, json.dumps(content) if content else None, self.headers)
            answer = connection.getresponse()
            data = answer.read()
            is_json = "json" in (answer.getheader("Content-Type") or "")
            return answer.status, json.loads(data) if is_json and data else data
        finally:
            connection.close()

    def search(self, **parameters: object) -> dict[str, Any]:
        status, found = self.ask("GET", f"/articles.json?{urlencode(parameters)}")
        assert status == 200, found
        return dict(found)


def eventually(check: Callable[[], object], seconds: float = PATIENCE) -> None:
    """Wait until a check holds."""
    end = time.monotonic() + seconds
    while not check():
        assert time.monotonic() < end, f"not within {seconds} seconds"
        time.sleep(0.05)

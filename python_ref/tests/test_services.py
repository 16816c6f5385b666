"""The examples of servers: started as users start them, called over real sockets."""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import quote

import pytest

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 60.0
MOST_LINES = 60
RUBY_NEEDS = 'require "action_controller/railtie"; require "rack/handler/puma"'
RECORDS = [
    {"id": "1", "title": "Reloading.md", "content": "Tables reload without a restart."},
    {"id": "2", "title": "加载.md", "content": "配置表在运行时重新加载，不需要重启。"},
    {"id": "3", "title": "Printing.md", "content": "The printer R1-750 prints both sides."},
]


def command(language):
    if language == "python":
        pytest.importorskip("starlette", reason="starlette is not installed: bin/setup installs the extra 'examples'")
        pytest.importorskip("uvicorn", reason="uvicorn is not installed: bin/setup installs the extra 'examples'")
        return [sys.executable, "-W", "error::SyntaxWarning", str(ROOT / "docs/examples/python/rag_service.py")]
    if subprocess.run(["ruby", "-e", RUBY_NEEDS], capture_output=True, check=False).returncode:
        pytest.skip("Rails or puma is not installed: bin/setup installs both on Debian")
    return ["ruby", "-I", str(ROOT / "ruby/lib"), str(ROOT / "docs/examples/ruby/rag_service.rb")]


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Service:
    """A started example."""

    def __init__(self, language, log):
        self.port = free_port()
        self.log = log
        environment = {**os.environ, "PORT": str(self.port)}
        with log.open("wb") as target:
            self.process = subprocess.Popen(command(language), env=environment, stdout=target, stderr=target)

    def wait(self):
        """Wait until it accepts connections."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and self.process.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1.0).close()
                return
            except OSError:
                time.sleep(0.05)
        pytest.fail(f"the service did not start:\n{self.log.read_text(encoding='utf-8')}")

    def ask(self, path, body=None):
        """Return status and response; a body makes it a POST."""
        data = None if body is None else (body if isinstance(body, bytes) else json.dumps(body).encode())
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}", data=data, headers={"Content-Type": "application/json"}
        )
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=PATIENCE) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as problem:
            with problem:
                return problem.code, json.load(problem)


@pytest.fixture(scope="module", params=["python", "ruby"])
def service(request, tmp_path_factory):
    started = Service(request.param, tmp_path_factory.mktemp("service") / "log")
    try:
        started.wait()
        assert started.ask("/documents", RECORDS) == (201, {"added": 3})
        yield started
    finally:
        started.process.terminate()
        try:
            started.process.wait(10)
        except subprocess.TimeoutExpired:
            started.process.kill()
            started.process.wait()


def passages(service, question, limit=3):
    return service.ask(f"/passages?question={quote(question)}&limit={limit}")


def test_passages_are_found_with_their_sources(service):
    status, answer = passages(service, "how do tables reload")
    assert status == 200
    assert answer["context"].startswith("[1] Tables reload without a restart.")
    assert answer["sources"][0] == {"id": "1", "document": "Reloading.md"}
    status, answer = passages(service, "重新加载配置表", limit=1)
    assert (status, answer["sources"]) == (200, [{"id": "2", "document": "加载.md"}])
    assert passages(service, "") == (200, {"context": "", "sources": [], "total": 0})


def test_errors_of_wrong_calls_state_what_to_fix(service):
    assert passages(service, "x", limit=0) == (400, {"error": "limit must be an integer of at least 1, not 0"})
    assert passages(service, "x", limit="many")[0] == 400
    status, answer = service.ask("/documents", [{"id": "1", "content": "again"}])
    assert (status, answer["error"][:32]) == (400, 'records[0].id "1" is already sto')
    assert service.ask("/documents", b"[")[0] == 400


def test_concurrent_questions_get_the_same_answer(service):
    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(lambda _: passages(service, "printer R1-750"), range(64)))
    assert [answer for answer in answers if answer != answers[0]] == []
    assert answers[0][1]["sources"][0]["id"] == "3"


def test_rails_receives_events_and_log_lines(service):
    if "rag_service.rb" not in " ".join(service.process.args):
        pytest.skip("only Ruby has a railtie")
    passages(service, "printer R1-750")
    assert "search: 3 found in " in service.log.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["python/rag_service.py", "ruby/rag_service.rb"])
def test_services_are_short(name):
    assert len((ROOT / "docs/examples" / name).read_text(encoding="utf-8").splitlines()) <= MOST_LINES

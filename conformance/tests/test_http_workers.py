"""`serve --workers N`: processes over one file, in both languages, by real processes and signals (CUR-6)."""

import contextlib
import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from conformance.http.servers import LANGUAGES, PATIENCE, Server
from conformance.tests.test_http_stop import DRAIN_SECONDS, PROGRAMS, TOLERANCE

pytestmark = pytest.mark.programs


def children(process: int) -> list[int]:
    """The ids of the workers of a process."""
    found = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return [int(one) for one in found if b"resource_tracker" not in command_line(one)]


def command_line(process: str) -> bytes:
    """The command line of a process; one that has ended meanwhile counts as a tracker."""
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return b"resource_tracker"


@contextmanager
def served(language: str, path: Path, *flags: str) -> Iterator[Server]:
    """`hybrid-search serve` with two workers."""
    command = [*PROGRAMS[language], "serve", "--index", str(path), "--port", "0", "--allow-anonymous-writes", *flags]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        told = process.stderr.readline()
        yield Server(process, told[told.index("http://") :].strip())
    finally:
        workers = children(process.pid) if process.poll() is None else []
        process.kill()
        for one in workers:
            with contextlib.suppress(ProcessLookupError):
                os.kill(one, signal.SIGKILL)
        process.communicate()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "index.hsx"
    lines = [json.dumps({"id": str(one), "content": f"red wine {one}"}) for one in range(20)]
    command = [*PROGRAMS["ruby"], "index", "--index", str(file), "--embed", "none"]
    subprocess.run(command, input="\n".join(lines).encode(), check=True, capture_output=True)
    return file


def state(task: Path) -> str:
    """The state of a process or of one of its threads: T where it is stopped, Z where only its status is left."""
    return (task / "stat").read_text().rpartition(")")[2].split()[0]


def pause(process: int) -> None:
    """Stop all threads of a process; a running one could accept the next connection."""
    os.kill(process, signal.SIGSTOP)
    wait_for(lambda: all(state(task) == "T" for task in Path(f"/proc/{process}/task").iterdir()))


def wait_for(condition: Any) -> None:
    limit = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < limit
        time.sleep(0.05)


def answering(server: Server, worker: int, others: list[int]) -> list[str]:
    """The ids that one worker finds, since the others are stopped meanwhile."""
    for one in others:
        pause(one)
    try:
        page = server.ask("GET", "/v1/search?q=green+door&limit=5").data
        return [hit["id"] for hit in page["hits"]]
    finally:
        for one in others:
            os.kill(one, signal.SIGCONT)


@pytest.mark.parametrize("language", LANGUAGES)
def test_all_workers_find_what_one_writes_and_a_lost_worker_is_replaced(language: str, path: Path) -> None:
    with served(language, path, "--workers", "2") as server:
        parent = server.process.pid
        first = children(parent)
        assert len(first) == 2
        assert [answering(server, one, [other for other in first if other != one]) for one in first] == [[], []]
        pause(first[1])
        assert server.post("/v1/documents", {"documents": [{"id": "new", "content": "green door"}]}).status == 200
        os.kill(first[1], signal.SIGCONT)
        assert answering(server, first[1], [first[0]]) == ["new"]
        assert answering(server, first[0], [first[1]]) == ["new"]

        os.kill(first[0], signal.SIGKILL)
        seen = first
        while first[0] in seen or len(seen) != 2:  # one reading, so that it contains the new one
            time.sleep(0.05)
            seen = children(parent)
        (fresh,) = set(seen) - set(first)
        assert answering(server, fresh, [first[1]]) == ["new"]
        assert server.ask("DELETE", "/v1/documents/new").status == 200
        assert answering(server, first[1], [fresh]) == []

        workers = children(parent)
        begun = time.monotonic()
        server.process.send_signal(signal.SIGTERM)
        output, errors = server.process.communicate(timeout=DRAIN_SECONDS + TOLERANCE + 5.0)
        assert time.monotonic() - begun < DRAIN_SECONDS + TOLERANCE
        assert server.process.returncode == 0
        assert errors == (
            f"hybrid-search serve: worker process {first[0]} ended (signal 9); another one takes its place\n"
        )
        assert [json.loads(line)["status"] for line in output.splitlines()] == [200] * 8
        for one in workers:
            with pytest.raises(ProcessLookupError):
                os.kill(one, 0)


@pytest.mark.parametrize("language", LANGUAGES)
def test_workers_exit_with_their_parent(language: str, path: Path) -> None:
    with served(language, path, "--workers", "2") as server:
        workers = children(server.process.pid)
        assert len(workers) == 2
        server.process.kill()
        server.process.wait()

        def gone(one: int) -> bool:
            try:
                os.kill(one, 0)
            except ProcessLookupError:
                return True
            return state(Path(f"/proc/{one}")) == "Z"

        wait_for(lambda: all(gone(one) for one in workers))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("flags", "status", "message"),
    [
        (("--workers", "0"), 2, "--workers must be an integer from 1 to 256, not 0"),
        (("--workers", "2", "--token-file", "/nowhere"), 1, 'the token file "/nowhere" cannot be read'),
    ],
    ids=["count", "tokens"],
)
def test_mistakes_are_reported_before_a_process_starts(
    language: str, path: Path, flags: tuple[str, ...], status: int, message: str
) -> None:
    command = [*PROGRAMS[language], "serve", "--index", str(path), "--port", "0", *flags]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert ended.returncode == status
    assert message in ended.stderr
    assert len(ended.stderr.splitlines()) == 1


@pytest.mark.parametrize("language", LANGUAGES)
def test_interrupting_the_process_group_ends_all_processes_silently(language: str, path: Path) -> None:
    command = [*PROGRAMS[language], "serve", "--index", str(path), "--port", "0", "--workers", "2"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, process_group=0)
    try:
        assert process.stderr is not None
        assert "http://" in process.stderr.readline()
        os.killpg(process.pid, signal.SIGINT)
        output, errors = process.communicate(timeout=DRAIN_SECONDS + TOLERANCE + 5.0)
        assert (process.returncode, output, errors) == (0, "", "")
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)

"""`hybrid-search` and its files: walks over two languages, kills, unwritable and unreadable files (CUR-5)."""

import ctypes
import json
import random
import resource
import shutil
import signal
import sqlite3
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from conformance.command_lines import session
from conformance.tests.programs import PROGRAMS, SECONDS, answer, each_program, index, records, run
from python_ref.tests.rounds import seeds

pytestmark = pytest.mark.programs

__all__ = ["index"]


Asked = Callable[..., Any]


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asked]:
    """Runs either program without a new process each time: status, output and errors."""
    folder = tmp_path_factory.mktemp("asked")
    with session.Runner(session.RUBY, folder) as ruby:

        def ask(program: str, *arguments: str, environment: Mapping[str, str] | None = None) -> Any:
            asked = session.Asked(arguments, b"", environment or {})
            told = session.ask_here(folder, asked) if program == session.PYTHON else ruby.ask(asked)
            return told["status"], told["stdout"], told["stderr"]

        yield ask


def test_pages_continue_in_the_other_language(asked: Asked, index: Path) -> None:
    arguments = ["search", "assignment rule 3", "--index", str(index), "--min-score", "0"]
    whole = json.loads(asked("python", *arguments, "--limit", "1024")[1])["hits"]
    for limit in (1, 7, 100):
        walked: list[Any] = []
        cursor: list[str] = []
        for _ in range(6):
            pages = [asked(each, *arguments, "--limit", str(limit), *cursor) for each in ("python", "ruby")]
            assert pages[0] == pages[1]
            page = json.loads(pages[0][1])
            walked += page["hits"]
            if page["next_cursor"] is None:
                break
            cursor = ["--cursor", page["next_cursor"]]
        assert walked == whole[: len(walked)]
    assert len(walked) == len(whole) == 300


@each_program
def test_a_signed_cursor_is_valid_only_with_its_secret(program: str, asked: Asked, index: Path) -> None:
    secret = {"HYBRID_SEARCH_CURSOR_SECRET": "of mine"}
    arguments = ["search", "rule", "--index", str(index), "--limit", "1"]
    cursor = json.loads(asked("python", *arguments, environment=secret)[1])["next_cursor"]
    following = json.loads(asked(program, *arguments, "--cursor", cursor, environment=secret)[1])
    assert following["page"] == 2
    assert asked(program, *arguments, "--cursor", cursor)[0] == 2


@each_program
@pytest.mark.parametrize("seed", seeds(2, 20))
def test_a_killed_index_command_loses_no_acknowledged_document(program: str, seed: int, tmp_path: Path) -> None:
    """What a line of `--progress lines` counts is stored; a second run goes on, and the other language reads it."""
    other = {"python": "ruby", "ruby": "python"}[program]
    given = tmp_path / "given.jsonl"
    given.write_bytes(records(400))
    path = tmp_path / "index.hsx"
    acknowledged, finished = _killed(program, path, given, random.Random(seed).uniform(0.0, 1.0))
    if not path.exists():
        assert acknowledged == 0
        return
    seen = run(other, "stats", "--index", str(path))
    assert seen.returncode == 0, seen.stderr
    documents = json.loads(seen.stdout)["documents"]
    assert documents >= acknowledged
    assert documents % 8 == 0 or finished
    again = answer(other, "index", "--index", str(path), "--dimension", "8", str(given))
    assert (again["added"], again["unchanged"], again["documents"]) == (400 - documents, documents, 400)


def _killed(program: str, path: Path, given: Path, share: float) -> tuple[int, bool]:
    """Kill an `index` after that share of its batches, or within the next; return what it had acknowledged."""
    command = [*PROGRAMS[program], "index", "--index", str(path), "--dimension", "8", "--batch-size", "8",
               "--progress", "lines", str(given)]  # fmt: skip
    acknowledged = 0
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        for _ in range(int(share * 50)):
            acknowledged = json.loads(process.stderr.readline())["read"]
        time.sleep(share / 100)
        process.kill()
        for line in process.stderr.read().splitlines(keepends=True):
            acknowledged = json.loads(line)["read"] if line.endswith(b"\n") else acknowledged
        process.wait(SECONDS)
    return acknowledged, acknowledged == 400


@each_program
def test_a_file_of_a_later_version_and_a_damaged_one_are_reported(
    program: str, asked: Asked, index: Path, tmp_path: Path
) -> None:
    later, damaged = tmp_path / "later.hsx", tmp_path / "damaged.hsx"
    shutil.copy(index, later)
    connection = sqlite3.connect(later)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    content = bytearray(index.read_bytes())
    content[4096:] = b"\x5a" * (len(content) - 4096)
    damaged.write_bytes(content)
    for path, words in ((later, "has the schema version 99"), (damaged, "is damaged")):
        before = path.read_bytes()
        for command in (["search", "rule"], ["stats"], ["export"], ["index"], ["delete", "1"]):
            status, stdout, stderr = asked(program, *command, "--index", str(path))
            assert (status, stdout, stderr.count("\n")) == (1, "", 1)
            assert words in stderr
        assert path.read_bytes() == before


@each_program
def test_a_read_only_file_is_reported(program: str, index: Path, tmp_path: Path) -> None:
    path = tmp_path / "kept.hsx"
    shutil.copy(index, path)
    path.chmod(0o444)
    done = run(program, "index", "--index", str(path), input=records(1, 900), preexec_fn=_give_up_overriding)
    assert done.returncode == 1
    assert done.stderr.startswith(b"hybrid-search index: the index file ")
    assert done.stderr.count(b"\n") == 1
    assert answer(program, "stats", "--index", str(path))["documents"] == 300


def _give_up_overriding() -> None:
    """Drop the capabilities 1 and 2, which let root ignore file permissions; other users do not have them."""
    libc = ctypes.CDLL(None)
    for capability in (1, 2):
        libc.prctl(24, capability, 0, 0, 0)


@contextmanager
def _small_disk(folder: Path, size: int) -> Iterator[tuple[list[str], dict[str, Any]]]:
    """A folder with little space: the command that runs a program in it, and further options of its process.

    It is a tmpfs in its own mount namespace, or a limit on the size of files if nothing can be mounted.
    """
    script = f'mount -t tmpfs -o size={size} none "$0" && echo mounted && exec cat'
    command = ["unshare", "-m", "sh", "-c", script, str(folder)]
    try:
        holder = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    except FileNotFoundError:
        holder = None
    if holder is None or holder.stdout is None or holder.stdout.readline() != b"mounted\n":
        why = "there is no unshare" if holder is None else str(holder.communicate()[1], "utf-8").strip()
        print(f"nothing can be mounted here ({why}): a limit on the size of files stands in for a full disk")

        def limited() -> None:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

        yield [], {"preexec_fn": limited}
        return
    try:
        yield ["nsenter", "--mount", "--target", str(holder.pid)], {}
    finally:
        holder.communicate()


@each_program
def test_a_full_disk_loses_nothing(program: str, index: Path, tmp_path: Path) -> None:
    folder = tmp_path / "disk"
    folder.mkdir()
    path = folder / "small.hsx"
    other = {"python": "ruby", "ruby": "python"}[program]
    with _small_disk(folder, index.stat().st_size + 150_000) as (where, limits):

        def there(who: str, *arguments: str, **more: Any) -> subprocess.CompletedProcess[bytes]:
            return subprocess.run([*where, *PROGRAMS[who], *arguments], capture_output=True, timeout=SECONDS, **more)

        subprocess.run([*where, "cp", str(index), str(path)], check=True)
        done = there(program, "index", "--index", str(path), input=records(3000, 300), **limits)
        assert done.returncode == 1
        assert done.stderr.startswith(b"hybrid-search index: the index file ")
        assert b"disk" in done.stderr
        assert done.stderr.count(b"\n") == 1
        for who in (program, other):
            left = json.loads(there(who, "stats", "--index", str(path)).stdout)["documents"]
            assert left >= 300
            again = json.loads(there(who, "index", "--index", str(path), input=records(300)).stdout)
            assert again["unchanged"] == 300


@each_program
def test_many_processes_read_while_one_writes(program: str, index: Path, tmp_path: Path) -> None:
    """A search reads one state of the file while the other program's `index` runs."""
    path = tmp_path / "busy.hsx"
    shutil.copy(index, path)
    other = {"python": "ruby", "ruby": "python"}[program]
    writer = threading.Thread(
        target=run,
        args=(other, "index", "--index", str(path), "--batch-size", "16"),
        kwargs={"input": records(300, 300)},
    )
    writer.start()
    counts = []
    while writer.is_alive():
        done = run(program, "stats", "--index", str(path))
        assert done.returncode == 0, done.stderr
        counts.append(json.loads(done.stdout)["documents"])
    writer.join()
    assert counts == sorted(counts)
    assert answer(program, "stats", "--index", str(path))["documents"] == 600

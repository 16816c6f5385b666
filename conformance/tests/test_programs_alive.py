"""`hybrid-search` as processes: pipes, signals, files that cannot be written, walks over two languages (CUR-5)."""

import ctypes
import json
import os
import pty
import random
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from conformance.command_lines import session
from conformance.paths import ROOT

SECONDS = 120
PROGRAMS = {
    "python": [sys.executable, "-m", "hybrid_search.cli"],
    "ruby": ["ruby", "-I", str(ROOT / "ruby/lib"), str(ROOT / "ruby/exe/hybrid-search")],
}
KILLS = int(os.environ.get("HYBRID_SEARCH_KILLS", "4"))
"""At so many moments an `index` is killed; 20 for a thorough look."""

Asked = Callable[..., Any]
each_program = pytest.mark.parametrize("program", PROGRAMS)


def run(program: str, *arguments: str, **more: Any) -> subprocess.CompletedProcess[bytes]:
    options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more}
    if "input" in options:
        del options["stdin"]
    return subprocess.run([*PROGRAMS[program], *arguments], timeout=SECONDS, **options)


def answer(program: str, *arguments: str, **more: Any) -> Any:
    done = run(program, *arguments, **more)
    assert (done.returncode, done.stderr) == (0, b"")
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asked]:
    """Asks either program, without a process for each time: status, output and errors."""
    folder = tmp_path_factory.mktemp("asked")
    with session.RubyRunner(folder) as ruby:
        runners = {session.PYTHON: session.run_python, session.RUBY: ruby.run}

        def ask(program: str, *arguments: str, environment: Mapping[str, str] | None = None) -> Any:
            told = runners[program](folder, arguments, b"", environment or {})
            return told["status"], told["stdout"], told["stderr"]

        yield ask


def records(count: int, first: int = 0) -> bytes:
    lines = (
        {"id": f"{number:05d}", "content": f"assignment rule {number % 7} of chapter {number % 13}, 规则 {number}"}
        for number in range(first, first + count)
    )
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines).encode()


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of 300 documents, made by the reference."""
    path = tmp_path_factory.mktemp("index") / "rules.hsx"
    counts = answer("python", "index", "--index", str(path), "--dimension", "16", input=records(300))
    assert counts["added"] == 300
    return path


@each_program
def test_a_reader_that_wants_no_more_ends_it_quietly(program: str, index: Path) -> None:
    command = [*PROGRAMS[program], "query", "--match-all", "--index", str(index), "--stream", "jsonl", "--limit", "300"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        first = process.stdout.readline()
        process.stdout.close()
        told = process.stderr.read()
        status = process.wait(SECONDS)
    assert json.loads(first)["type"] == "meta"
    assert (told, status) == (b"", 0)


@each_program
def test_each_line_is_handed_on_at_once(program: str, index: Path) -> None:
    """A reader has the first result before the last one is written: the pipe holds less than there is."""
    command = [*PROGRAMS[program], "query", "--match-all", "--index", str(index), "--stream", "jsonl", "--limit", "300"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        kinds = [json.loads(process.stdout.readline())["type"] for _ in range(2)]
        assert process.poll() is None
        rest = process.stdout.read()
    assert kinds == ["meta", "result"]
    assert json.loads(rest.splitlines()[-1])["type"] == "done"


@each_program
def test_a_full_disk_behind_the_output_is_told(program: str, index: Path) -> None:
    with open("/dev/full", "wb") as full:
        done = run(program, "export", "--index", str(index), stdout=full)
    assert done.stderr == b"hybrid-search export: cannot write the output: No space left on device\n"
    assert done.returncode == 1


def test_pages_go_on_in_the_other_language(asked: Asked, index: Path) -> None:
    arguments = ["query", "assignment rule 3", "--index", str(index), "--similarity-threshold", "0"]
    whole = json.loads(asked("python", *arguments, "--limit", "1024")[1])["results"]
    for limit in (1, 7, 100):
        walked: list[Any] = []
        cursor: list[str] = []
        for _ in range(6):
            pages = [asked(each, *arguments, "--limit", str(limit), *cursor) for each in ("python", "ruby")]
            assert pages[0] == pages[1]
            page = json.loads(pages[0][1])
            walked += page["results"]
            if page["next_cursor"] is None:
                break
            cursor = ["--cursor", page["next_cursor"]]
        assert walked == whole[: len(walked)]
    assert len(walked) == len(whole) == 300


@each_program
def test_a_signed_cursor_is_of_its_secret(program: str, asked: Asked, index: Path) -> None:
    secret = {"HYBRID_SEARCH_CURSOR_SECRET": "of mine"}
    arguments = ["query", "rule", "--index", str(index), "--limit", "1"]
    cursor = json.loads(asked("python", *arguments, environment=secret)[1])["next_cursor"]
    following = json.loads(asked(program, *arguments, "--cursor", cursor, environment=secret)[1])
    assert following["paging"]["position"] == 1
    assert asked(program, *arguments, "--cursor", cursor)[0] == 2


@each_program
def test_an_interrupt_ends_with_130_and_keeps_whole_batches(program: str, tmp_path: Path) -> None:
    path = tmp_path / "i.hsx"
    command = [*PROGRAMS[program], "index", "--index", str(path), "--dimension", "8", "--batch-size", "10",
               "--progress", "lines", "--on-error", "skip", "--rejects", str(tmp_path / "rejects"), "-"]  # fmt: skip
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        process.stdin.write(records(25))
        process.stdin.flush()
        assert json.loads(process.stderr.readline())["read"] == 10
        assert json.loads(process.stderr.readline())["read"] == 20
        process.send_signal(signal.SIGINT)
        told = process.stderr.read()
        assert process.wait(SECONDS) == 130
    assert told == b"hybrid-search index: interrupted; records stored: 20; run it again to go on\n"
    assert answer(program, "stats", "--index", str(path))["documents"] == 20
    assert not [name for name in os.listdir(tmp_path) if "rejects" in name]
    again = answer(program, "index", "--index", str(path), input=records(25))
    assert (again["added"], again["unchanged"]) == (5, 20)


@each_program
def test_a_killed_index_loses_no_document_that_was_acknowledged(program: str, tmp_path: Path) -> None:
    """What a line of `--progress lines` counts is stored; a rerun goes on, and the other language reads the file."""
    chance = random.Random(14)
    other = {"python": "ruby", "ruby": "python"}[program]
    given = tmp_path / "given.jsonl"
    given.write_bytes(records(400))
    for moment in range(KILLS):
        path = tmp_path / f"{moment}.hsx"
        acknowledged, finished = _killed(program, path, given, chance.uniform(0.0, 1.0))
        if not path.exists():
            assert acknowledged == 0
            continue
        seen = run(other, "stats", "--index", str(path))
        assert seen.returncode == 0, seen.stderr
        documents = json.loads(seen.stdout)["documents"]
        assert documents >= acknowledged
        assert documents % 8 == 0 or finished
        again = answer(other, "index", "--index", str(path), "--dimension", "8", str(given))
        assert (again["added"], again["unchanged"], again["documents"]) == (400 - documents, documents, 400)


def _killed(program: str, path: Path, given: Path, share: float) -> tuple[int, bool]:
    """Kill an `index` after that share of its batches, or somewhere within the next; what it had acknowledged."""
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
def test_a_file_of_a_later_version_and_a_damaged_one_are_told(
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
        for command in (["query", "rule"], ["stats"], ["export"], ["index"], ["delete", "1"]):
            status, stdout, stderr = asked(program, *command, "--index", str(path))
            assert (status, stdout, stderr.count("\n")) == (1, "", 1)
            assert words in stderr
        assert path.read_bytes() == before


@each_program
def test_a_file_that_can_only_be_read_is_told(program: str, index: Path, tmp_path: Path) -> None:
    path = tmp_path / "kept.hsx"
    shutil.copy(index, path)
    path.chmod(0o444)
    done = run(program, "index", "--index", str(path), input=records(1, 900), preexec_fn=_give_up_overriding)
    assert done.returncode == 1
    assert done.stderr.startswith(b"hybrid-search index: the index file ")
    assert done.stderr.count(b"\n") == 1
    assert answer(program, "stats", "--index", str(path))["documents"] == 300


def _give_up_overriding() -> None:
    """Drop what lets root pass over the rights of files: the capabilities 1 and 2; nothing to others."""
    libc = ctypes.CDLL(None)
    for capability in (1, 2):
        libc.prctl(24, capability, 0, 0, 0)


@each_program
def test_a_folder_that_is_full_loses_nothing(program: str, index: Path, tmp_path: Path) -> None:
    """A limit on the size of files stands in for a full disk, which needs a mount."""
    path = tmp_path / "small.hsx"
    shutil.copy(index, path)

    def limited() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + 50_000,) * 2)

    done = run(program, "index", "--index", str(path), input=records(3000, 300), preexec_fn=limited)
    assert done.returncode == 1
    assert done.stderr.startswith(b"hybrid-search index: the index file ")
    assert done.stderr.count(b"\n") == 1
    left = answer(program, "stats", "--index", str(path))["documents"]
    assert left >= 300
    assert answer(program, "index", "--index", str(path), input=records(300))["unchanged"] == 300


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """10,000 documents of one word and 1,000 dots each."""
    path = tmp_path_factory.mktemp("large") / "large.hsx"
    content = "word" + "." * 1000
    made = "".join(json.dumps({"id": f"{number:05d}", "content": content}) + "\n" for number in range(10_000))
    answer("python", "index", "--index", str(path), "--embed", "none", "--batch-size", "5000", input=made.encode())
    return path


@each_program
def test_results_stream_in_constant_memory(program: str, large: Path) -> None:
    few, many = (_peak(program, large, limit) for limit in (1000, 10_000))
    assert many - few < 4_000


def _peak(program: str, path: Path, limit: int) -> int:
    """The most memory of a walk, in kilobytes; the contents of 10,000 results alone are 10,000."""
    arguments = ["query", "--match-all", "--index", str(path), "--stream", "jsonl"]
    caps = ["--limit", str(limit), "--max-results", str(limit)]
    process = subprocess.Popen([*PROGRAMS[program], *arguments, *caps], stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return used.ru_maxrss


@each_program
def test_people_see_a_bar_and_a_table(program: str, tmp_path: Path) -> None:
    path, given = tmp_path / "t.hsx", tmp_path / "given.jsonl"
    given.write_bytes(records(60))
    shown = _on_terminal([*PROGRAMS[program], "index", "--index", str(path), "--batch-size", "20", str(given)])
    assert "100 %  60 records" in shown
    assert "00:00 left" in shown
    assert "added      60" in shown
    table = _on_terminal([*PROGRAMS[program], "query", "rule 3", "--index", str(path), "--limit", "2"])
    lines = table.replace("\r", "").split("\n")
    assert lines[0].split() == ["#", "score", "term", "vector", "id", "document", "text"]
    assert lines[3].startswith("2 results; more with --cursor eyJ")
    assert all(len(line) <= 80 for line in lines[:3])


def _on_terminal(command: list[str]) -> str:
    """What a command prints to a terminal of 80 columns."""
    leader, follower = pty.openpty()
    environment = {**os.environ, "COLUMNS": "80", "TERM": "xterm"}
    with subprocess.Popen(command, stdin=follower, stdout=follower, stderr=follower, env=environment) as process:
        os.close(follower)
        shown = b"".join(_pieces(leader))
        process.wait(SECONDS)
    os.close(leader)
    return shown.decode("utf-8")


def _pieces(leader: int) -> Iterator[bytes]:
    while True:
        try:
            piece = os.read(leader, 65536)
        except OSError:  # the other end is closed
            return
        if not piece:
            return
        yield piece


def completed(program: str, words: list[str], folder: Path) -> list[str]:
    """What bash offers for the last of these words."""
    script = (
        'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _hybrid_search; '
        'printf "%s\\n" "${COMPREPLY[@]}"'
    )
    path = folder / "completion.bash"
    path.write_bytes(run(program, "completion", "bash").stdout)
    told = subprocess.run(
        ["bash", "-c", script, "bash", str(path), "hybrid-search", *words],
        capture_output=True, text=True, check=True, cwd=folder, timeout=SECONDS,
    )  # fmt: skip
    return told.stdout.split()


@each_program
def test_bash_completes_commands_flags_and_values(program: str, tmp_path: Path) -> None:
    (tmp_path / "given.jsonl").touch()
    assert completed(program, ["ex"], tmp_path) == ["export"]
    assert completed(program, ["query", "--li"], tmp_path) == ["--limit"]
    assert completed(program, ["query", "x", "--format", ""], tmp_path) == ["table", "json"]
    assert completed(program, ["index", "--embed", "o"], tmp_path) == ["openai"]
    assert completed(program, ["index", "gi"], tmp_path) == ["given.jsonl"]
    assert completed(program, ["query", "--index", "gi"], tmp_path) == ["given.jsonl"]
    assert completed(program, ["completion", "z"], tmp_path) == ["zsh"]
    assert completed(program, ["query", "--limit", ""], tmp_path) == []


def test_completion_scripts_are_sound(tmp_path: Path) -> None:
    script = tmp_path / "completion.bash"
    script.write_bytes(run("ruby", "completion", "bash").stdout)
    checked = subprocess.run(
        [str(Path(sys.executable).with_name("shellcheck")), "--shell=bash", str(script)], capture_output=True, text=True
    )
    assert checked.stdout == ""
    if shutil.which("zsh"):
        zsh = tmp_path / "_hybrid-search"
        zsh.write_bytes(run("ruby", "completion", "zsh").stdout)
        assert subprocess.run(["zsh", "-n", str(zsh)]).returncode == 0


@each_program
def test_help_loads_next_to_nothing(program: str) -> None:
    """No numpy, no dictionary, no store: what is said without an index costs no more than an interpreter's start."""
    if program == "python":
        probe = "import sys; from hybrid_search.cli._main import main; main(['query', '--help']); print(*sys.modules)"
        told = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True).stdout
        assert {"numpy", "sqlite3", "jieba", "rich"} & set(told.splitlines()[-1].split()) == set()
    else:
        probe = (
            "require 'hybrid_search'; HybridSearch.const_get(:Commanding)::Main.main(%w[query --help]); "
            "puts $LOADED_FEATURES.join(' ')"
        )
        told = subprocess.run(
            ["ruby", "-I", str(ROOT / "ruby/lib"), "-e", probe], capture_output=True, text=True, check=True
        ).stdout
        loaded = told.splitlines()[-1]
        assert not [name for name in ("sqlite3", "text/dictionary", "hybrid_search/index.rb") if name in loaded]


@each_program
def test_a_crowd_reads_while_one_writes(program: str, index: Path, tmp_path: Path) -> None:
    """A query answers from one state of the file while the other program's `index` goes on."""
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

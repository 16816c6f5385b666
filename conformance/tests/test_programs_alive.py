"""`hybrid-search` as processes: pipes, signals, terminals, completion (CUR-5)."""

import json
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conformance.paths import ROOT
from conformance.tests.programs import PROGRAMS, SECONDS, answer, each_program, index, records, run

pytestmark = pytest.mark.programs
STYLES = re.compile("\x1b\\[[0-9;?]*[A-Za-z]")

STREAM = ("search", "--match-all", "--stream", "jsonl", "--limit", "300")

__all__ = ["index"]


@each_program
def test_a_closed_pipe_ends_the_program_quietly(program: str, index: Path) -> None:
    command = [*PROGRAMS[program], *STREAM, "--index", str(index)]
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
def test_each_line_is_written_at_once(program: str, index: Path) -> None:
    """A reader gets the first hit before the last one is written: the output is larger than the pipe."""
    command = [*PROGRAMS[program], *STREAM, "--index", str(index)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        kinds = [json.loads(process.stdout.readline())["type"] for _ in range(2)]
        assert process.poll() is None
        rest = process.stdout.read()
    assert kinds == ["meta", "hit"]
    assert json.loads(rest.splitlines()[-1])["type"] == "done"


@each_program
def test_output_to_a_full_disk_is_reported(program: str, index: Path) -> None:
    with open("/dev/full", "wb") as full:
        done = run(program, "export", "--index", str(index), stdout=full)
    assert done.stderr == b"hybrid-search export: cannot write the output: No space left on device\n"
    assert done.returncode == 1


@each_program
def test_an_interrupt_exits_with_130_and_stores_whole_batches(program: str, tmp_path: Path) -> None:
    path = tmp_path / "i.hsx"
    command = [*PROGRAMS[program], "index", "--index", str(path), "--dimension", "8", "--batch-size", "10",
               "--progress", "lines", "--on-error", "skip", "--rejects", str(tmp_path / "rejects"), "-"]  # fmt: skip
    pipes: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with subprocess.Popen(command, **pipes, preexec_fn=_take_interrupts) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        process.stdin.write(records(25))
        process.stdin.flush()
        assert json.loads(process.stderr.readline())["read"] == 10
        assert json.loads(process.stderr.readline())["read"] == 20
        process.send_signal(signal.SIGINT)
        told = process.stderr.read()
        assert process.wait(SECONDS) == 130
    assert told == b"hybrid-search index: interrupted; records stored: 20; run it again to continue\n"
    assert answer(program, "stats", "--index", str(path))["documents"] == 20
    assert not [name for name in os.listdir(tmp_path) if "rejects" in name]
    again = answer(program, "index", "--index", str(path), input=records(25))
    assert (again["added"], again["unchanged"]) == (5, 20)


def _take_interrupts() -> None:
    """Reset the signal, because a process that a shell starts in the background ignores interrupts."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """10,000 documents of one word and 300 dots each."""
    path = tmp_path_factory.mktemp("large") / "large.hsx"
    content = "word" + "." * 300
    made = "".join(json.dumps({"id": f"{number:05d}", "content": content}) + "\n" for number in range(10_000))
    answer("python", "index", "--index", str(path), "--embed", "none", "--batch-size", "5000", input=made.encode())
    return path


@pytest.mark.nightly
@each_program
def test_results_stream_in_constant_memory(program: str, large: Path) -> None:
    few, many = (_peak(program, large, limit) for limit in (1000, 10_000))
    assert many - few < 12_000  # of which SQLite keeps pages


def _peak(program: str, path: Path, limit: int) -> int:
    """The maximum memory of a walk, in kilobytes; all results at once need 30,000 and more."""
    arguments = ["search", "--match-all", "--index", str(path), "--stream", "jsonl"]
    caps = ["--limit", str(limit), "--max-results", str(limit)]
    process = subprocess.Popen([*PROGRAMS[program], *arguments, *caps], stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return used.ru_maxrss


@each_program
def test_a_terminal_shows_a_progress_bar_and_a_table(program: str, tmp_path: Path) -> None:
    path, given = tmp_path / "t.hsx", tmp_path / "given.jsonl"
    given.write_bytes(records(60))
    shown = _on_terminal([*PROGRAMS[program], "index", "--index", str(path), "--batch-size", "20", str(given)])
    assert re.search("100 ?% +60 records", shown)
    assert "00:00 left" in shown
    assert "added      60" in shown
    table = _on_terminal([*PROGRAMS[program], "search", "rule 3", "--index", str(path), "--limit", "2"])
    lines = table.replace("\r", "").split("\n")
    assert lines[0].split() == ["score", "bm25", "cosine", "id", "title", "text"]
    (after,) = (place for place, line in enumerate(lines) if line == "page 1 of 30, 60 hits; more with --page 2")
    assert after >= 3
    assert all(len(line) <= 80 for line in lines[:after])


def _on_terminal(command: list[str]) -> str:
    """Return the output of a command on a terminal of 80 columns, without styles."""
    leader, follower = pty.openpty()
    environment = {**os.environ, "COLUMNS": "80", "TERM": "xterm"}
    with subprocess.Popen(command, stdin=follower, stdout=follower, stderr=follower, env=environment) as process:
        os.close(follower)
        shown = b"".join(_pieces(leader))
        process.wait(SECONDS)
    os.close(leader)
    return STYLES.sub("", shown.decode("utf-8"))


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
    """Return the completions of bash for the last of these words."""
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
    assert completed(program, ["search", "--li"], tmp_path) == ["--limit"]
    assert completed(program, ["search", "x", "--format", ""], tmp_path) == ["table", "json"]
    assert completed(program, ["index", "--embed", "o"], tmp_path) == ["openai"]
    assert completed(program, ["index", "gi"], tmp_path) == ["given.jsonl"]
    assert completed(program, ["search", "--index", "gi"], tmp_path) == ["given.jsonl"]
    assert completed(program, ["completion", "z"], tmp_path) == ["zsh"]
    assert completed(program, ["search", "--limit", ""], tmp_path) == []
    assert completed(program, ["query", "--min-c"], tmp_path) == ["--min-cosine"]
    assert completed(program, ["query", "--topK", ""], tmp_path) == []
    assert completed(program, ["get", "--include", ""], tmp_path) == ["vector", "tokens"]


def test_completion_scripts_are_valid(tmp_path: Path) -> None:
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
def test_help_loads_almost_nothing(program: str) -> None:
    """No numpy, no dictionary, no store: output without an index costs no more than an interpreter's start."""
    if program == "python":
        probe = "import sys; from hybrid_search.cli.main import main; main(['search', '--help']); print(*sys.modules)"
        told = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True).stdout
        assert {"numpy", "sqlite3", "jieba", "rich"} & set(told.splitlines()[-1].split()) == set()
    else:
        probe = (
            "require 'hybrid_search'; HybridSearch.const_get(:Cli)::Main.main(%w[search --help]); "
            "puts $LOADED_FEATURES.join(' ')"
        )
        told = subprocess.run(
            ["ruby", "-I", str(ROOT / "ruby/lib"), "-e", probe], capture_output=True, text=True, check=True
        ).stdout
        loaded = told.splitlines()[-1]
        assert not [name for name in ("sqlite3", "text/dictionary", "hybrid_search/index.rb") if name in loaded]

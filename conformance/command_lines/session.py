"""Runs command lines with either program, many in one process (CUR-5)."""

import contextlib
import hashlib
import io
import json
import os
import re
import shlex
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

from conformance import yaml_files
from conformance.errors import BrokenError
from conformance.paths import CONFORMANCE, ROOT

FOLDER = CONFORMANCE / "command_lines"
FILES = (FOLDER / "cases.yml", *sorted(FOLDER.glob("sessions/*.yml")))
"""The files with the sessions."""
PYTHON, RUBY = "python", "ruby"
PROGRAMS = (PYTHON, RUBY)
INDEX = "hsx"
CODE_INDEX = "code_index"
"""The first word of command lines of `python -m hybrid_search.code_index`."""
SECONDS = 120
"""For one answer."""
SECONDS_TO_END = 10
SETTING = {"COLUMNS": "100"}
"""What the environment of each command line has."""
KERNELS = "HYBRID_SEARCH_KERNELS"
TEXT = "a text"
"""In the place of help and of completion scripts, which the programs lay out each in its way."""
FOR_TEXTS = {"-h", "--help", "--version", "completion"}
LONGEST_STDOUT = 20_000
"""A text on stdout that is longer, in characters, is told by its SHA-256."""
PLACE = b"{place}"
"""In what is read several times: how often it was read before."""
NUMBERS = re.compile(r"\{([0-9]+)\.\.([0-9]+)\}")
"""An argument that is replaced by one argument for each number from the first to the last."""


@dataclass(frozen=True)
class Step:
    """One command line.

    Attributes:
        shown: as it is written.
        stdin: what it reads.
        environment: variables that it sees besides.
    """

    shown: str
    stdin: bytes
    environment: Mapping[str, str]

    def arguments(self, cursor: str) -> list[str]:
        """Return its arguments, with the last cursor."""
        given = (argument.replace("{cursor}", cursor) for argument in shlex.split(self.shown))
        return [one for argument in given for one in _numbered(argument)]


@dataclass(frozen=True)
class Asked:
    """A command line as a program gets it.

    Attributes:
        arguments: without the name of the program.
        stdin: what it reads.
        environment: variables that it sees besides.
    """

    arguments: Sequence[str]
    stdin: bytes
    environment: Mapping[str, str]

    def to_dict(self) -> dict[str, Any]:
        """The same for a runner."""
        return {
            "arguments": list(self.arguments), "stdin": self.stdin.hex(), "environment": dict(self.environment),
        }  # fmt: skip


@dataclass(frozen=True)
class Session:
    """Command lines that share a folder.

    Attributes:
        name: what it is called.
        files: what the folder begins with.
        steps: in order.
        mixed: whether the programs may take turns in it.
        programs: the programs that have its commands.
    """

    name: str
    files: Mapping[str, bytes]
    steps: Sequence[Step]
    mixed: bool
    programs: Sequence[str]


def load() -> list[Session]:
    """Return all sessions.

    Raises:
        BrokenError: two have the same name.
    """
    found = [_session(name, entry) for path in FILES for name, entry in yaml_files.load(path).items()]
    names = [each.name for each in found]
    if len(names) != len(set(names)):
        raise BrokenError(f"two sessions have one name: {sorted(each for each in set(names) if names.count(each) > 1)}")
    return found


def golden() -> dict[str, list[dict[str, Any]]]:
    """What each step of each session must print."""
    kept: dict[str, list[dict[str, Any]]] = json.loads((FOLDER / "golden.json").read_text(encoding="utf-8"))
    return kept


def run(session: Session, folder: Path, programs: Sequence[str]) -> list[dict[str, Any]]:
    """What the steps of a session print, and which files they change.

    Args:
        session: the session.
        folder: an empty folder.
        programs: who takes the first step, the second …, and again from the first.
    """
    with Runner(RUBY, folder) if RUBY in programs else _Nobody() as ruby:

        def ask(program: str, asked: Asked) -> dict[str, Any]:
            answer: dict[str, Any] = ask_here(folder, asked) if program == PYTHON else ruby.ask(asked)
            return answer

        return list(_told(session, folder, programs, ask))


def run_apart(session: Session, folder: Path, program: str, sources: Path) -> Iterator[dict[str, Any]]:
    """What one program prints, step by step, in a process of its own.

    Args:
        session: the session.
        folder: an empty folder.
        program: which one.
        sources: the folder that has the sources of both languages.

    Raises:
        BrokenError: the program ended, or did not answer in time.
    """
    with Runner(program, folder, sources) as runner:
        yield from _told(session, folder, [program], lambda _, asked: runner.ask(asked))


def _told(
    session: Session, folder: Path, programs: Sequence[str], ask: Callable[[str, Asked], dict[str, Any]]
) -> Iterator[dict[str, Any]]:
    for name, content in session.files.items():
        (folder / name).parent.mkdir(exist_ok=True, parents=True)
        (folder / name).write_bytes(content)
    cursor = ""
    before = _files(folder)
    for place, step in enumerate(session.steps):
        asked = Asked(step.arguments(cursor), step.stdin, {**SETTING, **step.environment})
        answer = ask(programs[place % len(programs)], asked)
        cursor = _cursor(answer["stdout"]) or cursor
        if not _is_json(answer["stdout"]):
            answer = {**answer, "stdout": TEXT if FOR_TEXTS & set(asked.arguments) else _words(answer["stdout"])}
        elif len(answer["stdout"]) > LONGEST_STDOUT:
            answer = {**answer, "stdout": hashlib.sha256(answer["stdout"].encode("utf-8")).hexdigest()}
        after = _files(folder)
        changed = {name: after.get(name) for name in sorted({*before, *after}) if before.get(name) != after.get(name)}
        before = after
        yield {"run": step.shown, **answer, **({"files": changed} if changed else {})}


def _words(table: str) -> str:
    """Return the lines of a table, with one blank between words."""
    return "\n".join(" ".join(line.split()).replace(" …", "…") for line in table.split("\n"))


def _is_json(stdout: str) -> bool:
    """Return whether every line is a JSON value."""
    try:
        return all(json.dumps(json.loads(line)) for line in stdout.splitlines())
    except ValueError:
        return False


def _files(folder: Path) -> dict[str, str]:
    """The SHA-256 of each file; of an index, which no two programs write alike, only that it is there."""
    files = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    return {
        name: INDEX if name.endswith(f".{INDEX}") else hashlib.sha256(path.read_bytes()).hexdigest()
        for name, path in files.items()
        if f".{INDEX}-" not in name
    }


def surroundings() -> dict[str, str]:
    """Return the environment of this process without the settings of the programs, such as addresses of servers."""
    return {name: text for name, text in os.environ.items() if name == KERNELS or not name.startswith("HYBRID_SEARCH_")}


def ask_here(folder: Path, asked: Asked) -> dict[str, Any]:
    """Return what the reference prints; `code_index` is its program for repositories (CNV-6)."""
    from hybrid_search.cli.console import Console
    from hybrid_search.cli.main import main
    from hybrid_search.code_index.program import main as code_index

    stdout, stderr = io.BytesIO(), io.BytesIO()
    with chdir(folder), patch.dict(os.environ, {**surroundings(), **asked.environment}, clear=True):
        given = [os.fsdecode(argument.encode("utf-8")) for argument in asked.arguments]  # as a system gives them
        console = Console(io.BytesIO(asked.stdin), stdout, stderr)
        status = code_index(given[1:], console) if given[:1] == [CODE_INDEX] else main(given, console)
    return {"stdout": stdout.getvalue().decode("utf-8"), "stderr": stderr.getvalue().decode("utf-8"), "status": status}


class _Nobody:
    def __enter__(self) -> Any:
        return self

    def __exit__(self, *error: object) -> None:
        """Nothing was opened."""


class Runner:
    """A program in one process for many command lines.

    Args:
        program: which one.
        folder: where it works.
        sources: the folder that has the sources of both languages.
    """

    def __init__(self, program: str, folder: Path, sources: Path = ROOT) -> None:
        command = {
            PYTHON: [sys.executable, str(FOLDER / "runner.py")],
            RUBY: ["ruby", "-I", str(sources / "ruby/lib"), str(FOLDER / "runner.rb")],
        }[program]
        self._process = subprocess.Popen(
            command,
            cwd=folder,
            env={**surroundings(), "PYTHONPATH": str(sources / "python_ref")},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=None if sources == ROOT else subprocess.DEVNULL,
            encoding="utf-8",
        )

    def __enter__(self) -> "Runner":
        return self

    def __exit__(self, *error: object) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        self._process.stdout.close()
        try:
            self._process.wait(SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def ask(self, asked: Asked) -> dict[str, Any]:
        """What the program prints.

        Raises:
            BrokenError: it ended, or did not answer in time.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        late = threading.Timer(SECONDS, self._process.kill)
        late.start()
        try:
            self._process.stdin.write(json.dumps(asked.to_dict()) + "\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        except BrokenPipeError:
            line = ""
        finally:
            late.cancel()
        if not line:
            raise BrokenError(f"the program ended, or did not answer within {SECONDS} s")
        answer: dict[str, Any] = json.loads(line)
        return answer


def _numbered(argument: str) -> list[str]:
    """Return an argument, or the numbers that it stands for."""
    found = NUMBERS.fullmatch(argument)
    return [argument] if found is None else [str(number) for number in range(int(found[1]), int(found[2]) + 1)]


def _session(name: str, entry: Mapping[str, Any]) -> Session:
    files = {path: _content(given) for path, given in entry.get("files", {}).items()}
    return Session(
        name, files, tuple(map(_step, entry["steps"])), entry.get("mixed", False), entry.get("programs", PROGRAMS)
    )


def _step(entry: Any) -> Step:
    given: Mapping[str, Any] = {"run": entry} if isinstance(entry, str) else entry
    return Step(
        given["run"], _repeated(_bytes(given.get("stdin", "")), given.get("times", 1)), given.get("environment", {})
    )


def _repeated(content: bytes, times: int) -> bytes:
    if PLACE not in content:
        return content * times
    return b"".join(content.replace(PLACE, str(place).encode("ascii")) for place in range(times))


def _content(given: Any) -> bytes:
    """Return the content of a file: a text, bytes, or an object of a `content` and its number of `times`."""
    return _repeated(_bytes(given["content"]), given["times"]) if isinstance(given, dict) else _bytes(given)


def _bytes(content: str | bytes) -> bytes:
    return content.encode("utf-8") if isinstance(content, str) else content


def _cursor(stdout: str) -> str | None:
    """The cursor in the last line, if there is one."""
    try:
        found: str | None = json.loads(stdout.splitlines()[-1])["next_cursor"]
    except (IndexError, ValueError, KeyError, TypeError):
        return None
    return found

"""Runs command lines with either program, many in one process (CUR-5)."""

import io
import json
import os
import shlex
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

from conformance import yaml_files
from conformance.paths import CONFORMANCE, ROOT

FOLDER = CONFORMANCE / "command_lines"
RUNNER = FOLDER / "runner.rb"
PYTHON, RUBY = "python", "ruby"
PROGRAMS = (PYTHON, RUBY)
SECONDS = 120
SETTING = {"COLUMNS": "100"}
"""What the environment of each command line has."""


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
        """Its arguments, with the last cursor."""
        return [argument.replace("{cursor}", cursor) for argument in shlex.split(self.shown)]


@dataclass(frozen=True)
class Session:
    """Command lines that share a folder.

    Attributes:
        name: what it is called.
        files: what the folder begins with.
        steps: in order.
        mixed: whether the programs may take turns in it.
    """

    name: str
    files: Mapping[str, bytes]
    steps: Sequence[Step]
    mixed: bool


def load() -> list[Session]:
    """All sessions."""
    return [_session(name, entry) for name, entry in yaml_files.load(FOLDER / "cases.yml").items()]


def golden() -> dict[str, list[dict[str, Any]]]:
    """What each step of each session must print."""
    kept: dict[str, list[dict[str, Any]]] = json.loads((FOLDER / "golden.json").read_text(encoding="utf-8"))
    return kept


def run(session: Session, folder: Path, programs: Sequence[str]) -> list[dict[str, Any]]:
    """What the steps of a session print.

    Args:
        session: the session.
        folder: an empty folder.
        programs: who takes the first step, the second …, and again from the first.
    """
    for name, content in session.files.items():
        (folder / name).parent.mkdir(exist_ok=True, parents=True)
        (folder / name).write_bytes(content)
    told: list[dict[str, Any]] = []
    cursor = ""
    with RubyRunner(folder) if RUBY in programs else _Nobody() as ruby:
        for place, step in enumerate(session.steps):
            program = programs[place % len(programs)]
            runner = run_python if program == PYTHON else ruby.run
            answer = runner(folder, step.arguments(cursor), step.stdin, {**SETTING, **step.environment})
            cursor = _cursor(answer["stdout"]) or cursor
            told.append({"run": step.shown, **answer})
    return told


def run_python(folder: Path, arguments: Sequence[str], stdin: bytes, environment: Mapping[str, str]) -> dict[str, Any]:
    """What the reference prints."""
    from hybrid_search.cli._console import Console
    from hybrid_search.cli._main import main

    stdout, stderr = io.BytesIO(), io.BytesIO()
    with chdir(folder), patch.dict(os.environ, environment):
        status = main(arguments, Console(io.BytesIO(stdin), stdout, stderr))
    return {"stdout": stdout.getvalue().decode("utf-8"), "stderr": stderr.getvalue().decode("utf-8"), "status": status}


class _Nobody:
    def __enter__(self) -> Any:
        return self

    def __exit__(self, *error: object) -> None:
        """Nothing was opened."""


class RubyRunner:
    """The port, in one process for many command lines.

    Args:
        folder: where it works.
    """

    def __init__(self, folder: Path) -> None:
        command = ["ruby", "-I", str(ROOT / "ruby/lib"), str(RUNNER)]
        self._process = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
        )

    def __enter__(self) -> "RubyRunner":
        return self

    def __exit__(self, *error: object) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait(SECONDS)

    def run(
        self, folder: Path, arguments: Sequence[str], stdin: bytes, environment: Mapping[str, str]
    ) -> dict[str, Any]:
        """What the port prints."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        asked = {"arguments": list(arguments), "stdin": stdin.hex(), "environment": dict(environment)}
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer


def _session(name: str, entry: Mapping[str, Any]) -> Session:
    files = {path: _bytes(content) for path, content in entry.get("files", {}).items()}
    return Session(name, files, tuple(map(_step, entry["steps"])), entry.get("mixed", False))


def _step(entry: Any) -> Step:
    given: Mapping[str, Any] = {"run": entry} if isinstance(entry, str) else entry
    return Step(given["run"], _bytes(given.get("stdin", "")), given.get("environment", {}))


def _bytes(content: str | bytes) -> bytes:
    return content.encode("utf-8") if isinstance(content, str) else content


def _cursor(stdout: str) -> str | None:
    """The cursor in the last line, if there is one."""
    try:
        found: str | None = json.loads(stdout.splitlines()[-1])["next_cursor"]
    except (IndexError, ValueError, KeyError, TypeError):
        return None
    return found

"""`hybrid-search` as processes, for tests (CUR-5)."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from conformance.paths import ROOT

SECONDS = 120
PROGRAMS = {
    "python": [sys.executable, "-m", "hybrid_search.cli"],
    "ruby": ["ruby", "-I", str(ROOT / "ruby/lib"), str(ROOT / "ruby/exe/hybrid-search")],
}
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


def exported(path: Path) -> bytes:
    done = run("python", "export", "--index", str(path), "--include", "vector")
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout


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

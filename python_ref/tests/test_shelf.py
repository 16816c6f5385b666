"""Every program of README and docs runs, and prints the output on the page, as does its twin in the other language.

A block of Python, Ruby or shell is a program. `<!-- not run: why -->` in the previous line makes it one that is only
compiled. A block of text below one or two programs is their output; a Ruby block right below a Python block is its
twin.
"""

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = ("README.md", "CONTRIBUTING.md", "ruby/README.md", "docs/**/*.md")
BLOCK = re.compile(
    r"^(?:<!-- not run: (?P<why>.+?) -->\n)?```(?P<language>\S*)\n(?P<code>.*?)^```$", re.DOTALL | re.MULTILINE
)
FENCE = re.compile(r"^ *(?:```|~~~)", re.MULTILINE)
RUNNERS = {
    "python": [sys.executable, "-W", "error", str(ROOT / "python_ref/tests/run_programs.py")],
    "ruby": ["ruby", "-w", "-I", str(ROOT / "ruby/lib"), str(ROOT / "python_ref/tests/run_programs.rb")],
}
LOADED = {"python": "hybrid_search import", "ruby": 'require "hybrid_search"'}
RECURSIVE = re.compile(r"bin/test|\.ci/run|pytest|^ *rake *$", re.MULTILINE)
SERVICES = ("rag_service", "rewrite_by_model")
"""Examples that serve, or ask a service: other tests run them."""
SILENT = ("text", "yaml", "json", "sql", "erb")
"""Blocks that are not programs."""


@dataclass(frozen=True)
class Program:
    """A block of a page, or an example.

    Attributes:
        name: page and line, or the path of the example.
        language: "python", "ruby" or "sh".
        code: its text.
        why: why it is not run; `None`: it is run.
        printed: its output according to the page; `None`: not stated.
        twin: the name of the program that prints the same.
    """

    name: str
    language: str
    code: str
    why: str | None = None
    printed: str | None = None
    twin: str | None = None


def programs_of(page: str, text: str) -> list[Program]:
    """The programs of a page, in order."""
    found: list[Program] = []
    above: list[int] = []  # the programs that the next block may belong to
    end = 0
    for match in BLOCK.finditer(text):
        language, code = match["language"], match["code"]
        if text[end : match.start()].strip():
            above = []
        end = match.end()
        if language == "text":
            for place in above:
                found[place] = replace(found[place], printed=code)
        if language in SILENT:
            above = []
            continue
        assert language in (*RUNNERS, "sh"), f"{page}: a block of {language or 'no language'}"
        line = text.count("\n", 0, match.start("language")) + 1
        twin = found[above[0]].name if above and (found[above[0]].language, language) == ("python", "ruby") else None
        found.append(Program(f"{page}:{line}", language, code, match["why"], twin=twin))
        above = [*above, len(found) - 1] if twin else [len(found) - 1]
    return found


def on_pages() -> list[Program]:
    paths = sorted(path for pattern in PAGES for path in ROOT.glob(pattern))
    return [
        program
        for path in paths
        for program in programs_of(str(path.relative_to(ROOT)), path.read_text(encoding="utf-8"))
    ]


def examples() -> list[Program]:
    found = []
    for path in sorted((ROOT / "docs/examples").glob("*/*.*")):
        language = path.parent.name
        twin = f"docs/examples/python/{path.stem}.py" if language == "ruby" else None
        name = str(path.relative_to(ROOT))
        why = "it serves until it is stopped: test_services.py" if path.stem in SERVICES else None
        found.append(Program(name, language, path.read_text(encoding="utf-8"), why, twin=twin))
    return found


PROGRAMS = [*examples(), *on_pages()]
RUN = [program for program in PROGRAMS if program.why is None]


def outcomes_of(programs: list[Program]) -> dict[str, dict[str, object]]:
    """The name of each program → its status, stdout and stderr; both languages work at the same time."""
    asked = {language: [one for one in programs if one.language == language] for language in RUNNERS}
    running = {
        language: subprocess.Popen(
            RUNNERS[language],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for language in RUNNERS
    }
    result = {}
    for language, process in running.items():
        question = [{"name": one.name, "code": one.code, "check": one.why is not None} for one in asked[language]]
        stdin = process.stdin
        assert stdin is not None
        stdin.write(json.dumps(question))
        stdin.close()
        process.stdin = None
    for language, process in running.items():
        stdout, stderr = process.communicate(timeout=300)
        assert (process.returncode, stderr) == (0, "")
        result.update(zip((one.name for one in asked[language]), json.loads(stdout), strict=True))
    return result


@pytest.fixture(scope="module")
def outcomes():
    return outcomes_of(PROGRAMS)


def of_languages(programs: list[Program]) -> list[Program]:
    return [program for program in programs if program.language in RUNNERS]


@pytest.mark.parametrize("program", of_languages(PROGRAMS), ids=lambda program: program.name)
def test_programs_run_and_print_the_expected_output(program, outcomes):
    outcome = outcomes[program.name]
    assert (outcome["status"], outcome["stderr"]) == (0, "")
    if program.why is not None:
        return
    assert LOADED[program.language] in program.code
    assert outcome["stdout"], "it prints nothing"
    if program.printed is not None:
        assert outcome["stdout"] == program.printed
    if program.twin is not None:
        assert outcome["stdout"] == outcomes[program.twin]["stdout"]


SHELL = [one for one in PROGRAMS if one.language == "sh"]
COMMAND = {
    "python": f"exec {sys.executable} -m hybrid_search.cli",
    "ruby": f"exec ruby -I '{ROOT}/ruby/lib' '{ROOT}/ruby/exe/hybrid-search'",
}


def with_command(program: Program) -> bool:
    """Whether it is a session with `hybrid-search`, which is run with that of each language in an empty folder."""
    return program.why is None and program.printed is not None


@pytest.mark.parametrize("program", [one for one in SHELL if with_command(one)], ids=lambda program: program.name)
@pytest.mark.parametrize("language", COMMAND)
def test_sessions_print_the_expected_output(program, language, tmp_path):
    (tmp_path / "hybrid-search").write_text(f'#!/bin/sh\n{COMMAND[language]} "$@"\n')
    (tmp_path / "hybrid-search").chmod(0o755)
    (tmp_path / "empty").mkdir()
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    command = ["timeout", "600", "bash", "-eu", "-o", "pipefail", "-c", program.code]
    done = subprocess.run(
        command, cwd=tmp_path / "empty", env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=False
    )
    assert (done.returncode, done.stderr.decode()) == (0, "")
    assert unaligned(done.stdout.decode()) == unaligned(program.printed)


def unaligned(printed):
    """Each line with single blanks: each language aligns the columns of its tables as its library does (CUR-5)."""
    return [" ".join(line.split()) for line in printed.splitlines()]


@pytest.mark.parametrize("program", [one for one in SHELL if not with_command(one)], ids=lambda program: program.name)
def test_shell_lines_run(program):
    assert program.why or not RECURSIVE.search(program.code), "it would run this test again"
    options = ["-n"] if program.why else ["-eu", "-o", "pipefail"]
    command = ["timeout", "600", "bash", *options, "-c", program.code]
    done = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_every_example_exists_in_both_languages_and_is_listed():
    names = {
        language: {
            path.stem for path in (ROOT / f"docs/examples/{language}").iterdir() if path.suffix in (".py", ".rb")
        }
        for language in RUNNERS
    }
    assert names["python"] == names["ruby"]
    listed = (ROOT / "docs/examples/README.md").read_text(encoding="utf-8")
    assert set(re.findall(r"\(python/(\w+)\.py\)", listed)) == names["python"]
    assert set(re.findall(r"\(ruby/(\w+)\.rb\)", listed)) == names["ruby"]


def test_every_block_of_code_is_checked():
    for path in sorted(path for pattern in PAGES for path in ROOT.glob(pattern)):
        text = path.read_text(encoding="utf-8")
        assert len(FENCE.findall(text)) == 2 * len(BLOCK.findall(text)), path


def test_blocks_are_found_with_their_twins_and_their_output():
    page = (
        "```python\nprint(1)\n```\n\n```ruby\nputs 1\n```\n\n```text\n1\n```\n\nwords\n"
        "<!-- not run: no service -->\n```ruby\nputs 2\n```\nwords\n```sh\ntrue\n```\n"
    )
    first, second, third, fourth = programs_of("page", page)
    assert (first.name, first.printed, first.twin) == ("page:1", "1\n", None)
    assert (second.name, second.printed, second.twin) == ("page:5", "1\n", "page:1")
    assert (third.why, third.twin, third.printed) == ("no service", None, None)
    assert (fourth.language, fourth.why) == ("sh", None)
    with pytest.raises(AssertionError, match="a block of bash"):
        programs_of("page", "```bash\ntrue\n```\n")


def test_failing_programs_are_reported():
    failing = [
        Program("raises", "python", "raise SystemExit(3)"),
        Program("warns", "python", "import warnings\nwarnings.warn('old', DeprecationWarning)"),
        Program("wrong", "python", "print(", why="only compiled"),
        Program("raises in Ruby", "ruby", "abort 'no'"),
        Program("wrong in Ruby", "ruby", "puts(", why="only compiled"),
    ]
    assert [outcome["status"] != 0 for outcome in outcomes_of(failing).values()] == [True] * len(failing)

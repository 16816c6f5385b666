"""The programs of the pages about other frameworks print what the pages show."""

import importlib.util
import json
import os
import re
import subprocess
import sys

import pytest

from hybrid_search.cli.command import commands
from python_ref.tests.test_shelf import ROOT, Program, programs_of

RUN_HERE = "the gate frameworks runs it"
PAGES = ("docs/integrations.md", "docs/mcp.md", "docs/records.md")
PROGRAMS = [
    program
    for page in PAGES
    for program in programs_of(page, (ROOT / page).read_text(encoding="utf-8"))
    if program.why is not None and RUN_HERE in program.why
]


def test_all_programs_of_frameworks_are_found():
    assert [program.language for program in PROGRAMS] == ["python"] * 5


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_programs_print_what_the_page_shows(program: Program, tmp_path):
    needed = re.findall(
        r"^(?:from|import) (langchain_core|llama_index|haystack|mcp|pyarrow)\b", program.code, re.MULTILINE
    )
    if importlib.util.find_spec(needed[0]) is None:
        pytest.skip("the gate frameworks runs it with the package")
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python_ref")}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program.code],
        cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, program.printed), done.stderr


def test_the_settings_of_clients_start_a_known_command():
    text = (ROOT / "docs/mcp.md").read_text(encoding="utf-8")
    settings = json.loads(text.split("```json\n")[1].split("```")[0])
    (server,) = settings["mcpServers"].values()
    assert server["command"] == "hybrid-search"
    flags = {f"--{flag.name}" for flag in commands()[server["args"][0]].flags}
    assert {argument for argument in server["args"] if argument.startswith("--")} <= flags

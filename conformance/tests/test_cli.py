"""The command: its selection, its output and its three exit statuses (CNF-10, CNF-11)."""

import json
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import pytest

from conformance.commands import main as cli
from conformance.judging import runner
from conformance.judging.results import STATUSES
from conformance.reports import outcome
from conformance.tests.conftest import ECHO

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(fixture_file: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> Run:
    """Runs the command over three small cases; `behaviours` makes an implementation of each."""

    def call(*arguments: str, **behaviours: str) -> tuple[int, str, str]:
        listed = {"gone": {"command": [str(tmp_path / "no-such-program")], "optional": True}}
        for name, behaviour in (behaviours or {"echo": "pass"}).items():
            (tmp_path / f"{name}.py").write_text(ECHO % behaviour)
            listed[name] = {"command": [sys.executable, f"{name}.py"]}
        path = tmp_path / "implementations.yml"
        path.write_text(json.dumps(listed))
        ways = ["--implementations-from", str(path), "--fixtures", str(fixture_file.parents[1])]
        status = cli.main([*ways, "--module", "echo", "--reports", str(tmp_path / "reports"), *arguments])
        return (status, *capfd.readouterr())

    return call


def test_the_exit_status_is_0_when_conformant_and_skipped_ports_are_named(run: Run) -> None:
    status, output, _ = run()
    assert status == outcome.CONFORMANT
    assert "3 pass" in output
    assert "gone is left out:" in output
    assert "is not installed" in output


def test_the_exit_status_is_1_when_not_conformant(run: Run) -> None:
    status, output, _ = run(bad="if third: reply['value'] = []", good="pass")
    assert status == outcome.NOT_CONFORMANT
    assert "fail echo.value.small.003 in bad" in output
    assert "2 pass, 1 fail" in output


def test_the_exit_status_is_2_for_each_broken_call(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for arguments, told in (
        (["--implementation", "ecko"], "unknown implementation ecko; did you mean echo?"),
        (["--implementation", "gone"], "gone is left out"),
        (["--case", "no.such"], "no case is selected"),
        (["--case", "echo.*", "--case", "echo.value.small.004"], "did you mean echo.value.small.003?"),
        (["--clause", "fusion"], "there is no clause fusion"),
        (["--flag", "nonsense"], "there is no flag nonsense"),
        (["--ulp", "-1"], "--ulp must be at least 0"),
        (["--timeout", "0"], "--timeout must be seconds above 0"),
        (["--fixtures", "/no/such/folder"], "manifest.json"),
    ):
        status, output, errors = run(*arguments)
        assert (status, told in output + errors) == (outcome.BROKEN, True), (arguments, output, errors)

    def broken(*_arguments: object) -> None:
        raise ZeroDivisionError("a bug of the harness")

    monkeypatch.setattr(runner, "run", broken)
    status, _, errors = run()
    assert status == outcome.BROKEN
    assert "a bug of the harness" in errors
    monkeypatch.setattr(runner, "run", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    assert run()[0] == outcome.BROKEN


def test_the_exit_status_is_2_for_a_wrong_option() -> None:
    with pytest.raises(SystemExit) as caught:
        cli.main(["--modul", "fusion"])
    assert caught.value.code == outcome.BROKEN


def test_help_lists_statuses_and_exit_statuses(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        cli.main(["--help"])
    assert caught.value.code == outcome.CONFORMANT
    told = capsys.readouterr().out
    for word in (*STATUSES, "0  conformant", "1  not conformant", "2  the harness", "known-bad", "PORTING.md"):
        assert word in told


def test_cases_are_listed(run: Run) -> None:
    status, output, _ = run("--list", "--clause", "FUS-2", "--case", "*00[23]")
    assert status == outcome.CONFORMANT
    assert [line.split("\t") for line in output.splitlines()] == [
        [f"echo.value.small.00{number}", "FUS-2", "answers with its input"] for number in (2, 3)
    ]
    listed = [json.loads(line) for line in run("--list", "--format", "json")[1].splitlines()]
    assert len(listed) == 3
    assert (listed[0]["id"], listed[0]["operation"], listed[0]["level"]) == (
        "echo.value.small.001",
        "echo.value",
        "must",
    )


def test_reports_are_printed(run: Run) -> None:
    bad = {"bad": "if third: reply['value'] = []"}
    assert json.loads(run("--format", "json", **bad)[1])["implementations"]["bad"]["statuses"] == {"pass": 2, "fail": 1}
    events = [json.loads(line) for line in run("--format", "jsonl", **bad)[1].splitlines()]
    assert [event["type"] for event in events] == [
        "start",
        "left out",
        "case",
        "case",
        "case",
        "implementation",
        "since",
        "drawn",
        "end",
    ]
    assert ET.fromstring(run("--format", "junit", **bad)[1]).get("failures") == "1"


def test_a_tolerance_and_a_deadline_can_be_set(run: Run) -> None:
    one_ulp = "reply = json.loads(json.dumps(reply).replace('3fe8000000000000', '3fe8000000000001')"
    one_ulp += ".replace('0.75', '0.7500000000000001'))"
    assert run(near=one_ulp)[0] == outcome.NOT_CONFORMANT
    assert run("--ulp", "1", near=one_ulp)[0] == outcome.CONFORMANT
    status, output, _ = run("--timeout", "1.5", slow="if third: time.sleep(60)")
    assert (status, "timeout echo.value.small.003" in output) == (outcome.NOT_CONFORMANT, True)
    assert "no answer within 1.5 s" in output


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        ({"command": "node main.js"}, "a command (a list of words)"),
        ({"command": ["a"], "comand": 1}, "unknown keys comand. Known: capabilities, command"),
        ({"command": ["a"], "timeout": 0}, "timeout must be seconds above 0, not 0"),
        ({"command": ["a"], "capabilities": "fusion"}, "capabilities must be a list"),
        ({"command": ["a"], "without": ["exact"]}, "without must be a list of exact_text, exact_dense"),
        (
            {"command": ["a"], "ulp_when_drawn": {"echo.value": 0}},
            "ulp_when_drawn must be an object of integers above 0",
        ),
        (
            {"command": ["a"], "unasked": ["echo.*"]},
            "unasked must be an object of patterns of cases, each with a reason",
        ),
    ],
)
def test_the_exit_status_is_2_for_an_invalid_list(
    entry: object, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "list.yml").write_text(json.dumps({"one": entry}))
    assert cli.main(["--implementations-from", str(tmp_path / "list.yml")]) == outcome.BROKEN
    assert told in capsys.readouterr().err

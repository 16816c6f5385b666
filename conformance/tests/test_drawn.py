"""A port that answers from the fixtures or by the order of the questions is not conformant (CNF-11, CNF-17)."""

import dataclasses
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from conformance.cases import fixtures
from conformance.commands import main as cli
from conformance.fuzz import ending
from conformance.implementations import listing
from conformance.implementations.listing import Implementation
from conformance.judging import known, runner
from conformance.paths import FIXTURES
from conformance.reports import log, outcome, summary
from conformance.tests.conftest import make_case, write_fixtures

READER = """
import hashlib, json, sys
from pathlib import Path

def key(operation, params, given):
    return json.dumps([operation, params, given], sort_keys=True)

lines = [json.loads(line) for path in Path(%r).glob("*.jsonl") for line in path.open(encoding="utf-8")]
golden = {key(one["operation"], one["params"], one["input"]): one["expect"] for one in lines}
last = lines[0]["expect"]

def say(reply):
    print(json.dumps(reply), flush=True)

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        say({"type": "hello", "protocol": 1, "name": "reader", "language": "none", "version": "1", "versions": {},
             "capabilities": ["ordering"]})
    elif message["type"] == "bye":
        say({"type": "bye"})
        break
    else:
        last = golden.get(key(message["op"], message["params"], message["input"]), last)
        reply = {"seq": message["seq"], **{part: last[part] for part in ("value", "error") if part in last}}
        say(reply | ({"trace": last["trace"]} if message["want_trace"] else {}))
"""
"""A false port: it answers from the fixtures, and repeats its last answer for any other request."""


@pytest.fixture
def reader(tmp_path: Path) -> list[str]:
    """The options for a run of the cheater over the cases of `ordering`, all without digests."""
    (tmp_path / "reader.py").write_text(READER % str(FIXTURES / "ordering"), encoding="utf-8")
    entry = {"command": [sys.executable, "reader.py"], "capabilities": ["ordering"]}
    (tmp_path / "list.yml").write_text(json.dumps({"reader": entry}), encoding="utf-8")
    return ["--implementations-from", str(tmp_path / "list.yml"), "--module", "ordering", "--reports", str(tmp_path)]


def test_a_port_that_reads_the_fixtures_is_not_conformant(
    reader: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main([*reader, "--seed", "1", "--drawn", "50"]) == outcome.NOT_CONFORMANT
    told = capsys.readouterr().out
    assert "drawn a case of ordering." in told
    assert told.splitlines()[-1].startswith("not conformant: 0 failures; 25 cases")
    assert "(seed 1)" in told
    assert json.loads((tmp_path / "summary.json").read_text())["drawn"]["compared"]["reader"] > 0
    assert 'name="drawn"' in (tmp_path / "junit.xml").read_text()
    assert "Drawn cases that differ" in (tmp_path / "report.html").read_text()


@pytest.mark.parametrize(
    ("given", "reason"),
    [(["--drawn", "0"], "--drawn 0"), (["--case", "ordering.rank.*"], "single cases are selected")],
)
def test_without_drawn_cases_the_verdict_covers_only_the_fixtures(
    given: list[str], reason: str, reader: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main([*reader, *given]) == outcome.CONFORMANT
    assert capsys.readouterr().out.splitlines()[-1].startswith(f"conformant (fixtures only: {reason}): ")
    assert "fixtures only" in json.loads((tmp_path / "badge.json").read_text())["message"]


def test_without_the_reference_the_verdict_covers_only_the_fixtures(
    reader: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (reference,) = listing.load(["reference"])
    gone = dataclasses.replace(reference, command=(*reference.command[:-1], "no.such.module"))
    load = listing.load
    monkeypatch.setattr(
        listing, "load", lambda names=None, *path: [gone] if names == ["reference"] else load(names, *path)
    )
    assert cli.main(reader) == outcome.CONFORMANT
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith(f"conformant (fixtures only: {ending.NOT_AT_HAND}): ")


def test_the_port_and_the_plain_reference_agree_on_drawn_cases() -> None:
    cases = fixtures.load(modules=("ordering",)).cases
    found = ending.run(listing.load(["reference", "ruby"]), cases, 50, 3)
    assert (found.findings, found.reason, found.seed) == ((), "", 3)
    assert found.compared == {"ruby": found.drawn}
    assert found.drawn >= 50


@pytest.mark.parametrize("level", ["must", "may"])
def test_answers_that_depend_on_the_order_are_never_excused(
    level: str, scripted: Callable[..., Implementation], tmp_path: Path
) -> None:
    made = [{**make_case(n, [str(n)], n), "level": level} for n in range(1, 9)]
    cases = fixtures.load(write_fixtures(tmp_path / "f", made).parents[1]).cases
    counting = scripted("reply['value'] = count; reply.get('trace', [{}, {}])[1]['value'] = count")
    entry = known.Known("echo.*", "echo", "fail", "FUS-2", "a reason", "somebody", "2026-01-31")
    for entries in ([], [entry]):
        one = runner.run([counting], cases, runner.Options(seed=7), entries)
        assert outcome.exit_status([], one) == outcome.NOT_CONFORMANT
        assert {result.status for result in one[0].results} <= {"pass", "unstable", "fixed"}
    assert "unstable" not in known.KINDS


def test_a_single_pass_is_stated_in_the_summary() -> None:
    start = {"type": "start", "implementations": ["a", "b"], "shuffled": ["b"]}
    assert summary.limits(log.parse([start])) == ["in file order only: a"]
    assert summary.limits(log.parse([start | {"once": 3}]))[1] == "in file order only: 3 cases"

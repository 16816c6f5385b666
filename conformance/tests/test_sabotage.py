"""The port is killed, stopped, noisy or asleep in the middle of a run: the run continues and reports the fault."""

import os
import signal
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from conformance.cases import fixtures
from conformance.cases.fixtures import Case
from conformance.implementations import listing
from conformance.implementations.listing import Implementation
from conformance.judging import runner
from conformance.judging.results import Result
from conformance.paths import ROOT

STRIKE = 5
"""The place of the case at which the child is disturbed, from 1."""

PRELOADED = """
module Conformance
  class Server
    prepend(Module.new do
      private

      def reply_to(message)
        %s if message["seq"] == 5 && message["want_trace"]
        super
      end
    end)
  end
end
"""


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    return [case for case in fixtures.load(modules=("ordering",)).cases if case.operation == "ordering.rank"]


@pytest.fixture
def ruby() -> Implementation:
    return replace(listing.load(["ruby"])[0], timeout=8.0)


def run(implementation: Implementation, cases: list[Case], told: Callable[[int], None]) -> runner.ImplementationRun:
    count = 0

    def progress(_name: str, _status: str) -> None:
        nonlocal count
        count += 1
        told(count)

    return runner.run([implementation], cases, runner.Options(), None, progress)[0]


def wrong(results: list[Result]) -> list[tuple[int, str]]:
    return [(place, one.status) for place, one in enumerate(results, start=1) if one.status != "pass"]


def from_outside(ruby: Implementation, tmp_path: Path, cases: list[Case], what: int) -> runner.ImplementationRun:
    """Signals the Ruby process between two cases."""
    pid = tmp_path / "pid"
    command = ("sh", "-c", f'echo $$ > {pid}; exec "$@"', "sh", *ruby.command)

    def told(count: int) -> None:
        if count == STRIKE - 1:
            os.kill(int(pid.read_text()), what)

    return run(replace(ruby, command=command), cases, told)


def from_inside(ruby: Implementation, tmp_path: Path, cases: list[Case], what: str) -> runner.ImplementationRun:
    """Lets the Ruby process do something before it answers."""
    preloaded = tmp_path / "preloaded.rb"
    preloaded.write_text(PRELOADED % what)
    program, *others = ruby.command
    return run(replace(ruby, command=(program, "-r", str(preloaded), *others)), cases, lambda _count: None)


def test_a_killed_child_is_a_crash_and_is_replaced(ruby: Implementation, tmp_path: Path, cases: list[Case]) -> None:
    one = from_outside(ruby, tmp_path, cases, signal.SIGKILL)
    assert wrong(one.results) == [(STRIKE, "crash")]
    assert "was ended by signal 9" in one.results[STRIKE - 1].message
    assert one.starts == 3


def test_a_stopped_child_is_a_time_out_and_is_replaced(ruby: Implementation, tmp_path: Path, cases: list[Case]) -> None:
    one = from_outside(ruby, tmp_path, cases, signal.SIGSTOP)
    assert wrong(one.results) == [(STRIKE, "timeout")]
    assert one.results[STRIKE - 1].message == "no answer within 8 s"
    assert one.starts == 3


@pytest.mark.parametrize(
    ("what", "status", "told"),
    [
        ("sleep(3600)", "timeout", "no answer within 8 s"),
        ('STDOUT.syswrite("rubbish\\n")', "protocol", "rubbish"),
        ('STDOUT.syswrite("rubbish")', "protocol", "rubbish"),
        ('STDOUT.syswrite("\\0\\xff\\n")', "protocol", "not UTF-8"),
        ("Process.kill(:KILL, Process.pid)", "crash", "signal 9"),
        ("exit!(7)", "crash", "exit status 7"),
        ('abort("no more")', "crash", "exit status 1"),
        ("raise(NoMemoryError)", "crash", "exit status 1"),
    ],
)
def test_a_faulty_child_is_reported_as_its_fault(
    what: str, status: str, told: str, ruby: Implementation, tmp_path: Path, cases: list[Case]
) -> None:
    one = from_inside(ruby, tmp_path, cases, what)
    assert wrong(one.results) == [(STRIKE, status)]
    assert told in one.results[STRIKE - 1].message
    assert one.starts == 3


def test_processes_started_by_a_killed_child_are_ended_too(tmp_path: Path, cases: list[Case]) -> None:
    pid = tmp_path / "pid"
    script = f"sleep 3600 & echo $! > {pid}; sleep 3600"
    hangs = Implementation("hangs", ("sh", "-c", script), ROOT, timeout=1.0, start_timeout=1.0)
    assert wrong(run(hangs, cases[:1], lambda _count: None).results) == [(1, "timeout")]
    deadline = time.monotonic() + 20.0
    while is_running(int(pid.read_text())):
        assert time.monotonic() < deadline, "it still runs"
        time.sleep(0.05)


def is_running(pid: int) -> bool:
    """Return whether a process runs; a zombie whose status was not read yet does not count."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"

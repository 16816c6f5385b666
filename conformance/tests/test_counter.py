"""The progress that a long run prints."""

import io

import pytest

from conformance.reports.counter import Counter


class Terminal(io.StringIO):
    """A stderr that is a terminal."""

    def isatty(self) -> bool:
        return True


def test_without_a_terminal_a_line_is_printed_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    told = io.StringIO()
    monkeypatch.setattr("sys.stderr", told)
    always, seldom = Counter(3, pause=0.0), Counter(3)
    for name in ("a", "b"):
        always.done(name)
        seldom.done(name)
    seldom.say("c: survives")
    assert told.getvalue() == "1/3 a\n2/3 b\nc: survives\n"


def test_on_a_terminal_one_line_is_overwritten(monkeypatch: pytest.MonkeyPatch) -> None:
    told = Terminal()
    monkeypatch.setattr("sys.stderr", told)
    counter = Counter(2)
    counter.done("a")
    counter.say("a: survives")
    counter.done("b")
    lines = [line.rstrip(" ") for line in told.getvalue().replace("\n", "\r").split("\r")]
    assert [line for line in lines if line] == ["1/2 a", "a: survives", "2/2 b"]

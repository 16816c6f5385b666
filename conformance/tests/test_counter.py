"""What a long run tells of itself."""

import io

import pytest

from conformance.reports.counter import Counter


class Terminal(io.StringIO):
    """A stderr where a person watches."""

    def isatty(self) -> bool:
        return True


def test_a_line_now_and_then_where_nobody_watches(monkeypatch: pytest.MonkeyPatch) -> None:
    told = io.StringIO()
    monkeypatch.setattr("sys.stderr", told)
    always, seldom = Counter(3, pause=0.0), Counter(3)
    for name in ("a", "b"):
        always.done(name)
        seldom.done(name)
    seldom.say("c: survives")
    assert told.getvalue() == "1/3 a\n2/3 b\nc: survives\n"


def test_one_line_that_is_written_over_where_somebody_watches(monkeypatch: pytest.MonkeyPatch) -> None:
    told = Terminal()
    monkeypatch.setattr("sys.stderr", told)
    counter = Counter(2)
    counter.done("a")
    counter.say("a: survives")
    counter.done("b")
    lines = [line.rstrip(" ") for line in told.getvalue().replace("\n", "\r").split("\r")]
    assert [line for line in lines if line] == ["1/2 a", "a: survives", "2/2 b"]

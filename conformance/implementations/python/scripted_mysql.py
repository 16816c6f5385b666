"""A stand-in for pymysql, whose server is in a case (OB-3, OB-4); `scripted_script` has the form of a case."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from conformance.implementations.python.scripted_script import Script


class MySqlError(Exception):
    """An error of pymysql: its code and its message."""


class PyMySql:
    """The module pymysql, and its only kind of connection."""

    Error = MySqlError

    def __init__(self, script: Script) -> None:
        self._script = script

    def connect(self, **options: Any) -> "MySqlConnection":
        """Connect."""
        self._script.note(["connect", {name: _option(name, options[name]) for name in sorted(options)}])
        _raise_mysql(self._script, self._script.connecting())
        return MySqlConnection(self._script)


class MySqlConnection:
    """A connection of pymysql, which is its own cursor."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self._rows: list[tuple[Any, ...]] = []

    @contextmanager
    def cursor(self) -> Iterator["MySqlConnection"]:
        """Return a cursor."""
        yield self

    def execute(self, text: str) -> None:
        """Run a statement."""
        self._script.note(text)
        _raise_mysql(self._script, self._script.error(text))
        self._rows = self._script.rows(text)

    def fetchall(self) -> list[tuple[Any, ...]]:
        """Return the rows."""
        return self._rows

    def _force_close(self) -> None:
        self._script.note("close")


def _option(name: str, value: Any) -> Any:
    """An option of connecting; some drivers accept whole seconds only."""
    return -int(-value // 1) if name.endswith("_timeout") else value


def _raise_mysql(script: Script, problem: dict[str, Any] | None) -> None:
    if problem is not None:
        script.clock += problem.get("seconds", 0.0)
        raise MySqlError(problem["code"], problem.get("message", "no message"))

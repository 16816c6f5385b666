"""A stand-in for psycopg, whose servers are in a case (PG-3, PG-4); `scripted_script` has the form of a case."""

import os
import struct
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

from conformance.implementations.python.scripted_script import Script

COPY_HEAD = b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0"
FORMATS = {"int4": ">ii", "int8": ">iq", "float8": ">id"}
"""The type of a column → the size of a value and the value, in the binary format of the server."""


class Error(Exception):
    """An error of psycopg."""

    sqlstate: str | None = None


class OperationalError(Error):
    """An error of a connection or a server."""


class ProgrammingError(Error):
    """A text that libpq does not accept."""


class Psycopg:
    """The module."""

    Error = Error
    rows = SimpleNamespace(tuple_row=None)
    Pipeline = SimpleNamespace(is_supported=lambda: True)

    def __init__(self, script: Script) -> None:
        self._script = script
        self.conninfo = SimpleNamespace(conninfo_to_dict=self._parsed)

    def RawCursor(  # noqa: N802 -- psycopg's name
        self, connection: "Connection", row_factory: Any
    ) -> "Cursor":
        """Return a cursor."""
        return Cursor(connection, self._script)

    def connect(self, _text: str, **options: Any) -> "Connection":
        """Try the servers of a connection string as libpq does, and return the first connection."""
        wanted = {**self._parsed(""), **{key: str(value) for key, value in options.items() if key == "connect_timeout"}}
        names = ("host", "hostaddr", "port")
        named = {**wanted, "host": wanted.get("host") or os.environ.get("PGHOST")}
        named["port"] = wanted.get("port") or os.environ.get("PGPORT")
        lists = {name: value.split(",") for name in names if (value := named.get(name))}
        count = max((len(lists[name]) for name in ("host", "hostaddr") if name in lists), default=1)
        if count == 1 or any(len(one) not in (1, count) for one in lists.values()):
            hosts: list[dict[str, str]] = [{name: wanted[name] for name in names if name in wanted}]
        else:
            hosts = [{name: one[place % len(one)] for name, one in lists.items()} for place in range(count)]
        others = {key: value for key, value in wanted.items() if key not in names}
        attempts = [{**others, **host} for host in hosts]
        if others.get("target_session_attrs") == "prefer-standby" and len(hosts) > 1:
            attempts = [{**one, "target_session_attrs": role} for role in ("standby", "any") for one in attempts]
        for place, attempt in enumerate(attempts):
            self._script.note(["connect", attempt])
            problem = self._script.connecting()
            if problem is None:
                return Connection(self._script)
            if problem.get("late"):
                raise TimeoutError
            if place == len(attempts) - 1:
                raise _problem({**problem, "message": f"connection failed: {problem.get('message', 'no message')}"})
        raise AssertionError

    def _parsed(self, _text: str) -> dict[str, str]:
        if self._script.parsed is None:
            raise ProgrammingError("missing equals sign")
        return self._script.parsed


class Connection:
    """A connection of psycopg."""

    autocommit = True
    transaction = None

    def __init__(self, script: Script) -> None:
        self._script = script
        self.closed = False
        self.is_late = False
        self.state = "IDLE"
        self.piped: list[Error] | None = None

    @property
    def info(self) -> Any:
        """Its state."""
        return SimpleNamespace(transaction_status=SimpleNamespace(name=self.state))

    def close(self) -> None:
        """Close it."""
        if not self.closed:
            self._script.note("close")
        self.closed = True

    @contextmanager
    def pipeline(self) -> Iterator[None]:
        """Send statements together: the first error is raised after the last one."""
        self.piped = []
        self._script.note("together")
        try:
            yield
            problems = self.piped
        finally:
            self.piped = None
        if problems:
            raise problems[0]

    def ask(self, text: str, values: Sequence[Any], noted: Any) -> list[tuple[Any, ...]]:
        """Answer a statement."""
        if self.closed:
            raise OperationalError("the connection is closed")
        self._script.note(noted)
        problem = self._script.error(text)
        if problem is not None:
            self.closed = bool(problem.get("lost"))
            self.is_late = bool(problem.get("late"))
            self.state = "INERROR" if self.state != "IDLE" else self.state
            if self.piped is None:
                raise _problem(problem)
            self.piped.append(_problem(problem))
            return []
        self.state = {"begin": "INTRANS", "commi": "IDLE", "rollb": "IDLE"}.get(text[:5], self.state)
        return self._script.rows(text)


class Cursor:
    """A cursor of psycopg."""

    def __init__(self, connection: Connection, script: Script) -> None:
        self.adapters = SimpleNamespace(register_dumper=lambda _kind, _dumper: None)
        self.description = True
        self._connection = connection
        self._script = script
        self._rows: list[tuple[Any, ...]] = []

    def execute(self, text: str, values: Sequence[Any] | None = None, **_how: bool) -> "Cursor":
        """Run a statement."""
        self._rows = self._connection.ask(text, values or (), [text, *map(_written, values or ())])
        return self

    def fetchall(self) -> list[tuple[Any, ...]]:
        """Return the rows."""
        return self._rows

    def fetchone(self) -> tuple[Any, ...] | None:
        """Return the first row."""
        return self._rows[0] if self._rows else None

    def nextset(self) -> bool:
        """Return whether there are more results."""
        return False

    @contextmanager
    def copy(self, text: str) -> Iterator["Copy"]:
        """Copy rows."""
        copied = Copy()
        yield copied
        self._connection.ask(text, (), [text, {"hex": (copied.sent + b"\xff\xff").hex()}])


class Copy:
    """Rows in the binary format of the server."""

    def __init__(self) -> None:
        self.sent = COPY_HEAD
        self._types: Sequence[str] = ()

    def set_types(self, types: Sequence[str]) -> None:
        """Set the types of the columns."""
        self._types = types

    def write_row(self, row: Sequence[Any]) -> None:
        """Add a row."""
        self.sent += struct.pack(">h", len(row)) + b"".join(map(_column, self._types, row))


class Pool:
    """A pool of psycopg_pool; it lends a connection, or raises the error of the case."""

    timeout = 60.0

    def __init__(self, script: Script) -> None:
        self._script = script

    def getconn(self, timeout: float) -> Connection:
        """Lend a connection."""
        self._script.note(["lend", timeout])
        problem = self._script.connecting()
        if problem is not None:
            raise TimeoutError(problem["message"]) if problem.get("late") else ValueError(problem["message"])
        return Connection(self._script)

    def putconn(self, _connection: Any) -> None:
        """Take a connection back."""
        self._script.note("return")


class Watch:
    """A watch that finds a response late where the case states it."""

    def __init__(self, _timeout: float) -> None:
        pass

    def over(self, connection: Connection) -> "Watch":
        """Watch a connection."""
        watched = Watch(0.0)
        watched.connection = connection
        return watched

    connection: Connection

    @property
    def is_late(self) -> bool:
        """Whether a response was late."""
        return self.connection.is_late

    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: object) -> None:
        if self.is_late:
            self.connection.close()

    def release(self) -> None:
        """Stop watching."""


def _problem(told: dict[str, Any]) -> Error:
    error = OperationalError(told.get("message", "no message"))
    error.sqlstate = told.get("code")
    return error


def _written(value: Any) -> Any:
    """A value of a statement: a number as text, and an array in binary as a list."""
    from hybrid_search.doc_store_adapter.postgres.postgres_connection import _Array

    if isinstance(value, _Array):
        return list(_members(value))
    return str(value) if isinstance(value, (int, float)) else value


def _members(array: Any) -> Iterator[Any]:
    dimensions, _, kind, count, _ = struct.unpack_from(">iiIii", array)
    assert (dimensions, kind) == (1, array.member_type)
    at = 20
    for _ in range(count):
        (size,) = struct.unpack_from(">i", array, at)
        member = bytes(array[at + 4 : at + 4 + size])
        at += 4 + size
        yield (
            str(int.from_bytes(member, "big", signed=True)) if kind == 20 else member if kind == 17 else member.decode()
        )
    assert at == len(array)


def _column(kind: str, value: Any) -> bytes:
    if value is None:
        return struct.pack(">i", -1)
    if kind in FORMATS:
        return struct.pack(FORMATS[kind], struct.calcsize(FORMATS[kind]) - 4, value)
    return struct.pack(">i", len(value)) + bytes(value)

"""One connection to PostgreSQL in a transaction, and its statements (PG-3)."""

import importlib
import struct
from collections.abc import Iterable, Sequence
from contextlib import nullcontext, suppress
from functools import cache
from itertools import chain, repeat
from typing import Any, ClassVar

from hybrid_search.doc_store_adapter.postgres import postgres_library
from hybrid_search.doc_store_adapter.postgres.postgres_pool import is_idle, state
from hybrid_search.doc_store_adapter.postgres.postgres_statements import PostgresStatements
from hybrid_search.doc_store_adapter.postgres.postgres_watch import PostgresWatch

Row = tuple[Any, ...]
Question = tuple[Any, ...]
"""The name of a statement, and its values."""

ROWS_AT_ONCE = 1000
"""The maximum number of rows that a statement adds or changes."""
STATEMENTS_AT_ONCE = 16
"""The number of statements that are sent together, so that responses arrive within a statement's timeout."""


_HEAD = struct.Struct(">iiIii")
_SIZE = struct.Struct(">i")
_INTEGER = struct.Struct(">iq")


class _Array(bytes):
    """An array in the binary format of the server.

    Attributes:
        member_type: the server's number (OID) of the type of the members.
        type: the server's number of the type of the array.
    """

    member_type: ClassVar[int]
    type: ClassVar[int]


class _Integers(_Array):
    """An array of 64-bit integers."""

    member_type = 20
    type = 1016


class _Texts(_Array):
    """An array of texts."""

    member_type = 25
    type = 1009


class _Binaries(_Array):
    """An array of bytes."""

    member_type = 17
    type = 1001


class PostgresConnection:
    """A connection for one thread at a time.

    No statement is prepared by name, since behind a pooler another client's statement may have that name.

    Args:
        connection: a connection of psycopg in which every statement outside `begin` is a transaction of its own.
        statements: the statements of the collection.
        watch: closes the connection if a response is late.

    Raises:
        psycopg.Error: from every method, if the server refuses a statement, fails or does not respond.

    Attributes:
        statements: as given.
        is_doubtful: whether statements that were sent together have failed; the state of the connection according to
            psycopg may then differ from the server's.
    """

    def __init__(self, connection: Any, statements: PostgresStatements, watch: PostgresWatch) -> None:
        self._library = postgres_library.load()
        self.statements = statements
        self.is_doubtful = False
        self._connection = connection
        self._cursor = self._new_cursor(connection)
        self._in_time = watch.over(connection)
        self._later: list[Question] = []

    @property
    def is_late(self) -> bool:
        """Whether the connection was closed because the server did not respond."""
        return self._in_time.is_late

    def release(self) -> None:
        """Roll back the current transaction, if any, and stop using the connection.

        A connection whose rollback fails is closed, since its state is unknown.
        """
        with suppress(self._library.Error):
            if state(self._connection) in ("INTRANS", "INERROR"):
                self.end("rollback")
        if not is_idle(self._connection):
            self._connection.close()
        self._in_time.release()

    def begin(self, *statements: str) -> Row | None:
        """Begin a transaction and return the first row of the last statement.

        Args:
            statements: texts without parameters, sent together.
        """
        with self._in_time:
            return self._begun(statements)

    def begin_slowly(self, *statements: str) -> None:
        """Begin a transaction as `begin` does, with statements that may take as long as they need."""
        self._begun(statements)

    def end(self, statement: str) -> None:
        """End the transaction with `commit` or `rollback`."""
        self.run_text(statement)

    def rows(self, name: str, *values: Any) -> list[Row]:
        """Return all rows of a statement."""
        return self.rows_of(self.statements.text(name), values)

    def rows_of(self, text: str, values: Sequence[Any]) -> list[Row]:
        """Return all rows of a statement that is given as text."""
        with self._in_time:
            rows: list[Row] = self._cursor.execute(text, _sent(values), prepare=False, binary=True).fetchall()
            return rows

    def row(self, name: str, *values: Any) -> Row | None:
        """Return the first row of a statement, or `None`."""
        rows = self.rows(name, *values)
        return rows[0] if rows else None

    def together(self, *questions: Question) -> list[list[Row]]:
        """Send statements together, without waiting for responses in between; return all rows of each."""
        is_supported = self._library.Pipeline.is_supported()  # libpq 14 or later
        before, self.is_doubtful = self.is_doubtful, True
        with self._in_time:
            with self._connection.pipeline() if is_supported else nullcontext():
                asked = [self._asked(*question) for question in questions]
            rows = [cursor.fetchall() if cursor.description else [] for cursor in asked]
        self.is_doubtful = before
        return rows

    def run(self, name: str, *values: Any) -> None:
        """Run a statement."""
        self.run_text(self.statements.text(name), values)

    def later(self, name: str, *values: Any) -> None:
        """Queue a statement; queued statements run in order before rows are copied, or in `settle`."""
        self._later.append((name, *values))

    def later_rows(self, name: str, rows: Sequence[Sequence[Any]]) -> None:
        """Queue a statement as `later` does, with the columns of rows as its values, unless there are no rows."""
        for start in range(0, len(rows), ROWS_AT_ONCE):
            self.later(name, *(list(column) for column in zip(*rows[start : start + ROWS_AT_ONCE], strict=True)))

    def settle(self) -> None:
        """Run the queued statements."""
        while self._later:
            now, self._later = self._later[:STATEMENTS_AT_ONCE], self._later[STATEMENTS_AT_ONCE:]
            self.together(*now)

    def run_text(self, text: str, values: Sequence[Any] | None = None) -> None:
        """Run a statement that is given as text, or several without parameters."""
        with self._in_time:
            self._cursor.execute(text, values and _sent(values), prepare=False)

    def copy(self, name: str, types: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        """Copy rows to the server.

        Args:
            name: the name of a copy statement.
            types: the types of the columns; values of type bytea are sent unchanged.
            rows: the values.
        """
        self.settle()
        with self._in_time, self._cursor.copy(self.statements.text(name)) as copy:
            copy.set_types(types)
            for row in rows:
                copy.write_row(row)

    def _asked(self, name: str, *values: Any) -> Any:
        cursor = self._new_cursor(self._connection)
        return cursor.execute(self.statements.text(name), _sent(values), prepare=False, binary=True)

    def _new_cursor(self, connection: Any) -> Any:
        cursor = self._library.RawCursor(connection, row_factory=self._library.rows.tuple_row)
        for kind, dumper in _array_dumpers():
            cursor.adapters.register_dumper(kind, dumper)
        return cursor

    def _begun(self, statements: Sequence[str]) -> Row | None:
        self._cursor.execute("; ".join(statements), prepare=False)
        while self._cursor.nextset():
            pass
        row: Row | None = self._cursor.fetchone() if self._cursor.description else None
        return row


def _sent(values: Sequence[Any]) -> list[Any]:
    """Return the values of a statement with lists as binary arrays; psycopg itself would write them as text."""
    return [_array(value) if isinstance(value, list) and value else value for value in values]


def _array(members: list[Any]) -> _Array:
    if isinstance(members[0], int):
        return _Integers(_head(_Integers, members) + b"".join(map(_INTEGER.pack, repeat(8), members)))
    if isinstance(members[0], str):
        return _Texts(_head(_Texts, members) + _written(member.encode("utf-8") for member in members))
    return _Binaries(_head(_Binaries, members) + _written(members))


def _head(kind: type[_Array], members: Sequence[Any]) -> bytes:
    return _HEAD.pack(1, 0, kind.member_type, len(members), 1)


def _written(members: Iterable[bytes]) -> bytes:
    return b"".join(chain.from_iterable((_SIZE.pack(len(member)), member) for member in members))


@cache
def _array_dumpers() -> list[tuple[type[_Array], Any]]:
    """Return the dumpers with which psycopg sends each type of array unchanged."""
    base = importlib.import_module("psycopg.adapt").Dumper
    shared = {"format": importlib.import_module("psycopg.pq").Format.BINARY, "dump": lambda _, array: array}
    kinds = (_Integers, _Texts, _Binaries)
    return [(kind, type(f"{kind.__name__}Dumper", (base,), {"oid": kind.type, **shared})) for kind in kinds]

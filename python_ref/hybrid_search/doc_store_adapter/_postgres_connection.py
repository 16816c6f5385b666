"""One connection to PostgreSQL, in a transaction: what is asked of the server, in plain words (PG-3)."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any

from hybrid_search.doc_store_adapter import _postgres_library as postgres_library
from hybrid_search.doc_store_adapter._postgres_pool import is_idle, state
from hybrid_search.doc_store_adapter._postgres_statements import PostgresStatements
from hybrid_search.doc_store_adapter._postgres_watch import PostgresWatch

Row = tuple[Any, ...]


class PostgresConnection:
    """A connection; one thread at a time may use it.

    Args:
        connection: of psycopg, with every statement a transaction of its own unless one is begun.
        statements: of the collection.
        watch: closes the connection where an answer is late.

    Raises:
        psycopg.Error: from every method, where the server refuses or fails, or is silent.

    Attributes:
        statements: as given.
    """

    def __init__(self, connection: Any, statements: PostgresStatements, watch: PostgresWatch) -> None:
        self._library = postgres_library.load()
        self.statements = statements
        self._connection = connection
        self._cursor = self._library.RawCursor(connection, row_factory=self._library.rows.tuple_row)
        self._in_time = watch.over(connection)

    @property
    def is_late(self) -> bool:
        """Whether it was closed because the server was silent."""
        return self._in_time.is_late

    def release(self) -> None:
        """Leave the transaction, if there is one, and use the connection no more.

        One that cannot leave it is closed: it is in no known state.
        """
        with suppress(self._library.Error):
            if state(self._connection) in ("INTRANS", "INERROR"):
                self.end("rollback")
        if not is_idle(self._connection):
            self._connection.close()
        self._in_time.release()

    def begin(self, *statements: str) -> Row | None:
        """Begin a transaction; gives the first row of the last statement.

        Args:
            statements: texts without parameters, sent together.
        """
        with self._in_time:
            return self._begun(statements)

    def begin_slowly(self, *statements: str) -> None:
        """As `begin`, of statements that may take as long as they need."""
        self._begun(statements)

    def end(self, statement: str) -> None:
        """End the transaction with `commit` or `rollback`."""
        self.run_text(statement)

    def rows(self, name: str, *values: Any) -> list[Row]:
        """All rows of a statement."""
        return self.rows_of(self.statements.text(name), values)

    def rows_of(self, text: str, values: Sequence[Any]) -> list[Row]:
        """All rows of the text of a statement."""
        with self._in_time:
            rows: list[Row] = self._cursor.execute(text, values, binary=True).fetchall()
            return rows

    def row(self, name: str, *values: Any) -> Row | None:
        """The first row of a statement, or none."""
        rows = self.rows(name, *values)
        return rows[0] if rows else None

    def run(self, name: str, *values: Any) -> None:
        """Do what a statement says."""
        self.run_text(self.statements.text(name), values)

    def run_text(self, text: str, values: Sequence[Any] | None = None) -> None:
        """Do what the text of a statement says, or of several without parameters."""
        with self._in_time:
            self._cursor.execute(text, values)

    def copy(self, name: str, types: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        """Send rows to the server.

        Args:
            name: of a statement that copies.
            types: of the columns; bytes go as they are into one of the type bytea.
            rows: the values.
        """
        with self._in_time, self._cursor.copy(self.statements.text(name)) as copy:
            copy.set_types(types)
            for row in rows:
                copy.write_row(row)

    def _begun(self, statements: Sequence[str]) -> Row | None:
        self._cursor.execute("; ".join(statements))
        while self._cursor.nextset():
            pass
        row: Row | None = self._cursor.fetchone() if self._cursor.description else None
        return row

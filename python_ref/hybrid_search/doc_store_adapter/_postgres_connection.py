"""One connection to PostgreSQL, in a transaction: what is asked of the server, in plain words (PG-3)."""

from collections.abc import Iterable, Sequence
from typing import Any

from hybrid_search.doc_store_adapter import _postgres_library as postgres_library
from hybrid_search.doc_store_adapter._postgres_statements import PostgresStatements

Row = tuple[Any, ...]


class PostgresConnection:
    """A connection; one thread at a time may use it.

    Args:
        connection: of psycopg, with every statement a transaction of its own unless one is begun.
        statements: of the collection.

    Raises:
        psycopg.Error: from every method, where the server refuses or fails.

    Attributes:
        statements: as given.
    """

    def __init__(self, connection: Any, statements: PostgresStatements) -> None:
        library = postgres_library.load()
        self.statements = statements
        self._cursor = library.RawCursor(connection, row_factory=library.rows.tuple_row)

    def begin(self, *statements: str) -> Row | None:
        """Begin a transaction; gives the first row of the last statement.

        Args:
            statements: texts without parameters, sent together.
        """
        self._cursor.execute("; ".join(statements))
        while self._cursor.nextset():
            pass
        row: Row | None = self._cursor.fetchone() if self._cursor.description else None
        return row

    def end(self, statement: str) -> None:
        """End the transaction with `commit` or `rollback`."""
        self._cursor.execute(statement)

    def rows(self, name: str, *values: Any) -> list[Row]:
        """All rows of a statement."""
        return self.rows_of(self.statements.text(name), values)

    def rows_of(self, text: str, values: Sequence[Any]) -> list[Row]:
        """All rows of the text of a statement."""
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
        self._cursor.execute(text, values)

    def copy(self, name: str, types: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        """Send rows to the server.

        Args:
            name: of a statement that copies.
            types: of the columns; bytes go as they are into one of the type bytea.
            rows: the values.
        """
        with self._cursor.copy(self.statements.text(name)) as copy:
            copy.set_types(types)
            for row in rows:
                copy.write_row(row)

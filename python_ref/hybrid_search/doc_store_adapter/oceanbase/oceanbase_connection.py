"""A connection to OceanBase that the store makes (OB-3)."""

import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from hybrid_search.doc_store_adapter.oceanbase import oceanbase_errors, oceanbase_library
from hybrid_search.doc_store_adapter.oceanbase.oceanbase_address import OceanBaseAddress
from hybrid_search.doc_store_adapter.oceanbase.oceanbase_statements import OceanBaseStatements

Row = tuple[Any, ...]

PATIENCE = 0.5
"""The number of seconds beyond the server's timeout, so that a working server can report the cause itself."""
IDLE = 300_000_000
"""The number of microseconds after which the server ends the transaction of a lost client."""
STATEMENT_SIZE = 2_000_000
"""The approximate number of characters of the rows in one statement; a server accepts 16 million by default."""


class OceanBaseConnection:
    """A connection; every statement has a limited time.

    Args:
        address: the address of the server.
        statements: the statements of the collection.
        timeout: the maximum number of seconds for a statement, and for connecting.

    Attributes:
        closed: whether the connection is closed or lost.
        is_late: whether the last statement ended because the server did not respond in time.
    """

    def __init__(self, address: OceanBaseAddress, statements: OceanBaseStatements, timeout: float) -> None:
        self._library = oceanbase_library.load()
        self.statements = statements
        self._timeout = timeout
        self.closed = False
        self.is_late = False
        limit = max(1, int(timeout * 1_000_000))
        wait = timeout + PATIENCE
        secured: dict[str, Any] = {}
        if address.ca_file is not None:
            secured = {"ssl_ca": address.ca_file, "ssl_verify_cert": True, "ssl_verify_identity": True}
        else:
            secured = {"ssl_disabled": True}
        self._connection = self._library.connect(
            host=address.host,
            port=address.port,
            user=address.user,
            password=address.password(),
            database=address.database,
            charset="utf8mb4",
            autocommit=True,
            connect_timeout=timeout,
            read_timeout=wait,
            write_timeout=wait,
            init_command=f"set session ob_query_timeout = {limit}, ob_trx_idle_timeout = {IDLE}",
            **secured,
        )

    def rows(self, name: str, **values: str | int) -> list[Row]:
        """Return all rows of a statement."""
        return self.run_text(self.statements.text(name, **values))

    def row(self, name: str, **values: str | int) -> Row | None:
        """Return the first row of a statement, or `None`."""
        rows = self.rows(name, **values)
        return rows[0] if rows else None

    def run(self, name: str, **values: str | int) -> None:
        """Run a statement."""
        self.run_text(self.statements.text(name, **values))

    def run_rows(self, name: str, place: str, members: Sequence[str], in_brackets: bool = False, **values: Any) -> None:
        """Run a statement with rows or values, several times if they are many; never without any.

        Args:
            name: the name of the statement.
            place: the name of the place of the rows.
            members: the rows or values, as parts of a statement.
            in_brackets: whether the statement takes the members in brackets.
            values: further values.
        """
        start = 0
        while start < len(members):
            end, size = start, 0
            while end < len(members) and (end == start or size + len(members[end]) < STATEMENT_SIZE):
                size += len(members[end])
                end += 1
            joined = ",".join(members[start:end])
            self.run(name, **{place: f"({joined})" if in_brackets else joined}, **values)
            start = end

    def run_text(self, text: str) -> list[Row]:
        """Run a statement that is given as text, and return its rows."""
        began = time.monotonic()
        try:
            with self._connection.cursor() as cursor:
                cursor.execute(text)
                return list(cursor.fetchall())
        except (self._library.Error, OSError) as error:
            self.is_late = time.monotonic() - began >= self._timeout
            if oceanbase_errors.code(error) in oceanbase_errors.CONNECTION_CODES:
                self.close()
            raise
        except BaseException:  # the response to the statement is still to come
            self.close()
            raise

    def close(self) -> None:
        """Close the connection without waiting for the server."""
        self.closed = True
        with suppress(Exception):
            self._connection._force_close()

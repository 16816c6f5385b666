"""The servers in a connection string, and the time that each has to respond (PG-3)."""

import os
from typing import Any

from hybrid_search.doc_store_adapter.postgres import postgres_library

LEAST_TO_CONNECT = 2
"""The minimum number of seconds for which libpq tries a server."""


class PostgresHosts:
    """The servers that a connection string names.

    Args:
        text: the connection string of libpq.
        timeout: the number of seconds that a connection may take.

    Raises:
        psycopg.Error: libpq does not accept the text; from `connect`, no server can be reached.

    Attributes:
        seconds: the number of seconds that all servers together may take.
    """

    def __init__(self, text: str, timeout: float) -> None:
        self._library = postgres_library.load()
        self._text = text
        told = self._library.conninfo.conninfo_to_dict(text)
        named = told.get("host") or told.get("hostaddr") or os.environ.get("PGHOST") or ""
        count = str(named).count(",") + 1
        self.seconds = max(float(LEAST_TO_CONNECT * count), timeout)
        self._options: dict[str, Any] = {}
        if told.get("connect_timeout") is None and "PGCONNECT_TIMEOUT" not in os.environ:
            # A single server gets more time than the store waits, so that the error is always the store's own.
            share = 2 * self.seconds if count == 1 else self.seconds / count
            self._options["connect_timeout"] = max(LEAST_TO_CONNECT, int(share))

    def connect(self) -> Any:
        """Return a new connection to the first server that can be reached and has the required role."""
        return self._library.connect(self._text, autocommit=True, prepare_threshold=None, **self._options)

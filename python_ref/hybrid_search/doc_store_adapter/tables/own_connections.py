"""Connections to a database that a store creates and reuses (PG-3, OB-3)."""

import os
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from hybrid_search.base import validation
from hybrid_search.base.process_lock import ProcessLock
from hybrid_search.errors import DocStoreError


class OwnConnections:
    """Creates connections when they are needed, and reuses them; a forked child creates its own.

    Args:
        connect: creates a connection.
        most: the maximum number of connections in use at the same time.
        timeout: the maximum number of seconds to wait for a connection.
        error: returns the error for a message.
    """

    def __init__(
        self, connect: Callable[[], Any], most: int, timeout: float, error: Callable[[str], DocStoreError]
    ) -> None:
        self._connect = connect
        self._most = most
        self._timeout = timeout
        self._error = error
        self._lock = ProcessLock(threading.Condition)
        self._process = os.getpid()
        self._idle: list[Any] = []
        self._lent = 0
        self._is_closed = False

    def take(self) -> tuple[Any, bool]:
        """See `PostgresPool.take`.

        Raises:
            DocStoreError: all connections were in use for `timeout` seconds.
        """
        deadline = time.monotonic() + self._timeout
        with self._lock.mutex as _:
            self._renew()
            while self._lent >= self._most:
                if not self._lock.mutex.wait(max(0.0, deadline - time.monotonic())) and self._lent >= self._most:
                    waited = validation.describe(self._timeout)
                    raise self._error(f"has no free connection: all {self._most} were in use for {waited} seconds")
            self._lent += 1
            if self._idle:
                return self._idle.pop(), True
        try:
            return self._connect(), False
        except BaseException:
            self._return()
            raise

    def give(self, connection: Any) -> None:
        """See `PostgresPool.give`."""
        if self._is_closed:
            connection.close()
        self._return(None if connection.closed else connection)

    def close(self) -> None:
        """See `PostgresPool.close`."""
        with self._lock.mutex:
            self._renew()
            idle, self._idle = self._idle, []
            self._is_closed = True
        for connection in idle:
            with suppress(Exception):
                connection.close()

    def _return(self, connection: Any = None) -> None:
        with self._lock.mutex:
            self._lent -= 1
            if connection is not None:
                self._idle.append(connection)
            self._lock.mutex.notify()

    def _renew(self) -> None:
        """Forget the connections of a parent process after a fork; psycopg closes only connections of its process."""
        if self._process != os.getpid():
            self._process = os.getpid()
            self._idle, self._lent = [], 0

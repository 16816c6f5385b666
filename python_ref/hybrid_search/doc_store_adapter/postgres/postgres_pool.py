"""Connections to PostgreSQL, created by the store or given by the caller (PG-3)."""

import inspect
from collections.abc import Callable
from typing import Any, Protocol

from hybrid_search.base import object_checks, validation
from hybrid_search.base.process_lock import ProcessLock
from hybrid_search.doc_store_adapter.postgres import postgres_watch
from hybrid_search.errors import DocStoreError


class PostgresPool(Protocol):
    """Lends each connection to one call at a time."""

    def take(self) -> tuple[Any, bool]:
        """Return a connection for exclusive use until it is given back, and whether it was used before."""
        ...

    def give(self, connection: Any) -> None:
        """Give a connection back; a closed one is not used again."""
        ...

    def close(self) -> None:
        """Close the store's own connections."""
        ...


class GivenPool:
    """The caller's pool, with `getconn` and `putconn` as in psycopg_pool.

    Args:
        pool: the pool.
        timeout: the number of seconds to wait for a connection, unless the pool itself waits for less.
        error: returns the error for a message.
    """

    def __init__(self, pool: Any, timeout: float, error: Callable[[str], DocStoreError]) -> None:
        self._pool = pool
        own = getattr(pool, "timeout", timeout)
        self._timeout = min(timeout, float(own)) if isinstance(own, int | float) else timeout
        self._error = error
        self._modes: dict[int, bool] = {}

    def take(self) -> tuple[Any, bool]:
        """See `PostgresPool.take`."""
        try:
            connection = self._lent()
        except Exception as problem:
            if "Timeout" in type(problem).__name__:  # psycopg_pool raises PoolTimeout
                waited = validation.describe(self._timeout)
                raise self._error(f"has no free connection: the pool lent none within {waited} seconds") from None
            shown = validation.plain_message(problem)
            raise self._error(f"was lent no connection by the pool: {shown}") from None
        if not is_connection(connection):
            self._pool.putconn(connection)
            shown = validation.describe(connection)
            raise self._error(f"was lent {shown} by the pool, not a connection of psycopg")
        self._modes[id(connection)] = own_transactions(connection)
        return connection, True

    def give(self, connection: Any) -> None:
        """See `PostgresPool.give`."""
        restore(connection, self._modes.pop(id(connection)))
        self._pool.putconn(connection)

    def close(self) -> None:
        """See `PostgresPool.close`; the pool stays open."""

    def _lent(self) -> Any:
        try:
            is_bounded = "timeout" in inspect.signature(self._pool.getconn).parameters
        except (TypeError, ValueError):
            is_bounded = False
        if is_bounded:
            return self._pool.getconn(timeout=self._timeout)
        return postgres_watch.made_within(self._timeout, self._pool.getconn, self._pool.putconn)


class GivenConnection:
    """The caller's only connection, for one call at a time.

    Args:
        connection: a connection of psycopg.
    """

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self._lock = ProcessLock()
        self._mode = True

    def take(self) -> tuple[Any, bool]:
        """See `PostgresPool.take`."""
        self._lock.mutex.acquire()
        try:
            self._mode = own_transactions(self._connection)
        except BaseException:
            self._lock.mutex.release()
            raise
        return self._connection, False

    def give(self, connection: Any) -> None:
        """See `PostgresPool.give`."""
        try:
            restore(connection, self._mode)
        finally:
            self._lock.mutex.release()

    def close(self) -> None:
        """See `PostgresPool.close`; the connection stays open."""


def is_connection(value: Any) -> bool:
    """Return whether a value is a connection of psycopg."""
    return all(object_checks.has(value, name) for name in ("info", "autocommit", "closed"))


def state(connection: Any) -> str:
    """Return the state according to libpq: "IDLE", "ACTIVE", "INTRANS", "INERROR", or "UNKNOWN" if closed."""
    return "UNKNOWN" if connection.closed else str(connection.info.transaction_status.name)


def is_idle(connection: Any) -> bool:
    """Return whether a connection is open and not in a transaction."""
    return state(connection) == "IDLE"


def own_transactions(connection: Any) -> bool:
    """Set autocommit on an idle connection, and return whether it was set before."""
    before = bool(connection.autocommit)
    if not before and is_idle(connection):
        connection.autocommit = True
    return before


def restore(connection: Any, autocommit: bool) -> None:
    """Restore the autocommit setting of an idle connection."""
    if not autocommit and is_idle(connection):
        connection.autocommit = False

"""Connections to one file, for several threads and over forks (SQL-3)."""

import os
import sqlite3
import threading
import weakref
from collections.abc import Callable
from contextlib import suppress

from hybrid_search.doc_store_adapter.sqlite.sqlite_connection import SqliteConnection
from hybrid_search.errors import DocStoreError

LONGEST_HOLD = 10.0
"""The maximum number of seconds that a fork waits for the users of connections."""


class SqlitePool:
    """Lends each connection to one call at a time, and reuses idle ones.

    SQLite's connections must not be carried into a forked child: locks belong to a process, but SQLite's own notes of
    them are copied. Before a fork, the pool therefore waits for the connections that are in use, and closes all.

    Args:
        connect: opens a connection.
        closed: makes the error of calls after `close`.
    """

    def __init__(self, connect: Callable[[], SqliteConnection], closed: Callable[[], DocStoreError]) -> None:
        self._connect = connect
        self._closed = closed
        self._is_closed = False
        self._idle: list[SqliteConnection] = []
        self._users: dict[int, int] = {}
        self._free = threading.Condition()
        _POOLS.add(self)

    def take(self) -> SqliteConnection:
        """Return a connection for exclusive use until it is given back.

        Raises:
            DocStoreError: the pool is closed.
        """
        with self._free:
            if self._is_closed:
                raise self._closed()
            thread = threading.get_ident()
            self._users[thread] = self._users.get(thread, 0) + 1
            idle = self._idle.pop() if self._idle else None
        if idle is not None:
            return idle
        try:
            return self._connect()
        except BaseException:
            self._leave(thread)
            raise

    def give(self, connection: SqliteConnection, usable: bool) -> None:
        """Give a connection back.

        Args:
            connection: the result of `take` in this thread.
            usable: whether it may be used again.
        """
        kept = False
        with self._free:
            if usable and not self._is_closed:
                self._idle.append(connection)
                kept = True
        if not kept:
            connection.close()
        self._leave(threading.get_ident())

    def close(self) -> None:
        """Close all connections; those in use are closed when they are given back."""
        with self._free:
            self._is_closed = True
        self.drop_idle()

    def drop_idle(self) -> bool:
        """Close the idle connections; return whether connections are in use."""
        with self._free:
            idle, self._idle = self._idle, []
            used = bool(self._users)
        for connection in idle:
            connection.close()
        return used

    @property
    def is_open(self) -> bool:
        """Whether connections are open, or are being opened."""
        return bool(self._idle) or bool(self._users)

    def hold(self) -> None:
        """Prepare for a fork: wait until no connection is in use, close all connections, and lend no more."""
        self._free.acquire()
        own = threading.get_ident()
        self._free.wait_for(lambda: not self._users.keys() - {own}, LONGEST_HOLD)
        while self._idle:
            with suppress(sqlite3.Error):
                self._idle.pop().close()

    def release(self) -> None:
        """Lend connections again, in the parent after a fork."""
        self._free.release()

    def renew(self) -> None:
        """Start without connections, in the child after a fork."""
        self._free = threading.Condition()
        self._users = {}

    def _leave(self, thread: int) -> None:
        with self._free:
            self._users[thread] -= 1
            if not self._users[thread]:
                del self._users[thread]
            self._free.notify_all()


_POOLS: weakref.WeakSet[SqlitePool] = weakref.WeakSet()
_HELD: list[SqlitePool] = []


def _hold_all() -> None:
    for pool in list(_POOLS):
        pool.hold()
        _HELD.append(pool)


def _release_all() -> None:
    while _HELD:
        _HELD.pop().release()


def _renew_all() -> None:
    while _HELD:
        _HELD.pop().renew()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_hold_all, after_in_parent=_release_all, after_in_child=_renew_all)

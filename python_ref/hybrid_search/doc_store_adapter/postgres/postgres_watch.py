"""Ends connections on which a server does not respond in time, if the server itself does not end them (PG-3)."""

import os
import socket
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, TypeVar

from hybrid_search.base.process_lock import ProcessLock

Made = TypeVar("Made")

PATIENCE = 0.5
"""The number of seconds beyond the server's timeout, so that a working server can report the cause itself."""


class PostgresWatch:
    """Watches the connections in use, and cuts each one on which a response is late.

    The waiting thread is inside libpq, while it sends or receives; shutting down the socket ends the wait at once. As
    long as connections are in use, a thread checks them whenever a response could be late.

    Args:
        timeout: the maximum number of seconds for a statement.
    """

    def __init__(self, timeout: float) -> None:
        self._seconds = timeout + PATIENCE
        self._lock = ProcessLock()
        self._process = os.getpid()
        self._watched: set[WatchedConnection] = set()
        self._is_looking = False

    def over(self, connection: Any) -> "WatchedConnection":
        """Watch a connection of psycopg until it is released."""
        with self._lock.mutex:
            if self._process != os.getpid():  # after a fork, the parent's connections are not watched
                self._process = os.getpid()
                self._watched, self._is_looking = set(), False
            watched = WatchedConnection(connection, self._seconds, self._lock, self._watched)
            if not self._is_looking:
                threading.Thread(target=self._look, name="PostgresWatch", daemon=True).start()
                self._is_looking = True
        return watched

    def _look(self) -> None:
        """Check the connections repeatedly; a wait that begins after a check is not late before the next one."""
        while True:
            with self._lock.mutex:
                if not self._watched:
                    self._is_looking = False
                    return
                now = time.monotonic()
                pause = min(watched.cut(now) for watched in list(self._watched))
            time.sleep(pause)


class WatchedConnection:
    """A connection that is cut when a response is late. `PostgresWatch.over` creates it under its lock.

    Args:
        connection: a connection of psycopg.
        seconds: the maximum number of seconds for a response.
        lock: the lock of the watch.
        watched: the set of the watch, which contains the connection until it is released.

    Attributes:
        is_late: whether the connection was cut.
    """

    def __init__(self, connection: Any, seconds: float, lock: ProcessLock, watched: "set[WatchedConnection]") -> None:
        self._connection = connection
        self._seconds = seconds
        self._lock = lock
        self._watched = watched
        self._deadline: float | None = None
        # After a lost connection, another socket may have the number of libpq's own.
        self._socket = socket.fromfd(connection.fileno(), socket.AF_INET, socket.SOCK_STREAM)
        self.is_late = False
        watched.add(self)

    def __enter__(self) -> None:
        """Begin to wait."""
        self._deadline = time.monotonic() + self._seconds

    def __exit__(self, *error: object) -> None:
        """Stop waiting; a response at the last moment is valid, but the connection is not used again."""
        with self._lock.mutex:
            self._deadline = None
        if self.is_late:
            self._connection.close()

    def cut(self, now: float) -> float:
        """Cut the connection if a response is late; return the number of seconds until the next check."""
        left = self._seconds if self._deadline is None else self._deadline - now
        if left > 0:
            return left
        self.is_late = True
        self._deadline = None
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        return self._seconds

    def release(self) -> None:
        """Stop watching the connection."""
        with self._lock.mutex:
            self._watched.discard(self)
        self._socket.close()


def made_within(seconds: float, make: Callable[[], Made], discard: Callable[[Made], object]) -> Made:
    """Return an object that another thread makes.

    Args:
        seconds: the maximum number of seconds to wait.
        make: makes the object.
        discard: receives an object that was made too late.

    Raises:
        TimeoutError: it took longer.
        BaseException: the error that `make` raised.
    """
    future: Future[Made] = Future()

    def run() -> None:
        try:
            made = make()
        except BaseException as error:
            if future.set_running_or_notify_cancel():
                future.set_exception(error)
        else:
            if future.set_running_or_notify_cancel():
                future.set_result(made)
            else:
                discard(made)

    threading.Thread(target=run, name="PostgresConnecting", daemon=True).start()
    try:
        return future.result(seconds)
    except TimeoutError:
        if future.cancel():
            raise
        return future.result()  # the object was made at the last moment
    except BaseException:
        future.cancel()
        raise

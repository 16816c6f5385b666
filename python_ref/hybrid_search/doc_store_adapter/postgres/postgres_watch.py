"""Ends what a server does not answer in time, where the server itself does not (PG-3)."""

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
"""For how many seconds more than a server has is waited for it, so that one that works says itself what took long."""


class PostgresWatch:
    """Looks after the connections in use: each on which an answer is late is cut, whoever waits for it.

    What waits is libpq, in either direction and whatever is asked; that its socket has been shut down ends all of it at
    once. A thread looks whenever an answer could be late, as long as connections are in use.

    Args:
        timeout: for how many seconds a statement may take.
    """

    def __init__(self, timeout: float) -> None:
        self._seconds = timeout + PATIENCE
        self._lock = ProcessLock()
        self._process = os.getpid()
        self._watched: set[WatchedConnection] = set()
        self._is_looking = False

    def over(self, connection: Any) -> "WatchedConnection":
        """Look after a connection of psycopg until it is released."""
        with self._lock.mutex:
            if self._process != os.getpid():  # those of the process that has forked this one are not its own
                self._process = os.getpid()
                self._watched, self._is_looking = set(), False
            watched = WatchedConnection(connection, self._seconds, self._lock, self._watched)
            if not self._is_looking:
                threading.Thread(target=self._look, name="PostgresWatch", daemon=True).start()
                self._is_looking = True
        return watched

    def _look(self) -> None:
        """Whoever begins to wait after a look is not late before the next one."""
        while True:
            with self._lock.mutex:
                if not self._watched:
                    self._is_looking = False
                    return
                now = time.monotonic()
                pause = min(watched.cut(now) for watched in list(self._watched))
            time.sleep(pause)


class WatchedConnection:
    """A connection that is cut when an answer on it is late. Made by `PostgresWatch.over`, under its lock.

    Args:
        connection: of psycopg.
        seconds: how long an answer may take.
        lock: of the watch.
        watched: of the watch; the connection is in it until it is released.

    Attributes:
        is_late: whether it was cut.
    """

    def __init__(self, connection: Any, seconds: float, lock: ProcessLock, watched: "set[WatchedConnection]") -> None:
        self._connection = connection
        self._seconds = seconds
        self._lock = lock
        self._watched = watched
        self._deadline: float | None = None
        # The number of libpq's own socket may be another's once the connection is lost.
        self._socket = socket.fromfd(connection.fileno(), socket.AF_INET, socket.SOCK_STREAM)
        self.is_late = False
        watched.add(self)

    def __enter__(self) -> None:
        """Begin to wait."""
        self._deadline = time.monotonic() + self._seconds

    def __exit__(self, *error: object) -> None:
        """Wait no longer. What was answered at the last moment counts, but nothing more is asked there."""
        with self._lock.mutex:
            self._deadline = None
        if self.is_late:
            self._connection.close()

    def cut(self, now: float) -> float:
        """Cut the connection where an answer on it is late; gives in how many seconds to look again."""
        left = self._seconds if self._deadline is None else self._deadline - now
        if left > 0:
            return left
        self.is_late = True
        self._deadline = None
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        return self._seconds

    def release(self) -> None:
        """Look after it no longer."""
        with self._lock.mutex:
            self._watched.discard(self)
        self._socket.close()


def made_within(seconds: float, make: Callable[[], Made], discard: Callable[[Made], object]) -> Made:
    """What is made in another thread.

    Args:
        seconds: how long that may take.
        make: makes it.
        discard: takes what was made too late.

    Raises:
        TimeoutError: it takes longer.
        BaseException: what `make` raises.
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
        return future.result()  # it was made at the last moment
    except BaseException:
        future.cancel()
        raise

"""A lock that a forked child does not inherit from threads it does not have."""

import os
import threading
import weakref
from types import TracebackType


class ProcessLock:
    """A mutex that is open in a child process, even if another thread held it when the process was forked.

    What it guards must then be usable: all or nothing of a change, whichever moment it was forked at.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        _LOCKS.add(self)

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        """See `threading.Lock.acquire`."""
        return self._lock.acquire(blocking, timeout)

    def release(self) -> None:
        """See `threading.Lock.release`."""
        self._lock.release()

    def __enter__(self) -> bool:
        return self._lock.__enter__()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._lock.release()

    def renew(self) -> None:
        """Open the lock, whoever holds it: only for a process that has just been forked."""
        self._lock = threading.Lock()


_LOCKS: weakref.WeakSet[ProcessLock] = weakref.WeakSet()


def _renew_all() -> None:
    for lock in list(_LOCKS):
        lock.renew()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_all)

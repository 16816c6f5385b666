"""A lock that is always open in a forked child, even if a thread of the parent held it."""

import os
import threading
import weakref
from collections.abc import Callable
from typing import Any


class ProcessLock:
    """A mutex that is open in a child process, even if another thread held it when the process was forked.

    The guarded data must be usable at any moment of a fork: changes to it are all or nothing.

    Args:
        make: makes the mutex: `threading.Lock` or `threading.Condition`.

    Attributes:
        mutex: the lock itself, for `with`; entering it is then one step that nothing can interrupt.
    """

    def __init__(self, make: Callable[[], Any] = threading.Lock) -> None:
        self._make = make
        self.mutex: Any = make()
        _LOCKS.add(self)

    def renew(self) -> None:
        """Open the lock, no matter which thread holds it; only for a process that has just been forked."""
        self.mutex = self._make()


_LOCKS: weakref.WeakSet[ProcessLock] = weakref.WeakSet()


def _renew_all() -> None:
    for lock in list(_LOCKS):
        lock.renew()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_all)

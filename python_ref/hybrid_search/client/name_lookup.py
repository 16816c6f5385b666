"""Resolves the names of hosts within a time limit."""

import os
import socket
import threading
from typing import Any

from hybrid_search.client.deadline import Deadline
from hybrid_search.client.exchange_error import ExchangeError

MOST = 8
"""The maximum number of hosts that a process looks up at the same time."""

Addresses = list[Any]


class NameLookup:
    """Resolves the names of hosts.

    The system's resolver cannot be interrupted, so it runs in threads of its own, and callers wait for these as long as
    they have time. A thread without waiting callers ends when the resolver gives up, according to its own settings
    (`resolv.conf`). Until then it counts as one of the 8 threads that a process may have. Simultaneous callers with the
    same host share a thread. A numeric address needs no thread.
    """

    _lock = threading.Lock()
    _under_way: dict[tuple[str, int], "_LookUp"] = {}  # noqa: RUF012 (one table for all of the process)

    @classmethod
    def addresses(cls, host: str, port: int, deadline: Deadline) -> Addresses:
        """Return the addresses of a host, the best first, as `socket.getaddrinfo` does.

        Args:
            host: a name or an address.
            port: the port.
            deadline: limits the time.

        Raises:
            ExchangeError: the host has no address, or none was found in time.
        """
        written_out = _resolve(host, port, socket.AI_NUMERICHOST)
        if written_out:
            return written_out
        look_up = cls._shared(host, port)
        deadline.check()
        if not look_up.done.wait(deadline.left()):
            raise deadline.past()
        if not look_up.addresses:
            raise ExchangeError("cannot be found: its host name has no address")
        return look_up.addresses

    @classmethod
    def _shared(cls, host: str, port: int) -> "_LookUp":
        """Return the running look-up of a host, or start one."""
        with cls._lock:
            cls._under_way = {key: one for key, one in cls._under_way.items() if not one.done.is_set()}
            if (host, port) not in cls._under_way:
                if len(cls._under_way) >= MOST:
                    raise _too_many()
                cls._under_way[host, port] = _LookUp(host, port)
            return cls._under_way[host, port]

    @classmethod
    def _forget(cls) -> None:
        """Forget all look-ups in a forked process, which does not have the threads of its parent."""
        cls._lock = threading.Lock()
        cls._under_way = {}


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=NameLookup._forget)


class _LookUp:
    """A look-up in a thread of its own.

    Attributes:
        done: set when the look-up has ended.
        addresses: the addresses; empty until then, and if the host has none.
    """

    def __init__(self, host: str, port: int) -> None:
        self.done = threading.Event()
        self.addresses: Addresses = []
        try:
            threading.Thread(target=self._run, args=(host, port), name="look-up of a host", daemon=True).start()
        except RuntimeError:
            raise _too_many() from None

    def _run(self, host: str, port: int) -> None:
        try:
            self.addresses = _resolve(host, port, 0)
        finally:
            self.done.set()


def _resolve(host: str, port: int, flags: int) -> Addresses:
    try:
        return socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=flags)
    except (OSError, UnicodeError):
        return []


def _too_many() -> ExchangeError:
    return ExchangeError("cannot be found: too many look-ups of host names are under way")

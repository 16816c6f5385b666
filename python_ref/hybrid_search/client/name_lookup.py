"""The addresses of hosts, within a time limit."""

import os
import socket
import threading
from typing import Any

from hybrid_search.client.deadline import Deadline
from hybrid_search.client.exchange_error import ExchangeError

MOST = 8
"""How many hosts a process looks up at once."""

Addresses = list[Any]


class NameLookup:
    """Looks hosts up.

    The system's resolver cannot be interrupted, so it runs in threads of its own, which callers wait for as long as
    they have time. A thread whose callers have gone ends when the resolver gives up, by its own settings
    (`resolv.conf`); until then it counts as one of the 8 that a process may have. Those who ask for the same host at
    once share a thread. An address that is written out needs none.
    """

    _lock = threading.Lock()
    _under_way: dict[tuple[str, int], "_LookUp"] = {}  # noqa: RUF012 (one table for all of the process)

    @classmethod
    def addresses(cls, host: str, port: int, deadline: Deadline) -> Addresses:
        """Where to connect to, the best first, as `socket.getaddrinfo` has them.

        Args:
            host: a name or an address.
            port: the port.
            deadline: how long it may take.

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
        """The look-up of a host that is under way, else one that begins now."""
        with cls._lock:
            cls._under_way = {key: one for key, one in cls._under_way.items() if not one.done.is_set()}
            if (host, port) not in cls._under_way:
                if len(cls._under_way) >= MOST:
                    raise _too_many()
                cls._under_way[host, port] = _LookUp(host, port)
            return cls._under_way[host, port]

    @classmethod
    def _forget(cls) -> None:
        """In a process that was forked: the threads of the other one are not here."""
        cls._lock = threading.Lock()
        cls._under_way = {}


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=NameLookup._forget)


class _LookUp:
    """A look-up in a thread of its own.

    Attributes:
        done: set when it has ended.
        addresses: what it found; empty before, and if the host has none.
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

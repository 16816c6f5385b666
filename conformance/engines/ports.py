"""Ports of the loopback address that nothing listens on."""

import socket
from contextlib import ExitStack

HOST = "127.0.0.1"


def free(count: int = 1, wanted: int | None = None) -> list[int]:
    """So many free ports; the first is the wanted one where it is free."""
    with ExitStack() as held:
        ports: list[int] = []
        if wanted is not None and _takes(wanted, held):
            ports.append(wanted)
        while len(ports) < count:
            found = held.enter_context(socket.socket())
            found.bind((HOST, 0))
            ports.append(found.getsockname()[1])
        return ports


def _takes(port: int, held: ExitStack) -> bool:
    listening = held.enter_context(socket.socket())
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((HOST, port))
    except OSError:
        return False
    return True

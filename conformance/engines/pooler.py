"""Debian's PgBouncer in front of a PostgreSQL server, as many programs reach theirs: in transaction mode."""

import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

from conformance.engines import ports
from conformance.engines.account import account
from conformance.engines.engine import ENVIRONMENT
from conformance.engines.errors import EngineError
from conformance.engines.folders import folders

PROGRAM = "pgbouncer"
SETTINGS = """\
[databases]
* = host={host} port={server} user={user} password={password}
[pgbouncer]
listen_addr = {host}
listen_port = {port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = {connections}
max_client_conn = 100
"""
PATIENCE = 30.0


def program() -> str | None:
    """Where the program is."""
    return shutil.which(PROGRAM, path="/usr/sbin:/usr/bin:/usr/local/bin")


@contextmanager
def pooled(url: str, connections: int = 2) -> Iterator[str]:
    """A URL that reaches the same databases through a pooler, which ends with the block.

    Args:
        url: of a server.
        connections: how many connections to the server all clients share.

    Raises:
        EngineError: it is not installed, or does not start.
    """
    found = program()
    if found is None:
        raise EngineError("PgBouncer is not installed (Debian's package pgbouncer)")
    parts = urlsplit(url)
    assert parts.username
    port = ports.free()[0]
    who = account()
    folder = folders(who).data / f"pooler-{port}"
    who.own(folder)
    settings = folder / "pgbouncer.ini"
    settings.touch(mode=0o600)
    settings.write_text(
        SETTINGS.format(
            host=ports.HOST,
            server=parts.port,
            user=parts.username,
            password=parts.password,
            port=port,
            connections=connections,
        ),
        "utf-8",
    )
    if who.switch:
        shutil.chown(settings, who.uid, who.gid)
    log = folder / "log"
    with log.open("w", encoding="utf-8") as written:
        process = who.popen([found, settings], folder, ENVIRONMENT, stdout=written, stderr=subprocess.STDOUT)
    try:
        _wait(port, process, log)
        yield f"postgresql://{parts.username}@{ports.HOST}:{port}{parts.path}"
    finally:
        process.send_signal(signal.SIGTERM)  # which ends it at once; SIGINT would wait for clients to go
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(PATIENCE)
        shutil.rmtree(folder)


def _wait(port: int, process: "subprocess.Popen[str]", log: Path) -> None:
    until = time.monotonic() + PATIENCE
    while process.poll() is None and time.monotonic() < until:
        with suppress(OSError), socket.create_connection((ports.HOST, port), timeout=1.0):
            return
        time.sleep(0.05)
    raise EngineError(f"PgBouncer does not start:\n{log.read_text('utf-8', errors='replace').strip()[-2000:]}")

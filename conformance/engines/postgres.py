"""PostgreSQL with pgvector."""

import json
import os
import secrets
import signal
from collections.abc import Sequence
from pathlib import Path

from conformance.engines import ports
from conformance.engines.account import Account
from conformance.engines.engine import ENVIRONMENT, Engine
from conformance.engines.errors import EngineError
from conformance.engines.folders import Folders
from conformance.engines.postgres_programs import NEWEST, RELEASES
from conformance.engines.processes import Program
from conformance.engines.states import State

CLUSTER = ("--encoding=UTF8", "--auth=scram-sha-256")
ROLE = "hybrid_search"
"""The role that clients are: no superuser, owner of the database of the same name, able to make further ones."""
SUPERUSER = "postgres"
SETTINGS = {
    "listen_addresses": ports.HOST,
    "unix_socket_directories": "",
    "shared_buffers": "256MB",
    "max_wal_size": "2GB",
    "max_connections": "100",
    "log_line_prefix": "%m [%p] ",
    "timezone": "UTC",
}
BRIEF = {"fsync": "off", "full_page_writes": "off"}
"""What is acknowledged outlives every program, but no loss of power."""
PATIENCE = 120.0
ENDING = 10.0
ATTEMPTS = 3


class Postgres(Engine):
    """A PostgreSQL server that listens on the loopback address alone, and asks for a password.

    Args:
        folders: where programs and data are.
        account: whom it runs as.
        instance: its name in those folders; without one that of the release.
        release: which one it is.
    """

    kind = "postgres"
    variable = "HYBRID_SEARCH_POSTGRES_URL"

    def __init__(self, folders: Folders, account: Account, instance: str | None = None, release: str = NEWEST) -> None:
        super().__init__(folders, account, instance or (None if release == NEWEST else f"{self.kind}-{release}"))
        self._programs = RELEASES[release]

    def version(self) -> str:
        """What it is, for people."""
        return f"PostgreSQL {self._programs.version}, pgvector {self._programs.vector}"

    def url(self, port: int, role: str = ROLE, database: str = ROLE) -> str:
        """Where a client connects to."""
        return f"postgresql://{role}:{self._secrets()[role]}@{ports.HOST}:{port}/{database}"

    @property
    def cluster(self) -> Path:
        """PostgreSQL's own data folder."""
        return self.place / "cluster"

    def _begin(self, nodes: int, before: State | None) -> State:
        if nodes != 1:
            raise EngineError(f"PostgreSQL runs as one node, not {nodes}")
        programs = self._programs.installed(self.folders)
        self._initialized(programs)
        for attempt in range(1, ATTEMPTS + 1):
            port = ports.free(wanted=before.ports[0] if before and attempt == 1 else None)[0]
            settings = {"port": port, **SETTINGS, **(BRIEF if self.brief else {})}
            options = " ".join(f"-c {name}='{value}'" for name, value in settings.items())
            command: list[str | Path] = [
                programs / "pg_ctl",
                "start",
                "--wait",
                f"--timeout={PATIENCE:.0f}",
                f"--pgdata={self.cluster}",
            ]
            try:
                self._run([*command, f"--log={self.place / 'log'}", f"--options={options}"])
            except EngineError as problem:
                if attempt == ATTEMPTS:  # before that it may be a port that was taken meanwhile
                    raise EngineError(f"{problem}\n{self._last_words()}") from None
            else:
                break
        pid = int((self.cluster / "postmaster.pid").read_text("utf-8").split()[0])
        return State((Program.of(pid),), (port,), self.url(port), self._secrets())

    def _end(self, state: State) -> None:
        for program in state.programs:
            # Clients are sent away, what they have committed is written. SIGTERM would wait for clients to go.
            program.end(signal.SIGINT, PATIENCE)
            program.wait_reaped(ENDING)

    def _initialized(self, programs: Path) -> None:
        """Make the cluster with its roles and its database, all of it or nothing.

        Only a superuser may create pgvector's extension: it is in the template, and so in every database made later.
        """
        if self.cluster.is_dir():
            return
        unfinished = self.place / f"unfinished-{os.getpid()}"
        passwords = {SUPERUSER: secrets.token_hex(16), ROLE: secrets.token_hex(16)}
        given = self.place / "given"
        self._give(given, passwords[SUPERUSER])
        kind = [*CLUSTER, *self._programs.locale]
        self._run([programs / "initdb", *kind, f"--username={SUPERUSER}", f"--pwfile={given}", "-D", unfinished])
        self._give(
            given,
            f"create extension vector\ncreate role {ROLE} login createdb password '{passwords[ROLE]}'\n"
            f"create database {ROLE} owner {ROLE}\n",
        )
        shell = 'exec "$0" --single -D "$1" template1 < "$2"'
        self._run(["/bin/sh", "-c", shell, programs / "postgres", unfinished, given])
        given.unlink()
        (self.folders.states / f"{self.instance}.secrets").touch(mode=0o600)
        (self.folders.states / f"{self.instance}.secrets").write_text(json.dumps(passwords), "utf-8")
        unfinished.rename(self.cluster)

    def _give(self, file: Path, text: str) -> None:
        """Write what only the account may read."""
        file.touch(mode=0o600)
        file.write_text(text, "utf-8")
        if self.account.switch:
            os.chown(file, self.account.uid, self.account.gid)

    def _secrets(self) -> dict[str, str]:
        kept: dict[str, str] = json.loads((self.folders.states / f"{self.instance}.secrets").read_text("utf-8"))
        return kept

    def _run(self, command: Sequence[str | Path]) -> str:
        return self.account.run(command, self.place, ENVIRONMENT, PATIENCE + 10.0)

    def _last_words(self) -> str:
        log = self.place / "log"
        return "\n".join(log.read_text("utf-8", errors="replace").splitlines()[-20:]) if log.is_file() else ""

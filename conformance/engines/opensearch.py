"""OpenSearch of one or three nodes with the k-NN plugin, put together from Maven Central."""

import dataclasses
import http.client
import json
import signal
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from conformance.engines import downloads, java, opensearch_parts, ports
from conformance.engines.account import Account
from conformance.engines.engine import ENVIRONMENT, Engine
from conformance.engines.errors import EngineError
from conformance.engines.processes import Program
from conformance.engines.states import State

PATIENCE = 300.0
"""How long the nodes may take to find each other, in seconds."""
ENDING = 60.0
HEAP = "512m"
OPTIONS = f"""\
-Xms{HEAP}
-Xmx{HEAP}
-Djava.io.tmpdir=${{OPENSEARCH_TMPDIR}}
18-:-Djava.security.manager=allow
20-:--add-modules=jdk.incubator.vector
-Djava.util.concurrent.ForkJoinPool.common.threadFactory=org.opensearch.secure_sm.SecuredForkJoinWorkerThreadFactory
"""
FOR_LONG = "-XX:+UseG1GC\n"
FOR_MINUTES = "-XX:+UseSerialGC\n-XX:TieredStopAtLevel=1\n"
"""Without the second compiler, whose work takes longer than a short run gains by it."""
LOGGING = """\
status = error
appender.console.type = Console
appender.console.name = console
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = [%d{ISO8601}][%-5p][%-25c{1.}] [%node_name]%marker %m%n
rootLogger.level = info
rootLogger.appenderRef.console.ref = console
"""


class Node:
    """One node of a cluster.

    Args:
        place: the folder of its settings, data and log.
        port: where clients reach it.
        program: its program, none before it is started.
    """

    def __init__(self, place: Path, port: int, program: Program | None = None) -> None:
        self.place = place
        self.port = port
        self.program = program

    def settle(self, account: Account, settings: dict[str, Any], options: str) -> None:
        """Write its settings, in JSON, which is YAML too, and the options of its virtual machine."""
        for folder in ("", "config", "data", "logs", "temporary"):
            account.own(self.place / folder)
        own = {"path.data": str(self.place / "data"), "path.logs": str(self.place / "logs"), "http.port": self.port}
        written = {
            "opensearch.yml": json.dumps({**settings, **own, "node.name": self.place.name}, indent=1),
            "jvm.options": options,
            "log4j2.properties": LOGGING,
        }
        for name, text in written.items():
            file = self.place / "config" / name
            file.write_text(text, "utf-8")
            file.chmod(0o644)

    def start(self, account: Account, server: Path) -> None:
        """Start its program, which goes on when this one ends."""
        environment = {
            **ENVIRONMENT,
            "OPENSEARCH_PATH_CONF": str(self.place / "config"),
            "OPENSEARCH_JAVA_HOME": str(java.home()),
            "OPENSEARCH_TMPDIR": str(self.place / "temporary"),
        }
        shell = '"$0" >> "$1" 2>&1 & echo $!'
        command: list[str | Path] = ["/bin/sh", "-c", shell, server / "bin/opensearch", self.place / "log"]
        self.program = Program.of(int(account.run(command, self.place, environment, ENDING)))

    def last_words(self) -> str:
        """The end of its log."""
        log = self.place / "log"
        return "\n".join(log.read_text("utf-8", errors="replace").splitlines()[-12:]) if log.is_file() else ""


class OpenSearch(Engine):
    """A cluster whose nodes listen on the loopback address alone; there is no password."""

    kind = "opensearch"
    variable = "HYBRID_SEARCH_OPENSEARCH_URL"

    more_settings: Mapping[str, Any] = {}
    """Of each node, beside those that all have; for tests."""

    def version(self) -> str:
        """What it is, for people."""
        return f"OpenSearch {opensearch_parts.RELEASE}, k-NN {opensearch_parts.KNN.version}"

    def _begin(self, nodes: int, before: State | None) -> State:
        server = self._installed()
        found = ports.free(2 * nodes)
        public = self._ports(nodes, before, found)
        members = self._members(public)
        self.account.own(members[0].place.parent)
        inner = found[nodes:]
        for member, port in zip(members, inner, strict=True):
            settings = {**self._settings(members, inner), "transport.port": port}
            member.settle(self.account, settings, OPTIONS + (FOR_MINUTES if self.brief else FOR_LONG))
        self._start(members, members, server)
        programs = tuple(member.program for member in members if member.program is not None)
        return State(programs, tuple(public), ",".join(f"http://{ports.HOST}:{port}" for port in public))

    def _mend(self, state: State) -> State:
        members = self._members(state.ports, state.programs)
        gone = [member for member in members if member.program is not None and not member.program.alive()]
        self._start(gone, members, self._installed())
        return dataclasses.replace(state, programs=tuple(member.program for member in members if member.program))

    def _members(self, public: Sequence[int], programs: Sequence[Program] = ()) -> list[Node]:
        cluster = self.place / f"nodes-{len(public)}"  # a cluster cannot be made smaller by leaving nodes away
        known = [*programs, *[None] * (len(public) - len(programs))]
        return [
            Node(cluster / f"node-{number}", port, program)
            for number, (port, program) in enumerate(zip(public, known, strict=True), 1)
        ]

    def _start(self, some: Sequence[Node], members: Sequence[Node], server: Path) -> None:
        """Start some of the nodes, and wait for all; those are ended when that fails."""
        begun: list[Node] = []
        try:
            for member in some:
                member.start(self.account, server)
                begun.append(member)
            _await(members)
        except BaseException:
            for member in begun:
                if member.program is not None:
                    member.program.end(signal.SIGKILL, ENDING)
            raise

    def _end(self, state: State) -> None:
        for program in state.programs:
            program.tell(signal.SIGTERM)
        for program in state.programs:
            program.end(signal.SIGTERM, ENDING)

    def _ports(self, nodes: int, before: State | None, found: list[int]) -> list[int]:
        if before is None or len(before.ports) != nodes:
            return found[:nodes]
        return [ports.free(wanted=port)[0] for port in before.ports]

    def _settings(self, members: list[Node], inner: list[int]) -> dict[str, Any]:
        return {
            "cluster.name": f"hybrid-search-{self.instance}",
            "network.host": ports.HOST,
            "discovery.seed_hosts": [f"{ports.HOST}:{port}" for port in inner],
            "cluster.initial_cluster_manager_nodes": [member.place.name for member in members],
            # A disk that others have filled must not make indices read-only here.
            "cluster.routing.allocation.disk.threshold_enabled": False,
            "indices.breaker.total.use_real_memory": False,
            **self.more_settings,
        }

    def _installed(self) -> Path:
        java.home()
        if not java.has_file_stores():
            raise EngineError(
                "OpenSearch does not start in a chroot whose root is no mount point; before entering it, bind its "
                "folder to itself: mount --bind FOLDER FOLDER"
            )
        place = self.folders.programs / f"opensearch-{opensearch_parts.RELEASE}"
        with self.folders.locked("opensearch-programs"):
            downloads.put_in_place(lambda folder: opensearch_parts.put_together(self.folders.downloads, folder), place)
        return place / opensearch_parts.SERVER


def ask(port: int, path: str, seconds: float = 10.0, method: str = "GET", body: Any = None) -> Any:
    """The JSON that a node answers to a request; none where it does not answer, or refuses."""
    connection = http.client.HTTPConnection(ports.HOST, port, timeout=seconds)
    written = None if body is None else json.dumps(body)
    try:
        connection.request(method, path, written, {"Content-Type": "application/json"})
        response = connection.getresponse()
        body = response.read()
        return json.loads(body) if response.status == 200 else None
    except (OSError, http.client.HTTPException, ValueError):
        return None
    finally:
        connection.close()


def _await(members: Sequence[Node]) -> None:
    """Wait until every node answers and knows all others, and every index can be read."""
    until = time.monotonic() + PATIENCE
    path = f"/_cluster/health?wait_for_nodes={len(members)}&wait_for_status=yellow&timeout=5s"
    for member in members:
        while not _whole(ask(member.port, path), len(members)):
            if member.program is None or not member.program.alive():
                raise EngineError(f"{member.place.name} of OpenSearch has ended:\n{member.last_words()}")
            if time.monotonic() > until:
                raise EngineError(f"OpenSearch was not ready after {PATIENCE:g} s:\n{member.last_words()}")
            time.sleep(0.25)


def _whole(health: Any, count: int) -> bool:
    return health is not None and not health["timed_out"] and health["number_of_nodes"] == count

"""bin/engines: its checks, its state and its errors; with `engines`, the servers themselves."""

import hashlib
import http.client
import json
import os
import shlex
import signal
import socket
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest
import yaml

from conformance.engines import command, downloads, opensearch_parts, ports
from conformance.engines.account import Account, account
from conformance.engines.errors import EngineError
from conformance.engines.folders import Folders
from conformance.engines.opensearch import FOR_MINUTES, OPTIONS, Node
from conformance.engines.postgres_programs import NEWEST, RELEASES
from conformance.engines.processes import Program
from conformance.engines.states import State
from conformance.paths import ROOT

SLEEPER = [sys.executable, "-c", "import time; print(flush=True); time.sleep(600)"]


@pytest.fixture
def sleeper():
    with subprocess.Popen(SLEEPER, stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        yield process
        process.kill()


# --- the stored state ------------------------------------------------------------------------------------------------


def test_a_process_is_identified_by_its_id_and_its_start(sleeper):
    program = Program.of(sleeper.pid)
    assert program.alive()
    later = Program(program.pid, program.started + 1, program.boot)
    other_boot = Program(program.pid, program.started, "another")
    for stranger in (later, other_boot):
        assert not stranger.alive()
        stranger.tell(signal.SIGKILL)
    assert program.alive()
    program.end(signal.SIGTERM, 30.0)
    assert not program.alive()
    assert sleeper.wait() == -signal.SIGTERM


def test_a_process_that_does_not_terminate_is_killed():
    stubborn = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(flush=True); time.sleep(600)"
    with subprocess.Popen([sys.executable, "-c", stubborn], stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        Program.of(process.pid).end(signal.SIGTERM, 0.2)
        assert process.wait() == -signal.SIGKILL


def test_the_state_file_is_readable_by_its_owner_only(tmp_path, sleeper):
    file = tmp_path / "engine.json"
    assert State.read(file) is None
    state = State((Program.of(sleeper.pid),), (5432,), "postgresql://x", {"x": "secret"})
    state.write(file)
    assert State.read(file) == state
    assert file.stat().st_mode & 0o777 == 0o600
    assert "secret" not in repr(state)
    assert state.running == 1


# --- downloads -------------------------------------------------------------------------------------------------------


def test_a_file_with_a_wrong_digest_is_never_used(tmp_path):
    def fetch(into: Path) -> None:
        (into / "a.jar").write_bytes(b"good")
        (into / "b.jar").write_bytes(b"bad")

    wanted = {name: hashlib.sha256(b"good").hexdigest() for name in ("a.jar", "b.jar")}
    with pytest.raises(
        EngineError, match=r"^b\.jar has the SHA-256 [0-9a-f]{64}, expected [0-9a-f]{64}; it is not used$"
    ):
        downloads.kept(wanted, tmp_path, fetch)
    assert list(tmp_path.iterdir()) == []


def test_a_stored_file_is_fetched_again_only_if_it_was_changed(tmp_path):
    fetched = []

    def fetch(into: Path) -> None:
        fetched.append(into)
        (into / "a.jar").write_bytes(b"good")

    wanted = {"a.jar": hashlib.sha256(b"good").hexdigest()}
    assert downloads.kept(wanted, tmp_path, fetch) == downloads.kept(wanted, tmp_path, fetch)
    assert len(fetched) == 1
    (tmp_path / "a.jar").write_bytes(b"gone bad")
    downloads.kept(wanted, tmp_path, fetch)
    assert (tmp_path / "a.jar").read_bytes() == b"good"
    assert len(fetched) == 2


def test_a_failing_client_is_retried_and_its_output_is_reported(tmp_path):
    told = tmp_path / "told"
    script = f"echo again >> {shlex.quote(str(told))}; echo no such package; exit 7"
    with pytest.raises(EngineError, match=r"^the wheel could not be fetched \(status 7\):\nno such package$"):
        downloads.client(["/bin/sh", "-c", script], "the wheel")
    assert told.read_text("utf-8") == "again\n" * downloads.ATTEMPTS


def test_a_folder_is_created_completely_or_not_at_all(tmp_path):
    def broken(folder: Path) -> None:
        (folder / "half").touch()
        raise EngineError("no more room")

    with pytest.raises(EngineError):
        downloads.put_in_place(broken, tmp_path / "programs")
    assert list(tmp_path.iterdir()) == []
    downloads.put_in_place(lambda folder: (folder / "whole").touch(), tmp_path / "programs")
    downloads.put_in_place(broken, tmp_path / "programs")
    assert [path.name for path in (tmp_path / "programs").iterdir()] == ["whole"]


def test_every_artifact_is_pinned():
    assert len({artifact.file for artifact in opensearch_parts.ARTIFACTS}) == len(opensearch_parts.ARTIFACTS)
    assert all(len(artifact.digest) == 64 for artifact in opensearch_parts.ARTIFACTS)


def test_the_containers_have_the_same_versions():
    composed = yaml.safe_load((ROOT / "docs/examples/engines/docker-compose.yml").read_text("utf-8"))
    images = {name: service["image"] for name, service in composed["services"].items()}
    assert images == {
        "postgres": f"pgvector/pgvector:{RELEASES[NEWEST].vector}-pg{NEWEST}",
        "opensearch": f"opensearchproject/opensearch:{opensearch_parts.RELEASE}",
    }
    for service in composed["services"].values():
        assert [port.split(":")[0] for port in service["ports"]] == [ports.HOST]


# --- where and as whom -----------------------------------------------------------------------------------------------


def test_a_port_in_use_is_not_returned():
    with socket.socket() as listening:
        listening.bind((ports.HOST, 0))
        taken = listening.getsockname()[1]
        found = ports.free(3, wanted=taken)
        assert len({*found, taken}) == 4
    assert ports.free(wanted=taken) == [taken]


def test_a_failed_program_is_reported_with_its_output(tmp_path):
    me = Account("me", os.geteuid(), os.getegid(), switch=False)
    with pytest.raises(EngineError, match=r"^sh failed with status 3:\nno locale$"):
        me.run(["/bin/sh", "-c", "echo no locale >&2; exit 3"], tmp_path, {}, 30.0)
    with pytest.raises(EngineError, match=r"it was ended after 0\.2 s$"):
        me.run(["/bin/sh", "-c", "sleep 60"], tmp_path, {"PATH": os.environ["PATH"]}, 0.2)


def test_two_concurrent_starts_of_one_engine_run_one_after_the_other(tmp_path):
    folders = Folders(tmp_path).make()
    program = (
        "import sys; from pathlib import Path; from conformance.engines.folders import Folders\n"
        "print('waiting', flush=True)\n"
        "with Folders(Path(sys.argv[1])).locked('postgres'): print('in', flush=True)"
    )
    with subprocess.Popen([sys.executable, "-c", program, tmp_path], stdout=subprocess.PIPE, text=True) as second:
        with folders.locked("postgres"):
            assert second.stdout.readline() == "waiting\n"
            with pytest.raises(subprocess.TimeoutExpired):
                second.wait(0.3)
        assert second.stdout.readline() == "in\n"


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ([], {"postgres": None, "opensearch": None, "oceanbase": None}),
        (["postgres"], {"postgres": None}),
        (["postgres", "15", "opensearch"], {"postgres 15": None, "opensearch": None}),
        (["postgres", "18"], {"postgres": None}),
        (["opensearch", "3", "postgres"], {"opensearch": 3, "postgres": None}),
        (["oceanbase", "postgres"], {"oceanbase": None, "postgres": None}),
    ],
)
def test_engines_are_named_with_their_nodes(words, named):
    assert command.chosen(words) == named


@pytest.mark.parametrize("words", [["mysql"], ["postgres", "3"], ["opensearch", "2"], ["3"], ["postgres", "postgres"]])
def test_unexpected_words_are_refused(words, capsys):
    with pytest.raises(SystemExit) as ended:
        command.main(["status", *words])
    assert ended.value.code == 2
    assert f"unexpected {words[-1]!r}" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [["run", "postgres"], ["start", "postgres", "--", "true"]])
def test_only_run_accepts_a_command(arguments, capsys):
    with pytest.raises(SystemExit):
        command.main(arguments)
    assert "run takes a command behind --" in capsys.readouterr().err


# --- the servers -----------------------------------------------------------------------------------------------------


@pytest.mark.engines
def test_postgres_has_pgvector_and_sorts_by_bytes(postgres_url):
    with psycopg.connect(postgres_url) as connection:
        row = connection.execute(
            "select current_setting('server_version'), extversion, '[1,0]'::vector <=> '[0,1]'::vector, 'Z' < 'a', "
            "pg_encoding_to_char(encoding) from pg_database, pg_extension "
            "where datname = current_database() and extname = 'vector'"
        ).fetchone()
    version, vector, *rest = row
    programs = RELEASES[version.split(".")[0]]
    assert version.startswith(programs.version)
    assert vector == programs.vector
    assert rest == [1.0, True, "UTF8"]


@pytest.mark.engines
def test_postgres_requires_a_password_and_its_user_is_not_a_superuser(postgres_url):
    with psycopg.connect(postgres_url) as connection:
        assert connection.execute("select rolsuper from pg_roles where rolname = current_user").fetchone() == (False,)
    parts = urlsplit(postgres_url)
    wrong = postgres_url.replace(f":{parts.password}@", ":wrong@")
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        psycopg.connect(wrong)


@pytest.mark.engines
def test_opensearch_has_the_features_that_stores_need(opensearch_url):
    address = urlsplit(opensearch_url.split(",")[0])
    connection = http.client.HTTPConnection(address.hostname, address.port, timeout=60)
    try:
        connection.request("GET", "/_nodes/plugins")
        nodes = json.loads(connection.getresponse().read())["nodes"].values()
    finally:
        connection.close()
    assert {node["version"] for node in nodes} == {"2.19.0"}
    for node in nodes:
        assert "opensearch-knn" in {plugin["name"] for plugin in node["plugins"]}
        modules = {module["name"] for module in node["modules"]}
        assert modules >= {module.name for module in opensearch_parts.MODULES}


def test_flags_may_follow_the_action(monkeypatch):
    """As in `bin/engines run --if-possible postgres 15 -- …`, a nightly gate."""
    seen = []
    monkeypatch.setattr(
        command, "run", lambda engines, named, options, _: seen.append((named, options.if_possible)) or 0
    )
    assert command.main(["run", "--if-possible", "postgres", "15", "--", "true"]) == 0
    assert seen == [({"postgres 15": None}, True)]


def test_engines_of_a_brief_run_start_faster_and_others_run_as_in_production(monkeypatch, tmp_path):
    seen = []
    monkeypatch.setattr(
        command, "run", lambda engines, named, options, _: seen.append([each.brief for each in engines.values()]) or 0
    )
    for flags in ([], ["--brief"]):
        assert command.main(["run", *flags, "--", "true"]) == 0
    assert seen == [[False] * 3, [True] * 3]
    node = Node(tmp_path, 9200)
    node.settle(account(), {}, OPTIONS + FOR_MINUTES)
    assert "TieredStopAtLevel=1" in (tmp_path / "config" / "jvm.options").read_text("utf-8")

"""What is done to PostgreSQL."""

import os
import random
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

from conformance.engine_faults.load import Load
from conformance.engine_faults.pooled import call_all
from conformance.engine_faults.proxy import Proxy
from conformance.engine_faults.scene import Fault, Outcome, Plan, under_load
from conformance.engines.account import account
from conformance.engines.errors import EngineError
from conformance.engines.folders import folders
from conformance.engines.pooler import pooled
from conformance.engines.postgres import ROLE, SUPERUSER, Postgres
from conformance.engines.processes import Program

KIND = "postgres"
TIMEOUT = 5.0
"""For how many seconds a statement may take, where nothing else is said."""
IMPATIENT = 1.0
MARGIN = 2.0
"""How many seconds later than its timeout a call may end on a busy machine."""
DELAY = 0.02
STALL = 4.0
END_SESSIONS = (
    "select pg_terminate_backend(pid) from pg_stat_activity "
    "where backend_type = 'client backend' and pid <> pg_backend_pid()"
)
ROOM = "256m"
SMALL_ROOM = "64m"


@contextmanager
def server(instance: str = "faults-postgres") -> Iterator[Postgres]:
    """A new server of its own; it is removed with the block. A second block waits for the end of the first."""
    who = account()
    places = folders(who)
    engine = Postgres(places, who, instance)
    with places.locked(f"{instance}-in-use"):
        engine.clean()
        try:
            engine.start()
            yield engine
        finally:
            engine.clean()


def port_of(engine: Postgres) -> int:
    """Where a server listens."""
    state = engine.state
    assert state is not None
    return state.ports[0]


def options_of(engine: Postgres, **more: Any) -> dict[str, Any]:
    """How a store of the faults is opened."""
    return {"connection": engine.url(port_of(engine)), "collection": "faults", "timeout": TIMEOUT, **more}


@contextmanager
def superuser(engine: Postgres, database: str = ROLE) -> Iterator["psycopg.Connection[Any]"]:
    """A connection that may do everything."""
    with psycopg.connect(engine.url(port_of(engine), SUPERUSER, database), autocommit=True) as connection:
        yield connection


def kill(plan: Plan) -> Outcome:
    """`kill -9` of every process of the server in the middle of batches; then it is started again."""
    with server() as engine:

        def happen(load: Load, chance: random.Random) -> list[float]:
            greens = []
            for _ in range(plan.times):
                time.sleep(chance.uniform(0.05, 0.6))
                begun = time.monotonic()
                kill_all(engine)
                engine.start()
                load.until_all_succeed(begun)
                greens.append(time.monotonic() - begun)
            return greens

        return under_load("kill -9 of the server", KIND, options_of(engine), plan, happen)


def kill_all(engine: Postgres) -> None:
    """`kill -9` of every process of a server."""
    programs = stop_all(engine)
    for program in programs:
        program.tell(signal.SIGKILL)
    for program in programs:
        program.wait(TIMEOUT)


def stop_all(engine: Postgres) -> list[Program]:
    """Stop every process of a server, and return them."""
    state = engine.state
    assert state is not None
    (main,) = state.programs
    main.tell(signal.SIGSTOP)  # or it would mend what happens to the others
    children = Path(f"/proc/{main.pid}/task/{main.pid}/children").read_text("ascii").split()
    programs = [main]
    for child in children:
        with suppress(EngineError):
            programs.append(Program.of(int(child)))
            programs[-1].tell(signal.SIGSTOP)
    return programs


def terminate(plan: Plan) -> Outcome:
    """`pg_terminate_backend` of every client, again and again."""
    with server() as engine:

        def happen(load: Load, chance: random.Random) -> list[float]:
            greens = []
            with superuser(engine) as connection:
                for _ in range(plan.times):
                    time.sleep(chance.uniform(0.02, 0.3))
                    begun = time.monotonic()
                    connection.execute(END_SESSIONS)
                    load.until_all_succeed(begun)
                    greens.append(time.monotonic() - begun)
            return greens

        return under_load("pg_terminate_backend", KIND, options_of(engine), plan, happen)


def full_disk(plan: Plan) -> Outcome:
    """A disk that fills up under the server, and has room again."""
    if os.geteuid() != 0:
        raise EngineError("a small disk of its own is made by root alone")
    who = account()
    places = folders(who)
    engine = Postgres(places, who, "faults-disk")
    engine.clean()
    who.own(engine.place)
    options = f"size={ROOM},mode=700,uid={who.uid},gid={who.gid}"
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", engine.place], check=True)
    try:
        engine.start()
        ballast = engine.place / "ballast"

        def happen(load: Load, chance: random.Random) -> list[float]:
            greens = []
            for _ in range(min(plan.times, 3)):
                refused = load.tally.refused + load.tally.unknown
                _fill(ballast)
                until = time.monotonic() + 60.0
                while load.tally.refused + load.tally.unknown == refused and time.monotonic() < until:
                    time.sleep(0.05)
                if load.tally.refused + load.tally.unknown == refused:
                    load.tally.fault("the disk was full, and no change was refused")
                time.sleep(chance.uniform(0.2, 1.0))
                begun = time.monotonic()
                ballast.unlink()
                engine.start()
                load.until_all_succeed(time.monotonic())
                greens.append(time.monotonic() - begun)
            return greens

        return under_load("a full disk", KIND, options_of(engine), plan, happen)
    finally:
        engine.stop()
        subprocess.run(["umount", "--lazy", engine.place], check=True)
        shutil.rmtree(engine.place, ignore_errors=True)


@contextmanager
def small_database(engine: Postgres) -> Iterator[tuple[str, Path]]:
    """The name of a database on a small disk of its own, and a file that can fill it; both are gone after the block."""
    if os.geteuid() != 0:
        raise EngineError("a small disk of its own is made by root alone")
    disk = engine.place / "disk"
    engine.account.own(disk)
    options = f"size={SMALL_ROOM},mode=700,uid={engine.account.uid},gid={engine.account.gid}"
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", disk], check=True)
    try:
        with superuser(engine) as connection:
            connection.execute(sql.SQL("create tablespace small location {}").format(sql.Literal(str(disk))))
            connection.execute(f"create database small owner {ROLE} tablespace small")
        yield "small", disk / "ballast"
        with superuser(engine) as connection:
            connection.execute("drop database small with (force)")
            connection.execute("drop tablespace small")
    finally:
        subprocess.run(["umount", "--lazy", disk], check=True)


def full_tablespace(plan: Plan) -> Outcome:
    """A full disk of the collection's own: the server and its connections live on, and write once there is room."""
    with server() as engine, small_database(engine) as (database, ballast):

        def happen(load: Load, chance: random.Random) -> list[float]:
            return [_filled_and_freed(load, ballast, chance) for _ in range(min(plan.times, 5))]

        place = options_of(engine, connection=engine.url(port_of(engine), database=database))
        return under_load("a full disk of the collection", KIND, place, plan, happen)


def _filled_and_freed(load: Load, ballast: Path, chance: random.Random) -> float:
    fill_until_refused(load, ballast, chance)
    begun = time.monotonic()
    load.until_all_succeed(begun)
    return time.monotonic() - begun


def fill_until_refused(load: Load, ballast: Path, chance: random.Random) -> None:
    """Fill a disk until changes have been refused, and give it room again."""
    refused = load.tally.refused
    _fill(ballast)
    until = time.monotonic() + 60.0
    while load.tally.refused < refused + 10 and time.monotonic() < until:
        time.sleep(0.05)
    if load.tally.refused == refused:
        load.tally.fault("the disk was full, and no change was refused")
    time.sleep(chance.uniform(0.2, 1.0))
    ballast.unlink()


def _fill(ballast: Path) -> None:
    with ballast.open("wb") as file, suppress(OSError):
        while True:
            file.write(b"\0" * 1_048_576)
            file.flush()


def delayed(plan: Plan) -> Outcome:
    """A server far away: every piece of data needs a while in either direction. Nothing may fail."""

    def happen(proxy: Proxy, load: Load) -> list[float]:
        proxy.delay = DELAY
        time.sleep(min(plan.seconds, 10.0))
        proxy.delay = 0.0
        return [0.0]

    return _proxied(plan, "a delayed server", TIMEOUT * 6, happen)


def stalled(plan: Plan) -> Outcome:
    """A server that says nothing any more: every call ends in time, with an error."""

    def happen(proxy: Proxy, load: Load) -> list[float]:
        greens = []
        for _ in range(min(plan.times, 5)):
            proxy.stall()
            time.sleep(STALL)
            begun = time.monotonic()
            proxy.heal()
            load.until_all_succeed(begun)
            greens.append(time.monotonic() - begun)
        return greens

    outcome = _proxied(plan, "a silent server", IMPATIENT, happen)
    _in_time(outcome)
    return outcome


def locked(plan: Plan) -> Outcome:
    """Somebody else holds the collection: writers are told so in time, readers do not notice."""
    with server() as engine:

        def happen(load: Load, chance: random.Random) -> list[float]:
            greens = []
            for _ in range(min(plan.times, 3)):
                refused, reads_refused = load.tally.refused, load.tally.reads_refused
                with superuser(engine) as connection, connection.transaction():
                    connection.execute("select * from faults.meta for update")
                    time.sleep(IMPATIENT + MARGIN)
                begun = time.monotonic()
                load.until_all_succeed(begun)
                greens.append(time.monotonic() - begun)
                if load.tally.refused == refused:
                    load.tally.fault("the collection was locked, and no change was refused")
                if load.tally.reads_refused != reads_refused:
                    load.tally.fault("the collection was locked for writers, and a question was refused")
            return greens

        outcome = under_load("a locked collection", KIND, options_of(engine, timeout=IMPATIENT), plan, happen)
    _in_time(outcome)
    return outcome


def crowd(plan: Plan) -> Outcome:
    """Many writers and readers, and nothing else: no call may fail."""
    with server() as engine:

        def happen(load: Load, chance: random.Random) -> list[float]:
            time.sleep(plan.seconds)
            return []

        outcome = under_load("a crowd", KIND, options_of(engine, timeout=TIMEOUT * 6), plan, happen)
    if outcome.tally.messages:
        outcome.tally.fault(f"calls failed where nothing was wrong: {outcome.tally.messages}")
    return outcome


def pooler(plan: Plan) -> Outcome:
    """Three collections behind a pooler in transaction mode, by six threads: every answer is compared with memory's."""
    with server() as engine:
        calls = 50 * plan.times
        with pooled(engine.url(port_of(engine))) as url:
            options = {"connection": url, "timeout": TIMEOUT * 6, "connections": 2}
            tally, documents = call_all(options, plan.languages, calls, plan.seed)
        return Outcome("a pooler in transaction mode", calls, documents, tally, [])


def _proxied(plan: Plan, name: str, timeout: float, happen: Callable[[Proxy, Load], list[float]]) -> Outcome:
    with server() as engine, Proxy(port_of(engine)) as proxy:
        return under_load(
            name,
            KIND,
            {**options_of(engine, timeout=timeout), "connection": engine.url(proxy.port)},
            plan,
            lambda load, chance: happen(proxy, load),
            settled=lambda: options_of(engine),
        )


def _in_time(outcome: Outcome) -> None:
    longest = max(outcome.tally.worst_read, outcome.tally.worst_write)
    if longest > IMPATIENT + MARGIN:
        outcome.tally.fault(f"a call with a timeout of {IMPATIENT:g} s took {longest:.1f} s")


FAULTS: dict[str, Fault] = {
    "kill": kill,
    "terminate": terminate,
    "full-disk": full_disk,
    "full-tablespace": full_tablespace,
    "delayed": delayed,
    "stalled": stalled,
    "locked": locked,
    "crowd": crowd,
    "pooler": pooler,
}
"""What can be done to it."""

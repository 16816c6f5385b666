"""What is done to PostgreSQL."""

import random
import signal
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

from conformance.engine_faults import database_faults
from conformance.engine_faults.database_faults import PATIENT, Database, done, port_of, served
from conformance.engine_faults.full_disks import fill, full_disk, small_disk
from conformance.engine_faults.load import Load
from conformance.engine_faults.pooled import call_all
from conformance.engine_faults.scene import Fault, Outcome, Plan, under_load
from conformance.engines.errors import EngineError
from conformance.engines.pooler import pooled
from conformance.engines.postgres import ROLE, SUPERUSER, Postgres
from conformance.engines.processes import Program

END_SESSIONS = (
    "select pg_terminate_backend(pid) from pg_stat_activity "
    "where backend_type = 'client backend' and pid <> pg_backend_pid()"
)
ROOM = "256m"
SMALL_ROOM = "64m"


def server(instance: str = "faults-postgres") -> AbstractContextManager[Postgres]:
    """A new server of its own; it is removed with the block. A second block waits for the end of the first."""
    return served(Postgres, instance)


@contextmanager
def superuser(engine: Postgres, database: str = ROLE) -> Iterator["psycopg.Connection[Any]"]:
    """A connection that may do everything."""
    with psycopg.connect(engine.url(port_of(engine), SUPERUSER, database), autocommit=True) as connection:
        yield connection


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


@contextmanager
def held(engine: Postgres, collection: str, database: str = ROLE) -> Iterator[None]:
    """A block in which another transaction holds the collection as a writer does."""
    with superuser(engine, database) as connection, connection.transaction():
        connection.execute(sql.SQL("select * from {}.meta for update").format(sql.Identifier(collection)))
        yield


DATABASE = Database("postgres", "connection", Postgres, stop_all, held)


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

        return done(DATABASE, engine, plan, "pg_terminate_backend", happen, DATABASE.options(engine))


@contextmanager
def small_database(engine: Postgres) -> Iterator[tuple[str, Path]]:
    """The name of a database on a small disk of its own, and a file that can fill it; both are gone after the block."""
    disk = engine.place / "disk"
    with small_disk(disk, engine.account, SMALL_ROOM):
        with superuser(engine) as connection:
            connection.execute(sql.SQL("create tablespace small location {}").format(sql.Literal(str(disk))))
            connection.execute(f"create database small owner {ROLE} tablespace small")
        yield "small", disk / "ballast"
        with superuser(engine) as connection:
            connection.execute("drop database small with (force)")
            connection.execute("drop tablespace small")


def full_tablespace(plan: Plan) -> Outcome:
    """A full disk of the collection's own: the server and its connections live on, and write once there is room."""
    with server() as engine, small_database(engine) as (database, ballast):

        def happen(load: Load, chance: random.Random) -> list[float]:
            return [_filled_and_freed(load, ballast, chance) for _ in range(min(plan.times, 5))]

        options = {**DATABASE.options(engine), "connection": engine.url(port_of(engine), database=database)}
        return under_load("a full disk of the collection", DATABASE.kind, options, plan, happen)


def _filled_and_freed(load: Load, ballast: Path, chance: random.Random) -> float:
    fill_until_refused(load, ballast, chance)
    begun = time.monotonic()
    load.until_all_succeed(begun)
    return time.monotonic() - begun


def fill_until_refused(load: Load, ballast: Path, chance: random.Random) -> None:
    """Fill a disk until changes have been refused, and give it room again."""
    refused = load.tally.refused
    fill(ballast)
    until = time.monotonic() + 60.0
    while load.tally.refused < refused + 10 and time.monotonic() < until:
        time.sleep(0.05)
    if load.tally.refused == refused:
        load.tally.fault("the disk was full, and no change was refused")
    time.sleep(chance.uniform(0.2, 1.0))
    ballast.unlink()


def pooler(plan: Plan) -> Outcome:
    """Three collections behind a pooler in transaction mode, by six threads: every answer is compared with memory's."""
    with server() as engine:
        calls = 50 * plan.times
        with pooled(engine.url(port_of(engine))) as url:
            options = {"connection": url, "timeout": PATIENT, "connections": 2}
            tally, documents = call_all(options, plan.languages, calls, plan.seed)
        return Outcome("a pooler in transaction mode", calls, documents, tally, [])


FAULTS: dict[str, Fault] = {
    **database_faults.common(DATABASE),
    "terminate": terminate,
    "full-disk": partial(full_disk, DATABASE, ROOM),
    "full-tablespace": full_tablespace,
    "pooler": pooler,
}
"""What can be done to it."""

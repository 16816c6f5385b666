"""What is done to OceanBase."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

import pymysql

from conformance.engine_faults import database_faults
from conformance.engine_faults.database_faults import Acts, Database, port_of
from conformance.engine_faults.full_disks import full_disk
from conformance.engine_faults.scene import Fault
from conformance.engines.oceanbase import ADMINISTRATOR, ROLE, OceanBase
from conformance.engines.ports import HOST
from conformance.engines.processes import Program

PATIENCE = 120
"""For how many seconds the administrator waits for a lock."""
SHORT_PATIENCE = 15
ROOM = "2800m"
"""A smaller disk it refuses to start on: it wants room for 2 GB of its log (error 4264)."""
STRAIN = 4_000_000
SILENCE = 15
"""For how many seconds the administrator waits for a server to accept a connection."""


@contextmanager
def administrator(engine: OceanBase) -> Iterator["pymysql.Connection[Any]"]:
    """A connection that may do everything."""
    state = engine.state
    assert state is not None
    with pymysql.connect(
        host=HOST,
        port=port_of(engine),
        user=ADMINISTRATOR,
        password=state.secrets[ADMINISTRATOR],
        database=ROLE,
        connect_timeout=SILENCE,
        read_timeout=PATIENCE,
    ) as connection:
        yield connection


def stop_all(engine: OceanBase) -> list[Program]:
    """Stop the process of a server, and return it."""
    state = engine.state
    assert state is not None
    for program in state.programs:
        program.tell(signal.SIGSTOP)
    return list(state.programs)


@contextmanager
def held(engine: OceanBase, collection: str) -> Iterator[None]:
    """A block in which another transaction holds the collection as a writer does."""
    with administrator(engine) as connection, connection.cursor() as cursor:
        cursor.execute(f"set session ob_query_timeout = {PATIENCE * 1_000_000}")  # writers may overtake it for a while
        cursor.execute("begin")
        cursor.execute(f"select * from {collection}_meta for update")
        yield
        connection.rollback()


def is_stuck(engine: OceanBase, collection: str) -> bool:
    """Whether a transaction of a life before holds a collection: seekdb 1.4 replays its changes, and never ends it."""
    with administrator(engine) as connection, connection.cursor() as cursor:
        cursor.execute("select count(*) from oceanbase.__all_virtual_trans_stat where session_id = 0")
        ((count,),) = cursor.fetchall()
        if not count:
            return False
        cursor.execute(f"set session ob_query_timeout = {SHORT_PATIENCE * 1_000_000}")
        try:
            cursor.execute(f"select * from {collection}_meta for update")
        except pymysql.OperationalError:
            return True
        return False


def strain(engine: OceanBase) -> None:
    """Have a server need room: it writes into the files of its log, 64 MB each, until these are full."""
    with suppress(pymysql.Error), administrator(engine) as connection, connection.cursor() as cursor:
        cursor.execute("create table if not exists strain (number int primary key auto_increment, bytes longblob)")
        cursor.execute("insert into strain (bytes) values (%s)", (os.urandom(STRAIN),))
        connection.commit()


DATABASE = Database("oceanbase", "url", OceanBase, stop_all, held, is_stuck)
FAULTS: dict[str, Fault] = {
    **database_faults.common(DATABASE),
    "full-disk": partial(full_disk, DATABASE, ROOM, strain=strain, revive=Acts.restarted),
    "mixed": partial(database_faults.mixed, DATABASE),
}
"""What can be done to it."""

"""What is done to OceanBase."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import pymysql

from conformance.engine_faults import database_faults
from conformance.engine_faults.database_faults import Database, port_of
from conformance.engine_faults.scene import Fault
from conformance.engines.oceanbase import ADMINISTRATOR, ROLE, OceanBase
from conformance.engines.ports import HOST
from conformance.engines.processes import Program


@contextmanager
def administrator(engine: OceanBase) -> Iterator["pymysql.Connection[Any]"]:
    """A connection that may do everything."""
    state = engine.state
    assert state is not None
    with pymysql.connect(
        host=HOST, port=port_of(engine), user=ADMINISTRATOR, password=state.secrets[ADMINISTRATOR], database=ROLE
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
def held(engine: OceanBase) -> Iterator[None]:
    """A block in which another transaction holds the collection as a writer does."""
    with administrator(engine) as connection, connection.cursor() as cursor:
        cursor.execute("begin")
        cursor.execute("select * from faults_meta for update")
        yield
        connection.rollback()


DATABASE = Database("oceanbase", "url", OceanBase, stop_all, held)
FAULTS: dict[str, Fault] = {
    **database_faults.common(DATABASE),
    "mixed": partial(database_faults.mixed, DATABASE),
}
"""What can be done to it."""

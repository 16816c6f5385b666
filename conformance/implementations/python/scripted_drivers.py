"""Puts stand-ins in the place of the drivers psycopg and pymysql."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

from conformance.implementations.python.scripted_mysql import PyMySql
from conformance.implementations.python.scripted_postgres import Psycopg, Watch
from conformance.implementations.python.scripted_script import Script

VARIABLES = ("PGHOST", "PGPORT", "PGCONNECT_TIMEOUT")


@contextmanager
def placed(script: Script, environment: dict[str, str]) -> Iterator[None]:
    """Put the stand-ins in the place of the drivers for as long as the block lasts."""
    from hybrid_search.doc_store_adapter.oceanbase import oceanbase_connection, oceanbase_database, oceanbase_library
    from hybrid_search.doc_store_adapter.postgres import postgres_connection, postgres_database, postgres_library

    clock = SimpleNamespace(monotonic=lambda: script.clock)
    changes: list[tuple[Any, str, Any]] = [
        (postgres_library, "load", lambda: Psycopg(script)),
        (postgres_connection, "_array_dumpers", list),
        (postgres_database, "PostgresWatch", Watch),
        (oceanbase_library, "load", lambda: PyMySql(script)),
        (oceanbase_connection, "time", clock),
        (oceanbase_database, "time", clock),
    ]
    before = [(module, name, getattr(module, name)) for module, name, _ in changes]
    variables = {name: os.environ.pop(name) for name in VARIABLES if name in os.environ}
    os.environ.update(environment)
    try:
        for module, name, value in changes:
            setattr(module, name, value)
        yield
    finally:
        for module, name, value in before:
            setattr(module, name, value)
        for name in environment:
            os.environ.pop(name, None)
        os.environ.update(variables)

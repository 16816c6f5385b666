"""Everything that is done to PostgreSQL, in any order, for as long as is asked."""

import random
import time
from collections.abc import Iterator
from dataclasses import replace

from conformance.engine_faults.database_faults import IMPATIENT, TIMEOUT, Acts, drawn, port_of
from conformance.engine_faults.load import Load
from conformance.engine_faults.postgres_faults import (
    DATABASE,
    END_SESSIONS,
    fill_until_refused,
    held,
    server,
    small_database,
    superuser,
)
from conformance.engine_faults.proxy import Proxy
from conformance.engine_faults.scene import Outcome, Plan, under_load
from conformance.engines.pooler import pooled

POOLED = 8
"""How many connections to the server the clients of the pooler share."""


def mixed(plan: Plan) -> Outcome:
    """Kills, ends, lost sessions, locks, silence, a slow, full or frozen server, with a pooler before it or without.

    Faults are drawn until the seconds of the plan are over; the outcome notes how often each happened.
    """
    with server() as engine, small_database(engine) as (database, ballast), Proxy(port_of(engine)) as proxy:
        direct = engine.url(proxy.port, database=database)
        with pooled(direct, POOLED) as through_pooler:

            def ended(_: Load) -> float:
                with superuser(engine) as connection:
                    connection.execute(END_SESSIONS)
                return time.monotonic()

            def full(load: Load) -> float:
                fill_until_refused(load, ballast, chances)
                return time.monotonic()

            def moved(load: Load) -> float:
                load.reopen(connection=next(ways))
                return time.monotonic()

            ways = _turns(through_pooler, direct)
            chances = random.Random(f"{plan.seed} full")
            there = replace(DATABASE, held=lambda server, collection: held(server, collection, database))
            acts = {**Acts(there, engine, proxy).all, "ended": ended, "full": full, "moved": moved}
            counted: list[str] = []

            def happen(load: Load, chance: random.Random) -> list[float]:
                greens, counts = drawn(acts, plan, load, chance)
                counted.append(counts)
                return greens

            options = {**DATABASE.options(engine, timeout=IMPATIENT), "connection": direct}
            outcome = under_load(
                "mixed faults",
                DATABASE.kind,
                options,
                plan,
                happen,
                settled=lambda: {
                    **options,
                    "timeout": TIMEOUT,
                    "connection": engine.url(port_of(engine), database=database),
                },
            )
            outcome.notes += counted
            return outcome


def _turns(*ways: str) -> Iterator[str]:
    while True:
        yield from ways

"""Everything that is done to PostgreSQL, in any order, for as long as is asked."""

import random
import signal
import time
from collections.abc import Iterator

from conformance.engine_faults.load import Load
from conformance.engine_faults.postgres_faults import (
    DELAY,
    END_SESSIONS,
    IMPATIENT,
    KIND,
    MARGIN,
    STALL,
    fill_until_refused,
    kill_all,
    options_of,
    port_of,
    server,
    small_database,
    stop_all,
    superuser,
)
from conformance.engine_faults.proxy import Proxy
from conformance.engine_faults.scene import Outcome, Plan, under_load
from conformance.engines.pooler import pooled

POOLED = 8
"""How many connections to the server the clients of the pooler share."""


def mixed(plan: Plan) -> Outcome:
    """Kills, ended sessions, locks, silence, a slow, a full and a frozen server, with a pooler before it or without.

    Faults are drawn until the seconds of the plan are over; the outcome notes how often each happened.
    """
    with server() as engine, small_database(engine) as (database, ballast), Proxy(port_of(engine)) as proxy:
        direct = engine.url(proxy.port, database=database)
        with pooled(direct, POOLED) as through_pooler:

            def killed(_: Load) -> None:
                kill_all(engine)
                engine.start()

            def ended(_: Load) -> None:
                with superuser(engine) as connection:
                    connection.execute(END_SESSIONS)

            def held(_: Load) -> None:
                with superuser(engine, database) as connection, connection.transaction():
                    connection.execute("select * from faults.meta for update")
                    time.sleep(IMPATIENT + MARGIN)

            def silent(_: Load) -> None:
                proxy.stall()
                time.sleep(STALL)
                proxy.heal()

            def slow(_: Load) -> None:
                proxy.delay = DELAY
                time.sleep(STALL)
                proxy.delay = 0.0

            def frozen(_: Load) -> None:
                programs = stop_all(engine)
                time.sleep(STALL)
                for program in reversed(programs):
                    program.tell(signal.SIGCONT)

            def full(load: Load) -> None:
                fill_until_refused(load, ballast, chances)

            def moved(load: Load) -> None:
                load.reopen(connection=next(ways))

            ways = _turns(through_pooler, direct)
            chances = random.Random(f"{plan.seed} full")
            faults = {act.__name__: act for act in (killed, ended, held, silent, slow, frozen, full, moved)}
            counts = dict.fromkeys(faults, 0)

            def happen(load: Load, chance: random.Random) -> list[float]:
                greens = []
                until = time.monotonic() + plan.seconds
                while time.monotonic() < until:
                    time.sleep(chance.uniform(0.05, 2.0))
                    name = chance.choice(sorted(faults))
                    faults[name](load)
                    counts[name] += 1
                    begun = time.monotonic()
                    load.until_all_succeed(begun)
                    greens.append(time.monotonic() - begun)
                return greens

            options = options_of(engine, timeout=IMPATIENT, connection=direct)
            outcome = under_load(
                "mixed faults",
                KIND,
                options,
                plan,
                happen,
                settled=lambda: options_of(engine, connection=engine.url(port_of(engine), database=database)),
            )
            outcome.notes.append(", ".join(f"{name} {count}" for name, count in counts.items()))
            return outcome


def _turns(*ways: str) -> Iterator[str]:
    while True:
        yield from ways

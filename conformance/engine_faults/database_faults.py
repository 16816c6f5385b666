"""What is done to any database whose batches are transactions: PostgreSQL and OceanBase."""

import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar

from conformance.engine_faults.batches import Drawing
from conformance.engine_faults.load import Load
from conformance.engine_faults.proxy import Proxy
from conformance.engine_faults.scene import Fault, Outcome, Plan, under_load
from conformance.engine_faults.workers import Worker
from conformance.engines.account import Account, account
from conformance.engines.engine import Engine
from conformance.engines.folders import Folders, folders
from conformance.engines.ports import HOST
from conformance.engines.processes import Program
from conformance.errors import BrokenError

AnEngine = TypeVar("AnEngine", bound=Engine)
Act = Callable[[Load], float]
"""Does something to a server, and returns since when every worker must be answered again."""

COLLECTION = "faults"
TIMEOUT = 5.0
"""For how many seconds a statement may take, where nothing else is said."""
PATIENT = 6 * TIMEOUT
IMPATIENT = 1.0
MARGIN = 2.0
"""How many seconds later than its timeout a call may end on a busy machine."""
COPY = [sys.executable, "-m", "hybrid_search.cli", "copy"]
DELAY = 0.02
STALL = 4.0


@dataclass(frozen=True)
class Database(Generic[AnEngine]):
    """A kind of database, and what its faults are made with.

    Attributes:
        kind: its name.
        address: the option of its store that names the server.
        engine: makes a server that is not started.
        stop_all: stops every process of a server, and returns them.
        held: a block in which another transaction holds a collection, given by its name, as a writer does.
        is_stuck: whether a collection is held by a transaction that the server lost with a life before, for ever.
    """

    kind: str
    address: str
    engine: Callable[[Folders, Account, str], AnEngine]
    stop_all: Callable[[AnEngine], list[Program]]
    held: Callable[[AnEngine, str], AbstractContextManager[object]]
    is_stuck: Callable[[AnEngine, str], bool] = lambda engine, collection: False

    def options(
        self, engine: AnEngine, port: int | None = None, timeout: float = TIMEOUT, collection: str = COLLECTION
    ) -> dict[str, Any]:
        """How a store of the faults is opened, on another port than the server's own if one is given."""
        own = port_of(engine)
        assert engine.state is not None
        url = engine.state.url.replace(f"{HOST}:{own}", f"{HOST}:{port or own}")
        return {self.address: url, "collection": collection, "timeout": timeout}

    def server(self) -> AbstractContextManager[AnEngine]:
        """A new server for the faults."""
        return served(self.engine, f"faults-{self.kind}")


@contextmanager
def served(made: Callable[[Folders, Account, str], AnEngine], instance: str) -> Iterator[AnEngine]:
    """A new server of its own; it is removed with the block. A second block waits for the end of the first."""
    who = account()
    places = folders(who)
    engine = made(places, who, instance)
    with places.locked(f"{instance}-in-use"):
        engine.clean()
        try:
            engine.start()
            yield engine
        finally:
            engine.clean()


def port_of(engine: Engine) -> int:
    """Where a server listens."""
    state = engine.state
    assert state is not None
    return state.ports[0]


class Acts(Generic[AnEngine]):
    """What can be done to a server and to the way to it.

    Args:
        database: the kind of server.
        engine: the server.
        proxy: the way to it.

    Attributes:
        collection: the name of the collection that is in use.
    """

    def __init__(self, database: Database[AnEngine], engine: AnEngine, proxy: Proxy) -> None:
        self._database = database
        self._engine = engine
        self._proxy = proxy
        self._copies = 0
        self.collection = COLLECTION

    @property
    def all(self) -> dict[str, Act]:
        """Each by its name."""
        acts = (self.killed, self.restarted, self.frozen, self.held, self.silent, self.slow)
        return {act.__name__: act for act in acts}

    @property
    def notes(self) -> list[str]:
        """What is to be told of locks that were never released."""
        return [f"{self._copies} times a lost transaction held the collection; it went on as a copy"] * (
            self._copies > 0
        )

    def settled(self) -> dict[str, Any]:
        """How the collection that is in use is opened in the end."""
        return self._database.options(self._engine, timeout=PATIENT, collection=self.collection)

    def killed(self, load: Load) -> float:
        """`kill -9` of every process; then the server is started again."""
        programs = self._database.stop_all(self._engine)
        for program in programs:
            program.tell(signal.SIGKILL)
        for program in programs:
            program.wait(TIMEOUT)
        begun = time.monotonic()
        self._engine.start()
        return self._unstuck(load) or begun

    def started(self, load: Load) -> float:
        """The server is started again if it has ended."""
        self._engine.start()
        return self._unstuck(load) or time.monotonic()

    def restarted(self, load: Load) -> float:
        """An orderly end; then the server is started again."""
        self._engine.restart()
        return self._unstuck(load) or time.monotonic()

    def _unstuck(self, load: Load) -> float | None:
        """Go on with a copy of the collection if nobody can write into it any more; gives since when."""
        if not self._database.is_stuck(self._engine, self.collection):
            return None
        self._copies += 1
        url = self.settled()[self._database.address]
        name = f"{COLLECTION}_{self._copies}"
        subprocess.run([*COPY, f"{url}#{self.collection}", f"{url}#{name}"], check=True, stdout=subprocess.DEVNULL)
        self.collection = name
        load.reopen(collection=name)
        return time.monotonic()

    def frozen(self, _: Load) -> float:
        """Every process stands still for a while: the server accepts connections, and says nothing."""
        programs = self._database.stop_all(self._engine)
        time.sleep(STALL)
        for program in reversed(programs):
            program.tell(signal.SIGCONT)
        return time.monotonic()

    def held(self, _: Load) -> float:
        """Another transaction holds the collection as a writer does."""
        with self._database.held(self._engine, self.collection):
            time.sleep(IMPATIENT + MARGIN)
        return time.monotonic()

    def silent(self, _: Load) -> float:
        """The way to the server passes nothing on; afterwards all its connections are broken."""
        self._proxy.stall()
        time.sleep(STALL)
        self._proxy.heal()
        return time.monotonic()

    def slow(self, _: Load) -> float:
        """The way to the server takes longer."""
        self._proxy.delay = DELAY
        time.sleep(STALL)
        self._proxy.delay = 0.0
        return time.monotonic()


def each_time(act: Act, times: int, load: Load, chance: random.Random) -> list[float]:
    """Have something done so many times; gives the seconds until every worker was answered again, for each."""
    greens = []
    for _ in range(times):
        time.sleep(chance.uniform(0.05, 0.6))
        begun = act(load)
        load.until_all_succeed(begun)
        greens.append(time.monotonic() - begun)
    return greens


def drawn(acts: Mapping[str, Act], plan: Plan, load: Load, chance: random.Random) -> tuple[list[float], str]:
    """Have anything done until the seconds of a plan are over; gives what `each_time` gives, and how often each was."""
    counts = dict.fromkeys(acts, 0)
    greens = []
    until = time.monotonic() + plan.seconds
    while time.monotonic() < until:
        name = chance.choice(sorted(acts))
        greens += each_time(acts[name], 1, load, chance)
        counts[name] += 1
    return greens, ", ".join(f"{name} {count}" for name, count in counts.items())


def kill(database: Database[Any], plan: Plan) -> Outcome:
    """`kill -9` of every process of the server in the middle of batches; then it is started again."""
    return _done(database, plan, "kill -9 of the server", Acts.killed, plan.times)


def restart(database: Database[Any], plan: Plan) -> Outcome:
    """An orderly end of the server in the middle of batches; then it is started again."""
    return _done(database, plan, "a restart of the server", Acts.restarted, min(plan.times, 5))


def frozen(database: Database[Any], plan: Plan) -> Outcome:
    """A server whose processes stand still (SIGSTOP): every call ends in time, with an error."""
    outcome = _done(database, plan, "a frozen server", Acts.frozen, min(plan.times, 5), IMPATIENT)
    in_time(outcome)
    return outcome


def stalled(database: Database[Any], plan: Plan) -> Outcome:
    """A server that says nothing any more: every call ends in time, with an error."""
    outcome = _done(database, plan, "a silent server", Acts.silent, min(plan.times, 5), IMPATIENT, through_proxy=True)
    in_time(outcome)
    return outcome


def delayed(database: Database[Any], plan: Plan) -> Outcome:
    """A server far away: every piece of data needs a while in either direction. Nothing may fail."""
    outcome = _done(database, plan, "a delayed server", Acts.slow, min(plan.times, 3), PATIENT, through_proxy=True)
    nothing_failed(outcome)
    return outcome


def locked(database: Database[Any], plan: Plan) -> Outcome:
    """Another transaction holds the collection: writers are refused in time, readers do not notice."""
    seen: list[tuple[int, int]] = []

    def held(acts: Acts[Any], load: Load) -> float:
        refused, reads_refused = load.tally.refused, load.tally.reads_refused
        begun = acts.held(load)
        seen.append((load.tally.refused - refused, load.tally.reads_refused - reads_refused))
        return begun

    outcome = _done(database, plan, "a locked collection", held, min(plan.times, 3), IMPATIENT)
    if not all(refused for refused, _ in seen):
        outcome.tally.fault("the collection was locked, and no change was refused")
    if any(reads_refused for _, reads_refused in seen):
        outcome.tally.fault("the collection was locked for writers, and a question was refused")
    in_time(outcome)
    return outcome


def crowd(database: Database[Any], plan: Plan) -> Outcome:
    """Many writers and readers, and nothing else: no call may fail."""

    def wait(acts: Acts[Any], load: Load) -> float:
        time.sleep(plan.seconds)
        return time.monotonic()

    outcome = _done(database, plan, "a crowd", wait, 1, PATIENT)
    nothing_failed(outcome)
    return outcome


def mixed(database: Database[Any], plan: Plan) -> Outcome:
    """Kills, restarts, locks, silence, a slow and a frozen server, drawn until the seconds of the plan are over."""
    with database.server() as engine, Proxy(port_of(engine)) as proxy:
        acts = Acts(database, engine, proxy)
        counted: list[str] = []

        def happen(load: Load, chance: random.Random) -> list[float]:
            greens, counts = drawn(acts.all, plan, load, chance)
            counted.append(counts)
            return greens

        options = database.options(engine, proxy.port, IMPATIENT)
        outcome = done(database, engine, plan, "mixed faults", happen, options, acts.settled)
        outcome.notes += [*counted, *acts.notes]
        return outcome


def _done(
    database: Database[Any],
    plan: Plan,
    name: str,
    act: Callable[[Acts[Any], Load], float],
    times: int,
    timeout: float = TIMEOUT,
    through_proxy: bool = False,
) -> Outcome:
    with database.server() as engine, Proxy(port_of(engine)) as proxy:
        acts = Acts(database, engine, proxy)
        options = database.options(engine, proxy.port if through_proxy else None, timeout)
        happen = partial(each_time, partial(act, acts), times)
        outcome = done(database, engine, plan, name, happen, options, acts.settled)
        outcome.notes += acts.notes
        return outcome


def done(
    database: Database[AnEngine],
    engine: AnEngine,
    plan: Plan,
    name: str,
    happen: Callable[[Load, random.Random], list[float]],
    options: dict[str, Any],
    settled: Callable[[], dict[str, Any]] | None = None,
) -> Outcome:
    """Let something happen to a collection that was made before, so that no impatient store has to make it."""
    with Worker("python", database.kind, database.options(engine, timeout=PATIENT)) as worker:
        opened = worker.open()
        (document,) = Drawing("first", plan.seed).batch({}).given[:1]
        answers = [opened, worker.ask("insert", [document]), worker.ask("delete", [document["id"]])]
    for answer in answers:
        if answer.error:
            raise BrokenError(f"the collection cannot be made: {answer.message}")
    last = settled or partial(database.options, engine, timeout=PATIENT)
    return under_load(name, database.kind, options, plan, happen, last)


def in_time(outcome: Outcome) -> None:
    """Note a call that took longer than an impatient store may."""
    longest = max(outcome.tally.worst_read, outcome.tally.worst_write)
    if longest > IMPATIENT + MARGIN:
        outcome.tally.fault(f"a call with a timeout of {IMPATIENT:g} s took {longest:.1f} s")


def nothing_failed(outcome: Outcome) -> None:
    """Note every error where there may be none."""
    if outcome.tally.messages:
        outcome.tally.fault(f"calls failed where nothing was wrong: {outcome.tally.messages}")


def common(database: Database[Any]) -> dict[str, Fault]:
    """What can be done to a database of any kind."""
    return {
        fault.__name__.replace("_", "-"): partial(fault, database)
        for fault in (kill, restart, frozen, stalled, delayed, locked, crowd)
    }

"""What is done to an OpenSearch cluster."""

import random
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any

from conformance.engine_faults.load import PATIENCE, Load
from conformance.engine_faults.scene import Fault, Outcome, Plan, under_load
from conformance.engines.account import account
from conformance.engines.errors import EngineError
from conformance.engines.folders import folders
from conformance.engines.opensearch import OpenSearch, ask
from conformance.engines.states import State

KIND = "opensearch"
INDEX = "faults"
ALLOCATION = "cluster.routing.allocation.enable"
INSTANCE = "faults-opensearch"
NODES = 3
TIMEOUT = 30.0
IMPATIENT = 0.03
NARROW = {"thread_pool.write.queue_size": 1, "thread_pool.search.queue_size": 1}
"""Settings with which a node refuses what it cannot do at once."""
TICKING = {"thread_pool.estimated_time_interval": "1ms"}
"""A node looks at its clock so often; by itself it does every 200 ms, and hardly cuts a short search."""
CUT = "1ms"
SOME_SECONDS = 10.0
AWAY = 3.0
"""How many seconds nodes stay away."""


@contextmanager
def cluster(nodes: int = NODES, settings: Mapping[str, Any] | None = None) -> Iterator[OpenSearch]:
    """A new cluster of its own; it is removed with the block. A second block waits for the end of the first."""
    who = account()
    places = folders(who)
    engine = OpenSearch(places, who, INSTANCE)
    engine.more_settings = settings or {}
    with places.locked(f"{INSTANCE}-in-use"):
        engine.clean()
        try:
            engine.start(nodes)
            yield engine
        finally:
            engine.clean()


def _state(engine: OpenSearch) -> State:
    state = engine.state
    assert state is not None
    return state


def _options(engine: OpenSearch, **more: Any) -> dict[str, Any]:
    urls = _state(engine).url.split(",")
    return {"url": urls, "index": INDEX, "timeout": TIMEOUT, "replicas": min(1, len(urls) - 1), **more}


def _manager(engine: OpenSearch) -> int:
    """Which node manages the cluster, counted from 0."""
    for port in _state(engine).ports:
        told = ask(port, "/_cluster/state/cluster_manager_node,nodes")
        if told is not None:
            return int(told["nodes"][told["cluster_manager_node"]]["name"].rpartition("-")[2]) - 1
    raise EngineError("no node of the cluster answers")


def _until_green(engine: OpenSearch) -> None:
    until = time.monotonic() + PATIENCE
    path = f"/_cluster/health?wait_for_status=green&wait_for_nodes={len(_state(engine).ports)}&timeout=1s"
    while time.monotonic() < until:
        told = ask(_state(engine).ports[0], path)
        if told is not None and not told["timed_out"]:
            return
        time.sleep(0.1)
    shards = ask(_state(engine).ports[0], "/_cat/shards?h=index,shard,prirep,state,unassigned.reason&format=json")
    raise EngineError(f"the cluster was not green after {PATIENCE:g} s: {shards}")


def _each_time(times: int, engine: OpenSearch, chance: random.Random, happen: Callable[[float], None]) -> list[float]:
    """Have something happen to a cluster that is green, again and again; gives the seconds until it was over each time.

    Args:
        times: how often.
        engine: the cluster.
        chance: when.
        happen: does it, and returns once it is over; it is given when it began.
    """
    greens = []
    for _ in range(times):
        _until_green(engine)
        time.sleep(chance.uniform(0.1, 1.0))
        begun = time.monotonic()
        happen(begun)
        greens.append(time.monotonic() - begun)
    return greens


def _kill(engine: OpenSearch, load: Load, whom: Callable[[OpenSearch], list[int]], on: bool, begun: float) -> None:
    for place in whom(engine):
        _state(engine).programs[place].tell(signal.SIGKILL)
    if on:
        load.until_all_succeed(begun)
    else:
        time.sleep(AWAY)
    engine.start(NODES)
    _until_green(engine)


def _data_node(engine: OpenSearch) -> list[int]:
    return [(_manager(engine) + 1) % NODES]


def _two(engine: OpenSearch) -> list[int]:
    manager = _manager(engine)
    return [manager, (manager + 1) % NODES]


def _killed(plan: Plan, name: str, whom: Callable[[OpenSearch], list[int]], on: bool) -> Outcome:
    """Kill nodes under load, and start them again; `on`: whether the others must go on meanwhile."""
    with cluster() as engine:

        def happen(load: Load, chance: random.Random) -> list[float]:
            once = partial(_kill, engine, load, whom, on)
            return _each_time(plan.times, engine, chance, once)

        return under_load(name, KIND, _options(engine), plan, happen)


def kill_node(plan: Plan) -> Outcome:
    """`kill -9` of a node that does not manage the cluster."""
    return _killed(plan, "kill -9 of a data node", _data_node, on=True)


def kill_manager(plan: Plan) -> Outcome:
    """`kill -9` of the node that manages the cluster."""
    return _killed(plan, "kill -9 of the manager", lambda engine: [_manager(engine)], on=True)


def two_gone(plan: Plan) -> Outcome:
    """Two of three nodes away: what is left may refuse, and must not lie."""
    return _killed(plan, "two of three nodes gone", _two, on=False)


def impatient(plan: Plan) -> Outcome:
    """Stores that wait for hardly any answer: what is not known they say, and keep to it."""
    with cluster(1) as engine:

        def happen(load: Load, chance: random.Random) -> list[float]:
            load.reopen(timeout=IMPATIENT)
            time.sleep(min(plan.seconds, SOME_SECONDS))
            begun = time.monotonic()
            load.reopen()
            load.until_all_succeed(begun)
            return [time.monotonic() - begun]

        outcome = under_load(f"stores that wait {IMPATIENT * 1000:.0f} ms", KIND, _options(engine), plan, happen)
    if not any("did not answer within" in message for message in outcome.tally.messages):
        outcome.tally.fault("no store was impatient")
    return outcome


def cut_short(plan: Plan) -> Outcome:
    """A node that cuts searches short, mostly without an error: no part of an answer is given for the whole."""
    with cluster(1, TICKING) as engine:

        def happen(load: Load, chance: random.Random) -> list[float]:
            _set(engine, "search.default_search_timeout", CUT)
            time.sleep(min(plan.seconds, SOME_SECONDS))
            begun = time.monotonic()
            _set(engine, "search.default_search_timeout", None)
            load.until_all_succeed(begun)
            return [time.monotonic() - begun]

        outcome = under_load(f"searches cut after {CUT}", KIND, _options(engine), plan, happen)
    if not any("cut short" in message or "time_exceeded" in message for message in outcome.tally.messages):
        outcome.tally.fault("no search was cut short")
    return outcome


def unassigned(plan: Plan) -> Outcome:
    """A shard that no node has for a while: questions that need it are refused."""
    with cluster() as engine:

        def happen(load: Load, chance: random.Random) -> list[float]:
            def once(begun: float) -> None:
                refused = load.tally.reads_refused
                _take_shard(engine, chance)
                time.sleep(AWAY)
                _set(engine, ALLOCATION, None)
                _until_green(engine)
                load.until_all_succeed(time.monotonic())
                if load.tally.reads_refused == refused:
                    load.tally.fault("a shard was gone, and no question was refused")

            return _each_time(plan.times, engine, chance, once)

        options = _options(engine, shards=NODES, replicas=0)
        return under_load("an unassigned shard", KIND, options, plan, happen)


def _take_shard(engine: OpenSearch, chance: random.Random) -> None:
    """Have a node let go a shard of which there is no other copy, and no node take it."""
    _set(engine, ALLOCATION, "none")
    shard = chance.choice(ask(_state(engine).ports[0], f"/_cat/shards/{INDEX}?format=json"))
    place = {"index": shard["index"], "shard": int(shard["shard"]), "node": shard["node"]}
    _tell(engine, "POST", "/_cluster/reroute", {"commands": [{"cancel": {**place, "allow_primary": True}}]})


def _set(engine: OpenSearch, name: str, value: str | None) -> None:
    """Change a setting of the cluster; none: as it is by itself."""
    _tell(engine, "PUT", "/_cluster/settings", {"transient": {name: value}})


def _tell(engine: OpenSearch, method: str, path: str, body: Mapping[str, Any]) -> None:
    if ask(_state(engine).ports[0], path, PATIENCE, method, body) is None:
        raise EngineError(f"the cluster refused {method} {path}")


def flood(plan: Plan) -> Outcome:
    """A node with hardly any queue, which answers 429: whoever waits is served."""
    with cluster(1, NARROW) as engine:

        def happen(load: Load, chance: random.Random) -> list[float]:
            time.sleep(plan.seconds)
            return []

        outcome = under_load("a flood (429)", KIND, _options(engine), plan, happen)
        told = ask(_state(engine).ports[0], "/_nodes/stats/thread_pool")
        pools = next(iter(told["nodes"].values()))["thread_pool"]
    rejected = {name: pools[name]["rejected"] for name in ("write", "search")}
    outcome.notes.append(f"rejected by the node: {rejected}")
    if not any(rejected.values()):
        outcome.tally.fault("the node has refused nothing: there was no flood")
    return outcome


def frozen(plan: Plan) -> Outcome:
    """A node that stands still (SIGSTOP) for a while: the others are asked instead."""
    with cluster() as engine:

        def happen(load: Load, chance: random.Random) -> list[float]:
            return _each_time(plan.times, engine, chance, partial(_freeze, engine, load, chance))

        return under_load("a frozen node", KIND, _options(engine), plan, happen)


def _freeze(engine: OpenSearch, load: Load, chance: random.Random, begun: float) -> None:
    program = _state(engine).programs[chance.randrange(NODES)]
    program.tell(signal.SIGSTOP)
    try:
        load.until_all_succeed(begun)
    finally:
        program.tell(signal.SIGCONT)


def mixed(plan: Plan) -> Outcome:
    """Killed, frozen and missing nodes and searches cut short, drawn until the seconds of the plan are over."""
    with cluster(NODES, TICKING) as engine:
        counted: list[str] = []

        def happen(load: Load, chance: random.Random) -> list[float]:
            def cut(begun: float) -> None:
                _set(engine, "search.default_search_timeout", CUT)
                time.sleep(AWAY)
                _set(engine, "search.default_search_timeout", None)
                load.until_all_succeed(begun)

            acts: dict[str, Callable[[float], None]] = {
                "node killed": partial(_kill, engine, load, _data_node, True),
                "manager killed": partial(_kill, engine, load, lambda engine: [_manager(engine)], True),
                "two killed": partial(_kill, engine, load, _two, False),
                "frozen": partial(_freeze, engine, load, chance),
                "cut short": cut,
            }
            counts = dict.fromkeys(acts, 0)
            greens = []
            until = time.monotonic() + plan.seconds
            while time.monotonic() < until:
                name = chance.choice(sorted(acts))
                greens += _each_time(1, engine, chance, acts[name])
                counts[name] += 1
            counted.append(", ".join(f"{name} {count}" for name, count in counts.items()))
            return greens

        outcome = under_load("mixed faults", KIND, _options(engine), plan, happen)
        outcome.notes += counted
        return outcome


FAULTS: dict[str, Fault] = {
    "kill-node": kill_node,
    "kill-manager": kill_manager,
    "two-gone": two_gone,
    "unassigned": unassigned,
    "cut-short": cut_short,
    "impatient": impatient,
    "flood": flood,
    "frozen": frozen,
    "mixed": mixed,
}
"""What can be done to it."""

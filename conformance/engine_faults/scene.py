"""What all faults of all engines have: a load, something that happens to it, and a look at what is left."""

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from conformance.engine_faults import ending
from conformance.engine_faults.load import Load
from conformance.engine_faults.tally import Tally


@dataclass(frozen=True)
class Plan:
    """How much is done.

    Attributes:
        languages: of the workers.
        times: how often a fault happens.
        seconds: how long a crowd works.
        writers: how many.
        readers: how many.
        seed: of chance.
    """

    languages: Sequence[str]
    times: int = 20
    seconds: float = 60.0
    writers: int = 4
    readers: int = 2
    seed: int = 20261122


@dataclass
class Outcome:
    """What a fault has done.

    Attributes:
        name: of the fault.
        times: how often it happened.
        documents: how many there are in the end.
        tally: what was counted.
        greens: after each fault, how many seconds it took until every worker was answered again.
        notes: what else is to be told.
    """

    name: str
    times: int
    documents: int
    tally: Tally
    greens: list[float]
    notes: list[str] = field(default_factory=list)


Fault = Callable[[Plan], Outcome]


def under_load(
    name: str,
    kind: str,
    options: dict[str, Any],
    plan: Plan,
    happen: Callable[[Load, random.Random], list[float]],
    settled: Callable[[], dict[str, Any]] | None = None,
) -> Outcome:
    """Let something happen while a store is at work, and compare the end with what was acknowledged.

    Args:
        name: of the fault.
        kind: of the store.
        options: how it is opened.
        plan: how much is done.
        happen: does it, and returns how long each fault lasted for those at work.
        settled: called before the end is looked at; returns how the store is opened then.
    """
    load = Load(kind, options, plan.languages, plan.writers, plan.readers, plan.seed, atomic=kind != "opensearch")
    try:
        with load:
            load.until_all_succeed(0.0)
            greens = happen(load, random.Random(plan.seed))
            load.until_all_succeed(time.monotonic())
        last = settled() if settled else options
        ending.compare(kind, last, plan.languages, load, plan.seed)
        return Outcome(name, len(greens), len(load.stored), load.tally, greens)
    finally:
        load.close()

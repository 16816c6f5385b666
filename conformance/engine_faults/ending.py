"""Whether a store ends as a memory store with the same documents."""

from collections.abc import Mapping, Sequence
from typing import Any

from conformance.engine_faults.batches import questions
from conformance.engine_faults.load import Load, shown
from conformance.engine_faults.worker import expression
from conformance.engine_faults.workers import Worker
from hybrid_search import MemoryDocStore

FORMULAS = {"postgres": "okapi", "oceanbase": "lucene"}
"""The kinds of stores that rank with memory's bits, and with which of its formulas."""


def compare(kind: str, options: Mapping[str, Any], languages: Sequence[str], load: Load, seed: int) -> None:
    """Note in a load's tally what is lost, too much or different, as each language sees it.

    Documents are compared for every store, rankings for those that have memory's bits.
    """
    for language in languages:
        with Worker(language, kind, options) as worker:
            opened = worker.open()
            if opened.error:
                load.tally.fault(f"{language}: {opened.message}")
                continue
            _documents(worker, load)
            if kind in FORMULAS:
                _rankings(worker, load, seed, FORMULAS[kind])


def _documents(worker: Worker, load: Load) -> None:
    stored, doubtful = load.stored, load.doubtful
    there = 0
    for name in sorted(load.touched):
        answer = worker.ask("get", name)
        if answer.error:
            load.tally.fault(f"{worker.language}: {name} cannot be read: {answer.message}")
        found = answer.value
        there += found is not None
        if found not in (stored.get(name), *doubtful.get(name, ())):
            lost = f"{shown(found)}, expected {shown(stored.get(name))}"
            load.tally.fault(f"{worker.language}: lost or changed: {name}: {lost}; its history: {load.history(name)}")
        elif found != stored.get(name):
            load.tally.add(late=1)
    count = worker.ask("count")
    if count.value != there:
        load.tally.fault(f"{worker.language}: {count.message or count.value} documents, expected {there}")


def _rankings(worker: Worker, load: Load, seed: int, formula: str) -> None:
    memory = MemoryDocStore(bm25=formula)
    memory.insert(list(load.stored.values()))
    for question in questions(seed):
        expected = [list(row) for row in memory.rank([expression(question)])]
        if worker.ask("rank", question).value != expected:
            load.tally.fault(f"{worker.language}: another ranking than memory's for {question}")

"""Stores of several collections behind one pooler: no answer may be another collection's."""

import random
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from typing import Any

from conformance.engine_faults.batches import Drawing, questions
from conformance.engine_faults.tally import Tally
from conformance.engine_faults.worker import CHANGES, answer
from conformance.engine_faults.workers import Worker
from conformance.errors import BrokenError
from hybrid_search import MemoryDocStore

COLLECTIONS = 3


class Collection:
    """A collection, and the memory store that has the same documents.

    Args:
        name: its name.
        seed: of chance.
    """

    def __init__(self, name: str, seed: int) -> None:
        self.name = name
        self.memory = MemoryDocStore()
        self._lock = threading.Lock()
        # The ids are those of every other collection, the contents are not.
        self._drawing = Drawing("w", f"{seed} {name}")
        self._chance = random.Random(f"{seed} {name} calls")
        self._questions = questions(seed)
        self._stored: dict[str, Any] = {}

    def call(self, worker: Worker, tally: Tally) -> None:
        """Have a worker make one call, and compare its answer with memory's."""
        with self._lock:
            method, given = self._drawn()
            expected = answer(self.memory, method, given)
            found = worker.ask(method, given)
        is_change = method in CHANGES
        tally.saw(f"{worker.language} {self.name}", found, write=is_change)
        if found.error:
            tally.add(**{"refused" if is_change else "reads_refused": 1})
            tally.fault(f"{worker.language}, {self.name}: {method} raised {found.error}: {found.message}")
        else:
            tally.add(**{"acknowledged" if is_change else "reads": 1})
            if found.value != _plain(expected):
                tally.fault(f"{worker.language}, {self.name}: {method} of {given} gave {found.value}, not {expected}")

    def _drawn(self) -> tuple[str, Any]:
        kind = self._chance.choice(("change", "get", "get", "rank", "pair", "count"))
        if kind == "change" or not self._stored:
            batch = self._drawing.batch(self._stored)
            changed = {**self._stored, **batch.after}
            self._stored = {name: document for name, document in changed.items() if document is not None}
            return batch.method, batch.given
        if kind == "get":
            return kind, self._chance.choice(sorted(self._stored))
        if kind == "pair":
            return kind, self._chance.choice(sorted(self._stored)).rpartition(".")[0]
        return (kind, self._chance.choice(self._questions)) if kind == "rank" else (kind, None)


def call_all(options: Mapping[str, Any], languages: Sequence[str], calls: int, seed: int) -> tuple[Tally, int]:
    """Make calls, as many threads at once as there are collections and languages.

    Args:
        options: how stores are opened, but for their collections.
        languages: of the workers; each has a store of each collection.
        calls: how many there are together.
        seed: of chance.

    Returns:
        What was counted, and how many documents there are in the end.
    """
    tally = Tally()
    collections = [Collection(f"pooled_{number}", seed) for number in range(COLLECTIONS)]
    left = iter(range(calls))
    lock = threading.Lock()

    def go(collection: Collection, worker: Worker) -> None:
        try:
            while _next(left, lock):
                collection.call(worker, tally)
        except Exception as problem:
            tally.fault(f"{worker.language}, {collection.name}: {type(problem).__name__}: {problem}")

    with ExitStack() as stack:
        threads = []
        for collection in collections:
            for language in languages:
                worker = stack.enter_context(Worker(language, "postgres", {**options, "collection": collection.name}))
                opened = worker.open()
                if opened.error:
                    raise BrokenError(f"{language} cannot open the store: {opened.message}")
                threads.append(threading.Thread(target=go, args=(collection, worker), daemon=True))
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    return tally, sum(collection.memory.count() for collection in collections)


def _next(left: Iterator[int], lock: threading.Lock) -> bool:
    with lock:
        return next(left, None) is not None


def _plain(value: Any) -> Any:
    """A value as JSON has it."""
    if isinstance(value, list | tuple):
        return [_plain(member) for member in value]
    return value

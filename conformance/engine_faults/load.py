"""Writers and readers of both languages at one collection, and what they hold the store to."""

import random
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

from conformance.engine_faults.batches import (
    QUIET,
    QUIET_DOCUMENTS,
    Batch,
    Document,
    Documents,
    Drawing,
    questions,
    quiet,
    whole_questions,
)
from conformance.engine_faults.tally import Tally
from conformance.engine_faults.workers import Answer, Worker
from conformance.errors import BrokenError

PATIENCE = 180.0
"""How long a store may be away, in seconds."""
PAUSE = 0.05
MOST_OPENINGS = 100
"""How often a store that waits for hardly any answer is opened."""
KNOWN = "DocStoreError"
UNKNOWN = "UnknownOutcomeError"


class Writer:
    """Changes documents of its own, and knows after each call what must be stored.

    Args:
        name: its name, with which its ids begin.
        worker: who holds its store.
        tally: where it counts.
        seed: of chance.
        atomic: whether a batch is stored whole or not at all.
    """

    def __init__(self, name: str, worker: Worker, tally: Tally, seed: int, atomic: bool) -> None:
        self.name = name
        self.worker = worker
        self.stored: Documents = {}
        self.doubtful: dict[str, list[Any]] = {}
        self.postponed: Documents = {}
        self.history: dict[str, list[str]] = {}
        self._begun = time.monotonic()
        self._tally = tally
        self._drawing = Drawing(name, seed)
        self._chance = random.Random(f"{seed} {name} again")
        self._again: Batch | None = None
        self._atomic = atomic

    def step(self) -> None:
        """Make one change, and see what became of it; half of those whose outcome is not known are sent once more."""
        batch, self._again = self._again, None
        self.carry_out(self._drawing.batch(self.stored) if batch is None else batch)

    def carry_out(self, batch: Batch) -> None:
        """Make a change, and see what became of it."""
        answer = self.worker.ask(batch.method, batch.given)
        self._tally.saw(self.name, answer, write=True)
        came = answer.error or "acknowledged"
        again = " once more" if batch.repeats else ""
        told = {name: f"{batch.method}{again} of {shown(after)} was {came}" for name, after in batch.after.items()}
        self._note(told, answer)
        if not answer.error:
            self._tally.add(acknowledged=1)
            self._expect(batch, answer)
            possible = {name: self._becomes(batch, name) for name in batch.after if name in self.doubtful}
            self._keep(batch.after)
            self._doubt(possible)
        elif answer.error in (KNOWN, UNKNOWN) or self._late(batch):
            self._settle(batch, answer.error == UNKNOWN)
            if answer.error == UNKNOWN and self._chance.random() < 0.5:
                self._again = batch.again(self.stored)
        else:
            self._tally.fault(f"{self.name}: {batch.method} raised {answer.error}: {answer.message}")

    def _expect(self, batch: Batch, answer: Answer) -> None:
        fewer = batch.repeats or self._late(batch)  # some may have been as they are to be
        if answer.value != len(batch.after) and not (fewer and answer.value < len(batch.after)):
            self._tally.fault(f"{self.name}: {batch.method} of {len(batch.after)} documents gave {answer.value}")

    def _settle(self, batch: Batch, unknown: bool) -> None:
        """Find out what a change that failed has left: all of it or nothing, and nothing unless it is not known."""
        found = {name: self._read(name) for name in batch.after}
        self._note({name: f"read {shown(found[name])}" for name in found}, None)
        before = {name: self.stored.get(name) for name in batch.after}
        self._tally.add(**{"unknown" if unknown else "refused": 1})
        possible = {name: [*self.possible(name), *self._becomes(batch, name)] for name in batch.after}
        if not self._atomic:  # what an engine has taken it may still do, and what it shows it may still lose
            self._doubt(possible)
            if unknown and batch.method == "insert":  # the one change without a condition that a later one breaks
                self.postponed.update({name: after for name, after in batch.after.items() if after is not None})
        if found == batch.after and unknown:
            self._tally.add(unknown_stored=1)
        elif found != before and (self._atomic or not all(found[name] in possible[name] for name in found)):
            self._tally.fault(f"{self.name}: {batch.method} failed and left {found}, not {before}")
        self._keep(found)

    def _late(self, batch: Batch) -> bool:
        """Whether a batch may be refused because one that seemed to have failed was done after all."""
        return any(len(self.possible(name)) > 1 for name in batch.after)

    def possible(self, name: str) -> list[Any]:
        """Return what a document may be: a removed one may be back if its insert had no known outcome."""
        values = self.doubtful.get(name, [self.stored.get(name)])
        late = self.postponed.get(name)
        return values if late is None or None not in values or late in values else [*values, late]

    def _becomes(self, batch: Batch, name: str) -> list[Any]:
        """What a document may be once a batch is carried out: an update keeps what it does not change."""
        if batch.method != "update":
            return [batch.after[name]]
        change = next(given for given in batch.given if given["id"] == name)
        return [{**value, **change} for value in self.possible(name) if value is not None]

    def _doubt(self, possible: Mapping[str, list[Any]]) -> None:
        for name, values in possible.items():
            self.doubtful[name] = [value for place, value in enumerate(values) if value not in values[:place]]
            if len(self.doubtful[name]) == 1:
                del self.doubtful[name]

    def _note(self, told: Mapping[str, str], answer: Answer | None) -> None:
        """Keep what came of documents."""
        when = f"{time.monotonic() - self._begun:.2f} s"
        took = "" if answer is None else f" after {answer.seconds:.2f} s"
        more = "" if answer is None or not answer.error else f" ({answer.message})"
        for name, what in told.items():
            self.history.setdefault(name, []).append(f"{when}: {what}{took}{more}")

    def _read(self, name: str) -> Any:
        until = time.monotonic() + PATIENCE
        while True:
            answer = self.worker.ask("get", name)
            self._tally.saw(f"{self.name} reading", answer, write=False)  # it is back once it can write
            if not answer.error:
                return answer.value
            if time.monotonic() > until:
                raise BrokenError(f"the store did not come back: {answer.message}")
            time.sleep(PAUSE)

    def _keep(self, changes: Mapping[str, Any]) -> None:
        for name, document in changes.items():
            if document is None:
                self.stored.pop(name, None)
            else:
                self.stored[name] = document


def shown(document: Document | None) -> str:
    """Which version of a document it is."""
    return "nothing" if document is None else f"version {document.get('version_int')}"


class Reader:
    """Asks for pairs, whose halves always have the same version, and for rankings.

    Args:
        name: its name.
        worker: who holds its store.
        tally: where it counts.
        writers: whose pairs it asks for.
        seed: of chance.
        atomic: whether the halves of a pair change together for all who look.
    """

    def __init__(
        self, name: str, worker: Worker, tally: Tally, writers: Sequence[Writer], seed: int, atomic: bool
    ) -> None:
        self.name = name
        self.worker = worker
        self._tally = tally
        self._writers = writers
        self._chance = random.Random(f"{seed} {name}")
        self._questions = questions(seed)
        self._whole_questions = whole_questions(seed)
        self._atomic = atomic

    def step(self) -> None:
        """Ask one question."""
        pairs = [document["pair_kwd"] for document in list(self._chance.choice(self._writers).stored.values())]
        kind = self._chance.choice(("pair", "total", "found", "rank"))
        if kind == "total":
            total = self._asked(kind, QUIET)
            if total not in (None, QUIET_DOCUMENTS):
                self._tally.fault(f"{self.name}: a short answer: {total} documents of {QUIET_DOCUMENTS}")
        elif kind == "found":
            question, expected = self._chance.choice(self._whole_questions)
            found = self._asked(kind, {"question": question, "pair": QUIET})
            if found not in (None, expected):
                missing, other = sorted({*expected} - {*found}), sorted({*found} - {*expected})
                self._tally.fault(f"{self.name}: a wrong answer to {question}: without {missing}, with {other}")
        elif kind == "pair" and pairs:
            pair = self._chance.choice(pairs)
            answer = self._asked("pair", pair)
            if answer is not None and self._atomic:
                self._check(pair, answer)
        else:
            ranking = self._asked("rank", self._chance.choice(self._questions))
            if ranking is not None and ranking != sorted(ranking, key=lambda row: (-row[1], row[0])):
                self._tally.fault(f"{self.name}: a ranking that is out of order: {ranking}")

    def _asked(self, method: str, given: Any) -> Any:
        answer = self.worker.ask(method, given)
        self._tally.saw(self.name, answer, write=False)
        self._tally.add(**{"reads_refused" if answer.error else "reads": 1})
        if answer.error and answer.error != KNOWN:
            self._tally.fault(f"{self.name}: {method} raised {answer.error}: {answer.message}")
        if answer.error:
            time.sleep(PAUSE)
        return None if answer.error else answer.value

    def _check(self, pair: str, found: list[list[Any]]) -> None:
        names = [name for name, _ in found]
        if names not in ([], [f"{pair}.a", f"{pair}.b"]) or len({version for _, version in found}) > 1:
            self._tally.fault(f"{self.name}: half of a batch was seen: {found}")


class Load:
    """Writers and readers that go on until the block ends.

    Args:
        kind: of the store.
        options: how it is opened.
        languages: of the workers, by turns.
        writers: how many.
        readers: how many.
        seed: of chance.
        atomic: whether a batch is stored whole or not at all.
    """

    def __init__(
        self,
        kind: str,
        options: Mapping[str, Any],
        languages: Sequence[str],
        writers: int,
        readers: int,
        seed: int,
        atomic: bool = True,
    ) -> None:
        self.tally = Tally()
        self._workers = [Worker(languages[place % len(languages)], kind, options) for place in range(writers + readers)]
        self.writers = [
            Writer(f"w{place}", worker, self.tally, seed, atomic)
            for place, worker in enumerate(self._workers[:writers])
        ]
        self.readers = [
            Reader(f"r{place}", worker, self.tally, self.writers, seed, atomic)
            for place, worker in enumerate(self._workers[writers:])
        ]
        self._quiet = quiet(seed)
        self._stopping = threading.Event()
        self._threads = [
            threading.Thread(target=self._go, args=(each,), daemon=True) for each in (*self.writers, *self.readers)
        ]

    def __enter__(self) -> Self:
        for worker in self._workers:
            answer = worker.open()
            if answer.error:
                self.close()
                raise BrokenError(f"{worker.language} cannot open the store: {answer.message}")
        filled = self._workers[0].ask("insert", list(self._quiet.values()))
        if filled.error:
            self.close()
            raise BrokenError(f"the store cannot be filled: {filled.message}")
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._stopping.set()
        for thread in self._threads:
            thread.join(PATIENCE)
        if any(thread.is_alive() for thread in self._threads):
            self.tally.fault(f"a call did not end within {PATIENCE:g} s")

    def close(self) -> None:
        """End the workers."""
        for worker in self._workers:
            worker.close()

    @property
    def stored(self) -> Documents:
        """All documents that must be stored, once the block has ended."""
        changed = {name: document for writer in self.writers for name, document in writer.stored.items()}
        return {**self._quiet, **changed}

    @property
    def doubtful(self) -> dict[str, list[Any]]:
        """The possible states of documents of which a change has no known outcome."""
        return {
            name: writer.possible(name) for writer in self.writers for name in {*writer.doubtful, *writer.postponed}
        }

    @property
    def touched(self) -> set[str]:
        """The ids of all documents that were written."""
        return {*self._quiet, *(name for writer in self.writers for name in writer.history)}

    def history(self, name: str) -> str:
        """What writers did to a document, and saw of it."""
        return "; ".join(line for writer in self.writers for line in writer.history.get(name, ()))

    def reopen(self, **changed: Any) -> None:
        """Have every worker open its store again, with other options than before."""
        for worker in self._workers:
            for _ in range(MOST_OPENINGS):
                answer = worker.open(**changed)
                if not answer.error:
                    break
            else:
                self.tally.fault(f"{worker.language} cannot open the store again: {answer.message}")

    def until_all_succeed(self, since: float, seconds: float = PATIENCE) -> float:
        """Wait until every worker was answered after a point of time; returns how long after it the last was."""
        names = [*(writer.name for writer in self.writers), *(reader.name for reader in self.readers)]
        until = time.monotonic() + seconds
        while True:
            last = [self.tally.successes.get(name, 0.0) for name in names]
            if all(when > since for when in last) or not all(thread.is_alive() for thread in self._threads):
                return time.monotonic() - since
            if time.monotonic() > until:
                late = [name for name, when in zip(names, last, strict=True) if when <= since]
                self.tally.fault(f"{', '.join(late)} had no answer for {seconds:g} s")
                return seconds
            time.sleep(0.005)

    def _go(self, each: Writer | Reader) -> None:
        step: Callable[[], None] = each.step
        try:
            while not self._stopping.is_set():
                step()
        except Exception as problem:
            self.tally.fault(f"{each.name}: {type(problem).__name__}: {problem}")

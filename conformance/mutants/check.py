"""Runs mutants until a case notices them (CNF-19)."""

import functools
import queue
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path

from conformance.cases.fixtures import Case
from conformance.errors import BrokenError, ChildTimeoutError
from conformance.implementations.listing import Implementation
from conformance.judging import passes, promises
from conformance.mutants import command_lines, own_tests
from conformance.mutants.originals import Originals
from conformance.mutants.table import Mutant
from conformance.mutants.workshop import Workshop
from conformance.wire.child import NO_ANSWER, Child
from conformance.wire.protocol import Message

Asked = Callable[[str], Implementation]
"""Gives for an operation the implementation that is asked its cases."""
SEED = 20240229
MOST_OF_OPERATIONS = 150
"""Cases of its operations that a drawn mutant is asked, besides those that pass through its function."""
PATIENCE = 4.0
"""How many times its time a mutant has that let it pass."""


@dataclass(frozen=True)
class Fate:
    """What became of a mutant.

    Attributes:
        mutant: it.
        killed_by: the id of the case, or the command line, that noticed it; none: it survives.
        how: what the case found, or why the mutant could not be run.
        broken: whether it could not be run.
        seconds: how long it took.
        next_by: the next case that notices it, where that was asked for.
    """

    mutant: Mutant
    killed_by: str | None = None
    how: str = ""
    broken: bool = False
    seconds: float = 0.0
    next_by: str | None = None


def run_all(
    mutants: Sequence[Mutant],
    cases: Sequence[Case],
    first: dict[str, str],
    jobs: int,
    told: Callable[[Fate], None] | None = None,
    quick: bool = False,
    took: Mapping[str, float] | None = None,
) -> list[Fate]:
    """Run several, so many at once.

    Args:
        mutants: those to run.
        cases: all cases.
        first: the name of a mutant → the id of the case that is asked before all others, as it killed it last time.
        jobs: how many run at once.
        told: called with every fate.
        quick: ask only the case that killed it last time and those that a mutant's list names.
        took: how long each case takes: only those of a mutant's modules are asked, the quickest first, until two have
            noticed it; None: the first that notices it ends it.

    Returns:
        One fate a mutant, in the order given.
    """
    workshops: queue.Queue[Workshop] = queue.Queue()
    with ExitStack() as stack:
        originals = stack.enter_context(closing(Originals()))
        for _ in range(min(jobs, len(mutants))):
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="mutants-"))
            workshops.put(Workshop(Path(folder)))

        def work(mutant: Mutant) -> Fate:
            workshop = workshops.get()
            try:
                if took is None:
                    fate = run(workshop, originals, mutant, cases, first.get(mutant.name), quick)
                else:
                    fate = _by_two(workshop, mutant, cases, took)
            finally:
                workshops.put(workshop)
            if told is not None:
                told(fate)
            return fate

        with ThreadPoolExecutor(jobs) as pool:
            return list(pool.map(work, mutants))


def run(
    workshop: Workshop,
    originals: Originals,
    mutant: Mutant,
    cases: Sequence[Case],
    first: str | None = None,
    quick: bool = False,
) -> Fate:
    """Ask a mutant until an answer is not as expected.

    The case named first comes first, then those of the mutant's modules, then all others. A drawn mutant is asked the
    cases that pass through its function, and some of the same operations. The program of one of the command line is
    asked command lines instead, one of what Python alone has its tests, and one in OpenSearch its tests too.
    """
    began = time.monotonic()
    must = [case for case in cases if case.level == "must"]
    own = [case for case in must if mutant.place(case.operation) < len(mutant.modules)]
    if mutant.is_drawn:
        must = [case for case in must if case.id in (first, *mutant.cases)]
        must += [case for case in _spread(own) if case not in must]
    try:
        with workshop.holding(mutant) as asked:
            must, own = ([case for case in some if _has(asked, case)] for some in (must, own))
            if mutant.is_command:
                found = command_lines.noticed(workshop.folder, mutant.language, first)
            elif mutant.tests:
                found = own_tests.noticed(workshop.folder, mutant.tests, engines=False, first=first)
            elif mutant.has_tests:
                found = _tested(workshop.folder, asked, _in_order(mutant, must, first), first)
            else:
                last = [case for case in must if case.id == first and case not in own]
                if quick and mutant.is_drawn:
                    own = [case for case in own if case.id in mutant.cases]
                found = _ask(asked, _in_order(mutant, [*last, *own] if quick else must, first))
                if found is None and mutant.shuffle:
                    found = _shuffled(asked, own)
        if found is not None:
            originals.check(mutant, found[0], next((case for case in must if case.id == found[0]), None))
    except BrokenError as problem:
        return Fate(mutant, how=str(problem), broken=True)
    seconds = time.monotonic() - began
    return Fate(mutant, seconds=seconds) if found is None else Fate(mutant, *found, seconds=seconds)


def _by_two(workshop: Workshop, mutant: Mutant, cases: Sequence[Case], took: Mapping[str, float]) -> Fate:
    """The quickest case that notices a mutant, and the next one."""
    began = time.monotonic()
    own = [case for case in cases if case.level == "must" and mutant.place(case.operation) < len(mutant.modules)]
    own.sort(key=lambda case: took.get(case.id, 0.0))
    try:
        with workshop.holding(mutant) as asked:
            own = [case for case in own if _has(asked, case)]
            found = _ask(asked, own)
            if found is None:
                return Fate(mutant, seconds=time.monotonic() - began)
            place = next(number for number, case in enumerate(own) if case.id == found[0])
            after = _ask(asked, own[place + 1 :])
    except BrokenError as problem:
        return Fate(mutant, how=str(problem), broken=True)
    return Fate(mutant, *found, seconds=time.monotonic() - began, next_by=None if after is None else after[0])


def _spread(cases: list[Case]) -> list[Case]:
    """Some of the cases, from the first to the last."""
    return cases[:: max(1, -(-len(cases) // MOST_OF_OPERATIONS))]


def _in_order(mutant: Mutant, cases: Sequence[Case], first: str | None) -> list[Case]:
    """The case named first, then those that the mutant asks for, in the order in which it does, then the others."""
    places = {identifier: place for place, identifier in enumerate(mutant.cases)}

    def place(case: Case) -> tuple[int, int]:
        if case.id == first:
            return (0, 0)
        return (1, places[case.id]) if case.id in places else (2, mutant.place(case.operation))

    return sorted(cases, key=place)


def _has(asked: Asked, case: Case) -> bool:
    return asked(case.operation).asked(case.operation, case.id)


def _ask(asked: Asked, cases: list[Case]) -> tuple[str, str] | None:
    """The first case that is not as expected, and how."""
    with ExitStack() as stack:
        children: dict[str, Child] = {}
        for case in cases:
            implementation = asked(case.operation)
            if implementation.name not in children:
                child = children[implementation.name] = Child(implementation)
                stack.callback(child.kill)
                _start(child)
            try:
                answer = _answer(children[implementation.name], case)
                judgement = promises.judged(implementation, case, answer)
            except NO_ANSWER as problem:
                return case.id, f"no answer: {str(problem).splitlines()[0]}"
            if judgement.status != "pass":
                return case.id, f"{judgement.status} at {judgement.stage or 'value'}: {judgement.message}"
    return None


def _answer(child: Child, case: Case) -> Message:
    """The answer; a mutant that lets its time pass has more of it once, as a busy machine is no fault of the mutant's.

    Raises:
        ChildDiedError, ChildTimeoutError, ProtocolError: there is none.
    """
    ask = functools.partial(child.ask, case.operation, case.params, case.input, want_trace=True)
    try:
        return ask()
    except ChildTimeoutError:
        return ask(timeout=PATIENCE * child.implementation.timeout)


def _tested(sources: Path, asked: Asked, cases: list[Case], first: str | None) -> tuple[str, str] | None:
    """What notices it: the case named first, tests that ask no engine, cases, then tests that ask one."""
    own = [case for case in cases if case.id == first]
    return (
        (_ask(asked, own) if own else None)
        or own_tests.noticed(sources, own_tests.AGAINST_A_FAKE, engines=False, first=first)
        or _ask(asked, cases)
        or own_tests.noticed(sources, own_tests.AGAINST_AN_ENGINE, engines=True)
    )


def _shuffled(asked: Asked, cases: list[Case]) -> tuple[str, str] | None:
    parts: dict[str, list[Case]] = {}
    for case in cases:
        parts.setdefault(asked(case.operation).name, []).append(case)
    for part in parts.values():
        implementation = asked(part[0].operation)
        with Child(implementation) as child:
            heard = passes.first(child, part, 0, lambda _status: None)
        with Child(implementation) as child:
            unstable = passes.second(child, part, heard, SEED, lambda _status: None)
        for name, judgement in unstable.items():
            return name, f"unstable: {judgement.message}"
    return None


def _start(child: Child) -> None:
    try:
        child.start()
    except NO_ANSWER as problem:
        raise BrokenError(f"does not even start: {str(problem).splitlines()[0]}") from None

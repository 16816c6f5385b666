"""Which functions of the library the failures point to: those that wrong cases pass through, and right ones do not.

The reference tells through which of its functions a case passes until its first wrong stage. The functions are looked
for where the failure is found with the fewest of them, which is most likely nearest to the mistake. A function is the
more suspect the more of all wrong cases pass through it, and the fewer right ones: Ochiai's coefficient,
wrong / sqrt(all wrong x all that pass through it) (Ochiai 1957; for finding faults Abreu and others 2007).

What is fast in one language may be plain in another. So where nothing tells which kernels are wrong, the reference is
asked with both, and those count whose functions are the more suspect.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from conformance.cases.fixtures import Case
from conformance.errors import BrokenError
from conformance.judging.results import Result
from conformance.wire.worker import WorkerProcess, python_module

WORKER = "conformance.implementations.python.reach"
KERNELS = "HYBRID_SEARCH_KERNELS"
PLAIN, FAST = "plain", "fast"
MOST_WRONG = 8
"""Wrong cases that are asked of each operation and stage."""
MOST_RIGHT = 8
"""Right cases that are asked of an operation that also has wrong ones."""
MOST_OTHERS = 3
"""Right cases that are asked of any other operation."""
LEAST_RIGHT = 20
"""With fewer right cases nothing can be told."""
SLOW_SECONDS = 0.2
"""Cases that took longer are not asked again."""
MOST_TOLD = 5
OWN_WEIGHT = 1.25
"""How much more a function counts that is in the folder of the operation, which is what the operation is there for."""
LEAST_SHARE = 0.75
"""What is told has at least so much of the likeliest one's score."""

Function = tuple[str, str, int]
"""File under the library, name, line."""


@dataclass(frozen=True)
class Suspect:
    """A function that the failures point to.

    Attributes:
        file: of the reference, under its library.
        name: of the function, with its class.
        line: where it begins.
        wrong: how many of the wrong cases that were asked pass through it.
        right: how many of the right ones.
        score: Ochiai's coefficient, with `OWN_WEIGHT` where that is due.
    """

    file: str
    name: str
    line: int
    wrong: int
    right: int
    score: float


@dataclass(frozen=True)
class Suspicion:
    """What was found out.

    Attributes:
        suspects: the likeliest first.
        wrong: how many wrong cases were asked.
        right: how many right ones.
        depths: `operation at stage` → through how few functions one of its wrong cases passes.
    """

    suspects: tuple[Suspect, ...] = ()
    wrong: int = 0
    right: int = 0
    depths: Mapping[str, int] = field(default_factory=dict)


def find(results: Sequence[Result], cases: Sequence[Case], kernels: Sequence[str] = (FAST, PLAIN)) -> Suspicion:
    """The suspects of a run; none where nothing is wrong, or too little is right.

    Args:
        results: of the run.
        cases: that it asked.
        kernels: which of the reference's are looked at; of equally suspect ones those that come first are told.
    """
    wrong, right = _chosen(results)
    if not wrong or len(right) < LEAST_RIGHT:
        return Suspicion()
    known = {case.id: case for case in cases}
    try:
        found = [_found(wrong, right, known, one) for one in kernels]
    except BrokenError:
        return Suspicion()  # a report without suspects is worth more than none
    return max(found, key=lambda one: one.suspects[0].score if one.suspects else 0.0)


def _found(wrong: Sequence[Result], right: Sequence[str], known: Mapping[str, Case], kernels: str) -> Suspicion:
    with WorkerProcess(python_module(WORKER), WORKER, {KERNELS: kernels}) as worker:
        passed = [_reached(worker, known[identifier], None) for identifier in right]
        for one in wrong:
            _reached(worker, known[one.case], None)  # so that what is read once is read before
        reached = {one.case: _reached(worker, known[one.case], one.stage) for one in wrong}
    depths: dict[str, int] = {}
    for one in wrong:
        place = f"{one.operation} at {one.stage or one.status}"
        depths[place] = min(depths.get(place, 1 << 30), len(reached[one.case]))
    nearest = min(wrong, key=lambda one: len(reached[one.case]))
    ranked = _ranked(list(reached.values()), passed, reached[nearest.case], nearest.module)
    return Suspicion(ranked, len(reached), len(passed), depths)


def _chosen(results: Sequence[Result]) -> tuple[list[Result], list[str]]:
    """The wrong results and the ids of the right cases that are asked."""
    wrong: dict[tuple[str, str | None], dict[str, Result]] = {}
    failed = {result.case for result in results if result.counts}
    right: dict[str, dict[str, None]] = {}
    for result in results:
        if result.seconds > SLOW_SECONDS and not result.counts:
            continue
        if result.counts:
            wrong.setdefault((result.operation, result.stage), {}).setdefault(result.case, result)
        elif result.status == "pass" and result.case not in failed:
            right.setdefault(result.operation, {})[result.case] = None
    operations = {operation for operation, _ in wrong}
    asked = {one.case: one for own in wrong.values() for one in sorted(own.values(), key=_size)[:MOST_WRONG]}
    chosen = [
        identifier
        for operation, own in right.items()
        for identifier in _spread(list(own), MOST_RIGHT if operation in operations else MOST_OTHERS)
    ]
    return list(asked.values()), chosen


def _size(result: Result) -> tuple[int, str]:
    return (len(result.evidence["input"]) if result.evidence else 1 << 30, result.case)


def _spread(identifiers: list[str], most: int) -> list[str]:
    """So many of them, from the first to the last."""
    return identifiers[:: max(1, -(-len(identifiers) // most))]


def _reached(worker: WorkerProcess, case: Case, stage: str | None) -> set[Function]:
    """The functions that a case passes through, until a stage is recorded if it is one of the reference's."""
    answer = worker.exchange({"op": case.operation, "params": case.params, "input": case.input}, case.id)
    until = [count for name, count in answer["stages"] if name == stage]
    functions = answer["functions"][: until[-1] if until else None]
    return {(file, name.partition(".<locals>")[0], line) for file, name, line in functions if not name.startswith("<")}


def _ranked(
    wrong: Sequence[set[Function]], right: Sequence[set[Function]], nearest: set[Function], module: str
) -> tuple[Suspect, ...]:
    """The suspects among the functions of the nearest failure, which is of a module of operations."""
    hit, passed = _counts(wrong), _counts(right)
    found: dict[tuple[str, str], Suspect] = {}
    for file, name, line in sorted(nearest):
        if (file, name) not in found:  # the first line of it: what is inside of a function has lines of its own
            count, others = hit[(file, name)], passed.get((file, name), 0)
            score = count / math.sqrt(len(wrong) * (count + others))
            score *= OWN_WEIGHT if _is_of(module, file) else 1.0
            found[(file, name)] = Suspect(file, name, line, count, others, score)
    order = sorted(found.values(), key=lambda one: (-one.score, one.file, one.line))[:MOST_TOLD]
    return tuple(one for one in order if one.score >= LEAST_SHARE * order[0].score)


def _is_of(module: str, file: str) -> bool:
    """Whether a file of the library is what a module of operations is about."""
    return file.startswith(module) or file.rpartition("/")[2].strip("_") == f"{module}.py"


def _counts(reached: Iterable[set[Function]]) -> dict[tuple[str, str], int]:
    counts: dict[tuple[str, str], int] = {}
    for functions in reached:
        for pair in {(file, name) for file, name, _ in functions}:
            counts[pair] = counts.get(pair, 0) + 1
    return counts

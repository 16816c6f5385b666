"""Which functions of the library the failures point to: those that wrong cases pass through, and right ones do not.

The reference tells through which of its functions a case passes until its first wrong stage. A function is the more
suspect the more of the wrong cases pass through it, and the fewer right ones: Ochiai's coefficient,
wrong / sqrt(all wrong x all that pass through it) (Ochiai 1957; for finding faults Abreu and others 2007).

A port may have several mistakes. The most suspect function explains the wrong cases that pass through it; the next
mistake is looked for among the others, until all are explained.

What is fast in one language may be plain in another. So where nothing tells which kernels are wrong, the reference is
asked with both, and those count whose functions are the more suspect.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

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
"""Functions that are named of one mistake."""
MOST_MISTAKES = 6
OWN_WEIGHT = 1.25
"""How much more a function counts that is in the folder of the operation, which is what the operation is there for."""
FEW = 24
"""Functions of a case that asks one part of the library, and little of what that is made of."""
LEAST_WRONG, MORE, NEARLY_ALL = 3, 0.25, 0.75
"""So many wrong cases, and such a share of all that pass through it, make a function another mistake's."""
LEAST_SHARE = 0.75
"""What is told has at least so much of the likeliest one's score."""

Function = tuple[str, str, int]
"""File under the library, name, line."""
Name = tuple[str, str]
"""File under the library, name."""


@dataclass(frozen=True)
class Suspect:
    """A function that the failures point to.

    Attributes:
        file: of the reference, under its library.
        name: of the function, with its class.
        line: where it begins.
        wrong: how many of the wrong cases that are not explained before pass through it.
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
class Mistake:
    """Failures that one function explains.

    Attributes:
        suspects: the functions that may be wrong, the likeliest first.
        cases: the ids of the wrong cases that were asked and pass through it, the one with the fewest functions first.
        unexplained: the number of wrong cases that no mistake before explains.
    """

    suspects: tuple[Suspect, ...]
    cases: tuple[str, ...]
    unexplained: int


@dataclass(frozen=True)
class Suspicion:
    """What was found out.

    Attributes:
        mistakes: the one that explains the most first.
        wrong: how many wrong cases were asked.
        right: how many right ones.
        depths: `operation at stage` → through how few functions one of its wrong cases passes.
    """

    mistakes: tuple[Mistake, ...] = ()
    wrong: int = 0
    right: int = 0
    depths: Mapping[str, int] = field(default_factory=dict)


def read(event: Mapping[str, Any]) -> Suspicion:
    """What was found out, back from an event of the log."""
    mistakes = tuple(
        Mistake(tuple(Suspect(**suspect) for suspect in one["suspects"]), tuple(one["cases"]), one["unexplained"])
        for one in event["mistakes"]
    )
    return Suspicion(mistakes, event["wrong"], event["right"], event["depths"])


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
    return max(found, key=lambda one: one.mistakes[0].suspects[0].score if one.mistakes else 0.0)


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
    return Suspicion(explain(wrong, reached, passed), len(reached), len(passed), depths)


def explain(
    wrong: Sequence[Result], reached: Mapping[str, set[Function]], right: Sequence[set[Function]]
) -> tuple[Mistake, ...]:
    """The mistakes that explain wrong cases, the one that explains the most of them first.

    Args:
        wrong: their results.
        reached: of each wrong case the functions that it passes through.
        right: of each right case the same.
    """
    passed = _counts(right)
    rest = sorted(wrong, key=lambda one: (len(reached[one.case]), one.case))
    mistakes: list[Mistake] = []
    while rest and len(mistakes) < MOST_MISTAKES:
        likeliest = _likeliest(rest, reached, passed)
        nearest = next((one for one in rest if likeliest in _names(reached[one.case])), None)
        if nearest is None:
            break
        hit = _counts(reached[one.case] for one in rest)
        suspects = _ranked(hit, len(rest), passed, reached[nearest.case], nearest.module)
        first = (suspects[0].file, suspects[0].name)
        share = _share(first, hit, passed)
        explained = [
            one
            for one in rest
            if first in (names := _names(reached[one.case]))
            and (one is nearest or not _is_of_another(one, names, share, hit, passed))
        ]
        mistakes.append(Mistake(suspects, tuple(one.case for one in explained), len(rest)))
        rest = [one for one in rest if one not in explained]
    return tuple(sorted(mistakes, key=lambda one: -len(one.cases)))


def _likeliest(wrong: Sequence[Result], reached: Mapping[str, set[Function]], right: Mapping[Name, int]) -> Name | None:
    """The most suspect function of all that wrong cases pass through."""
    hit = _counts(reached[one.case] for one in wrong)
    own = {name for one in wrong for name in _names(reached[one.case]) if _is_of(one.module, name[0])}
    return max(
        sorted(hit), key=lambda name: _score(hit[name], len(wrong), right.get(name, 0), name in own), default=None
    )


def _is_of_another(
    result: Result, names: set[Name], share: float, hit: Mapping[Name, int], right: Mapping[Name, int]
) -> bool:
    """Whether a short case has a function of its own module of which so many more cases are wrong than of another.

    Args:
        result: of the case.
        names: the functions that it passes through.
        share: how many of the cases that pass through the other function are wrong.
        hit: by function, how many wrong cases pass through it.
        right: by function, how many right ones.
    """
    return len(names) <= FEW and any(
        hit[name] >= LEAST_WRONG
        and _is_of(result.module, name[0])
        and _share(name, hit, right) >= max(share + MORE, NEARLY_ALL)
        for name in names
    )


def _share(name: Name, hit: Mapping[Name, int], right: Mapping[Name, int]) -> float:
    return hit[name] / (hit[name] + right.get(name, 0))


def _score(hit: int, wrong: int, right: int, is_own: bool) -> float:
    return hit / math.sqrt(wrong * (hit + right)) * (OWN_WEIGHT if is_own else 1.0)


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
    hit: Mapping[Name, int], wrong: int, right: Mapping[Name, int], nearest: set[Function], module: str
) -> tuple[Suspect, ...]:
    """The suspects among the functions of the nearest failure, which is of a module of operations."""
    found: dict[Name, Suspect] = {}
    for file, name, line in sorted(nearest):
        if (file, name) not in found:  # the first line of it: what is inside of a function has lines of its own
            count, others = hit[(file, name)], right.get((file, name), 0)
            score = _score(count, wrong, others, _is_of(module, file))
            found[(file, name)] = Suspect(file, name, line, count, others, score)
    order = sorted(found.values(), key=lambda one: (-one.score, one.file, one.line))[:MOST_TOLD]
    return tuple(one for one in order if one.score >= LEAST_SHARE * order[0].score)


def _is_of(module: str, file: str) -> bool:
    """Whether a file of the library is what a module of operations is about."""
    return file.startswith(module) or file.rpartition("/")[2].strip("_") == f"{module}.py"


def _names(functions: Iterable[Function]) -> set[Name]:
    return {(file, name) for file, name, _ in functions}


def _counts(reached: Iterable[set[Function]]) -> dict[Name, int]:
    counts: dict[Name, int] = {}
    for functions in reached:
        for name in _names(functions):
            counts[name] = counts.get(name, 0) + 1
    return counts

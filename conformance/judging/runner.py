"""Runs cases in implementations: in file order, then in a seeded shuffle; implementations side by side (CNF-11)."""

import random
import shlex
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from conformance.cases.fixtures import Case
from conformance.implementations.listing import Implementation
from conformance.judging import known, passes
from conformance.judging.judge import Judgement
from conformance.judging.known import Known
from conformance.judging.passes import Heard, Right
from conformance.judging.results import Result
from conformance.wire.child import Child
from conformance.wire.protocol import Message

REFERENCE = "reference"


@dataclass(frozen=True)
class Options:
    """How to run.

    Attributes:
        seed: of the shuffled second pass.
        shuffle: whether there is a second pass.
        shuffle_slow: whether implementations that are slow have one too, and cases that take long are in it.
        shuffle_sample: one in so many cases is in it.
        slow_sample: implementations that are slow are asked one in so many of the cases that do not take long, or all
            cases where it is 1; the reference is asked all cases, always. Above 1, each implementation is asked one
            case of an operation that it does not list.
        tolerance: ULP allowed besides each case's compare class.
        live: show what implementations write to stderr.
        again: what to add to the command that runs just one case.
        budget: seconds for the whole run; what is not asked by then is a time-out.
    """

    seed: int = 20240229
    shuffle: bool = True
    shuffle_slow: bool = True
    shuffle_sample: int = 1
    slow_sample: int = 1
    tolerance: int = 0
    live: bool = False
    again: tuple[str, ...] = ()
    budget: float = 3600.0

    def shuffles(self, implementation: Implementation) -> bool:
        """Whether an implementation has a second pass."""
        return self.shuffle and (self.shuffle_slow or not implementation.slow)

    def asked(self, implementation: Implementation, cases: list[Case]) -> list[Case]:
        """The cases that an implementation is asked, in their order; a seed always draws the same ones."""
        if self.slow_sample == 1 or not implementation.slow or implementation.name == REFERENCE:
            return cases
        short = [case for case in cases if not case.is_long]
        drawn = random.Random(self.seed).sample(range(len(short)), -(-len(short) // self.slow_sample))
        return [short[place] for place in sorted(drawn)]

    def spared(self, implementation: Implementation, cases: list[Case]) -> frozenset[str]:
        """The ids of cases that are unsupported without a question: all but the first of each unlisted operation."""
        if self.slow_sample == 1:
            return frozenset()
        unlisted = [case for case in cases if not implementation.supports(case.operation)]
        first = {case.operation: case.id for case in reversed(unlisted)}
        return frozenset(case.id for case in unlisted) - frozenset(first.values())

    def shuffled(self, cases: list[Case]) -> list[Case]:
        """The cases of the second pass; a seed always draws the same ones."""
        chosen = [case for case in cases if self.shuffle_slow or not case.is_long]
        if self.shuffle_sample == 1:
            return chosen
        return random.Random(self.seed).sample(chosen, -(-len(chosen) // self.shuffle_sample))


@dataclass
class ImplementationRun:
    """What one implementation did: its hello, its results in file order, how often it was started, its time."""

    implementation: Implementation
    greeting: Message = field(default_factory=dict)
    results: list[Result] = field(default_factory=list)
    starts: int = 0
    seconds: float = 0.0


Progress = Callable[[str, str], None]
"""Called with the implementation's name and a status after every case of each pass, from several threads."""


def run(
    implementations: list[Implementation],
    cases: list[Case],
    options: Options,
    known_differences: list[Known] | None = None,
    progress: Progress | None = None,
) -> list[ImplementationRun]:
    """Run the cases in every implementation, each in a thread of its own.

    Returns:
        One run an implementation, in the order given.
    """
    runs = [ImplementationRun(implementation) for implementation in implementations]
    failures: list[BaseException] = []
    right: Right = {}

    def work(one: ImplementationRun) -> None:
        try:
            _run_one(one, cases, options, known_differences or [], progress or (lambda _name, _status: None), right)
        except BaseException as problem:
            failures.append(problem)

    threads = [threading.Thread(target=work, args=(one,), name=one.implementation.name) for one in runs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
    return runs


def _run_one(
    one: ImplementationRun,
    cases: list[Case],
    options: Options,
    entries: list[Known],
    progress: Progress,
    right: Right,
) -> None:
    began = time.monotonic()
    cases = options.asked(one.implementation, cases)

    def told(status: str) -> None:
        progress(one.implementation.name, status)

    spared = options.spared(one.implementation, cases)
    with Child(one.implementation, options.live) as child:
        heard = passes.first(child, cases, options.tolerance, told, began + options.budget, right, spared)
        one.greeting, one.starts = child.greeting, child.starts
    unstable: dict[str, Judgement] = {}
    if options.shuffles(one.implementation):
        again = options.shuffled(cases)
        with Child(one.implementation, options.live) as child:
            unstable = passes.second(child, again, heard, options.seed, told, began + options.budget, right)
            one.starts += child.starts
    one.results = [
        _result(
            one.implementation,
            case,
            unstable.get(case.id, heard.judgements[case.id]),
            heard.seconds[case.id],
            entries,
            options.again,
            heard,
        )
        for case in cases
    ]
    one.seconds = time.monotonic() - began


def _result(
    implementation: Implementation,
    case: Case,
    judgement: Judgement,
    seconds: float,
    entries: list[Known],
    again: tuple[str, ...],
    heard: Heard,
) -> Result:
    name, status, message = implementation.name, judgement.status, judgement.message
    entry = known.find(entries, case.id, name)
    if entry is not None and status == "pass":
        status, message = "fixed", f"passes, but is listed as a known difference ({entry.clause}): take it off the list"
    elif entry is not None and status == entry.kind:
        status, message = "known", f"{entry.reason} ({entry.clause}, {entry.owner}, {entry.opened})"
    elif entry is not None:
        message = f"{message}; known as {entry.kind}, now it is {status}"
    is_had = implementation.asked(case.operation, case.id)
    left_out = status == "unsupported" and not is_had
    if status == "unsupported" and is_had:
        message = f"{message}, which is among its capabilities"
    excused = status in ("pass", "known") or left_out or (case.level == "may" and status != "unstable")
    return Result(
        case=case.id,
        module=case.module,
        operation=case.operation,
        implementation=name,
        status=status,
        counts=status == "fixed" or not excused,
        clauses=case.clauses,
        stage=judgement.stage,
        message=message,
        details=judgement.details,
        ulp=judgement.ulp,
        seconds=seconds,
        again=shlex.join(["bin/conformance", *again, "--case", case.id, "--implementation", name]),
        summary=case.summary,
        evidence=heard.evidence.get(case.id),
        pages=heard.pages.get(case.id, ()),
        looser=judgement.looser if status == "pass" else (),
    )

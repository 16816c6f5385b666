"""Runs cases in implementations: in file order, then in a seeded shuffle; implementations side by side (CNF-11)."""

import random
import shlex
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from conformance import differences, fixtures, known, trace
from conformance.child import Child
from conformance.errors import ChildDiedError, ChildTimeoutError, ProtocolError
from conformance.fixtures import Case
from conformance.implementations import Implementation
from conformance.judge import Judgement, judge
from conformance.known import Known
from conformance.protocol import Message
from conformance.results import Result

GIVE_UP_AFTER = 5
"""So many cases in a row without an answer, and the rest is not tried."""

NO_ANSWER = ("crash", "timeout", "protocol")


@dataclass(frozen=True)
class Options:
    """How to run.

    Attributes:
        seed: of the shuffled second pass.
        shuffle: whether there is a second pass.
        tolerance: ULP allowed besides each case's compare class.
        live: show what implementations write to stderr.
    """

    seed: int = 20240229
    shuffle: bool = True
    tolerance: int = 0
    live: bool = False


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

    def work(one: ImplementationRun) -> None:
        try:
            _run_one(one, cases, options, known_differences or [], progress or (lambda _name, _status: None))
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
    one: ImplementationRun, cases: list[Case], options: Options, entries: list[Known], progress: Progress
) -> None:
    began = time.monotonic()
    name = one.implementation.name
    first: dict[str, str] = {}
    judged: list[tuple[Case, Judgement, float]] = []
    with Child(one.implementation, options.live) as child:
        silent = 0
        for case in cases:
            asked = time.monotonic()
            judgement, answer = _ask(child, case, options, silent)
            silent = silent + 1 if judgement.status in NO_ANSWER else 0
            if answer is not None:
                first[case.id] = _essence(answer)
            judged.append((case, judgement, time.monotonic() - asked))
            progress(name, judgement.status)
        one.greeting = child.greeting
        one.starts = child.starts
    unstable = _second_pass(one, cases, first, options, progress) if options.shuffle else {}
    one.results = [
        _result(
            name,
            case,
            unstable.get(case.id, judgement) if judgement.status == "pass" else judgement,
            seconds,
            one.implementation.partial,
            entries,
        )
        for case, judgement, seconds in judged
    ]
    one.seconds = time.monotonic() - began


def _ask(child: Child, case: Case, options: Options, silent: int) -> tuple[Judgement, Message | None]:
    if silent >= GIVE_UP_AFTER:
        return Judgement("crash", message=f"not tried: no answer to the {GIVE_UP_AFTER} cases before"), None
    try:
        answer = child.ask(case.operation, case.params, case.input, want_trace=True)
    except ChildDiedError as problem:
        lines = str(problem).splitlines()
        return Judgement("crash", message=lines[0], details=tuple(lines[1:])), None
    except ChildTimeoutError as problem:
        return Judgement("timeout", message=str(problem)), None
    except ProtocolError as problem:
        return Judgement("protocol", message=str(problem)), None
    judgement = judge(case, answer, options.tolerance)
    if judgement.status == "error" and judgement.stage == trace.ERROR:
        judgement = replace(judgement, details=tuple(child.last_errors().splitlines()))
    return judgement, answer


def _second_pass(
    one: ImplementationRun, cases: list[Case], first: dict[str, str], options: Options, progress: Progress
) -> dict[str, Judgement]:
    """Ask the answered cases again in another order, in a fresh process; what differs is unstable."""
    shuffled = [case for case in cases if case.id in first]
    random.Random(options.seed).shuffle(shuffled)
    unstable: dict[str, Judgement] = {}
    with Child(one.implementation, options.live) as child:
        for case in shuffled:
            message, details = "", list[str]()
            try:
                answer = child.ask(case.operation, case.params, case.input, want_trace=False)
                if _essence(answer) != first[case.id]:
                    message = "another answer in another order of cases"
                    expected = {key: case.expect[key] for key in ("value", "error") if key in case.expect}
                    details = differences.describe(expected, {key: answer[key] for key in answer if key != "seq"})
            except (ChildDiedError, ChildTimeoutError, ProtocolError) as problem:
                message = f"no answer in another order of cases: {problem}"
            if message:
                told = f"{message} (seed {options.seed})"
                unstable[case.id] = Judgement("unstable", message=told, details=tuple(details))
            progress(one.implementation.name, "unstable" if message else "pass")
        one.starts += child.starts
    return unstable


def _essence(answer: Message) -> str:
    """The digest of what an answer says: its value, its error, or that it is unsupported."""
    return fixtures.digest({key: answer[key] for key in ("value", "error", "unsupported") if key in answer})


def _result(name: str, case: Case, judgement: Judgement, seconds: float, partial: bool, entries: list[Known]) -> Result:
    status, message = judgement.status, judgement.message
    entry = known.find(entries, case.id, name)
    if entry is not None and status == "pass":
        status, message = "fixed", f"passes, but is listed as a known difference ({entry.clause}): take it off the list"
    elif entry is not None and status == entry.kind:
        status, message = "known", f"{entry.reason} ({entry.clause}, {entry.owner}, {entry.opened})"
    elif entry is not None:
        message = f"{message}; known as {entry.kind}, now it is {status}"
    excused = status in ("pass", "known") or (status == "unsupported" and (partial or case.level == "may"))
    return Result(
        case=case.id,
        module=case.module,
        operation=case.operation,
        implementation=name,
        status=status,
        counts=not excused and (case.level == "must" or status == "fixed"),
        clauses=case.clauses,
        stage=judgement.stage,
        message=message,
        details=judgement.details,
        ulp=judgement.ulp,
        seconds=seconds,
        again=f"python -m conformance --case {shlex.quote(case.id)} --implementation {name}",
    )

"""The two passes over the cases: each case asked once in file order, then again in a shuffle (CNF-11)."""

import math
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from conformance.cases.fixtures import Case
from conformance.errors import ChildDiedError, ChildTimeoutError, ProtocolError
from conformance.judging import differences, evidence, promises, trace
from conformance.judging.judge import Judgement
from conformance.wire import values
from conformance.wire.child import NO_ANSWER, Child
from conformance.wire.protocol import Message

GIVE_UP_AFTER = 5
"""So many cases in a row without an answer, and the rest is not tried."""

OVER = "not tried: the time of the whole run is over (--budget)"
SILENT = ("crash", "timeout", "protocol")
"""The statuses of a case that got no proper answer."""

Told = Callable[[str], None]
"""Called with a status after every case."""


@dataclass
class Heard:
    """What one implementation said in one pass.

    Attributes:
        judgements: case id → what is wrong, if anything.
        evidence: case id → input, expected and got, as texts, of cases that are not right.
        pages: case id → the page tables of the answer, of cases that have some.
        essences: case id → the digest of the answer, of cases that were answered.
        seconds: case id → how long it took.
    """

    judgements: dict[str, Judgement] = field(default_factory=dict)
    evidence: dict[str, dict[str, str]] = field(default_factory=dict)
    pages: dict[str, tuple[dict[str, Any], ...]] = field(default_factory=dict)
    essences: dict[str, str] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)


def first(child: Child, cases: list[Case], tolerance: int, told: Told, deadline: float = math.inf) -> Heard:
    """Ask every case in file order, with its trace, and take leave; rubbish at the end is the last case's."""
    heard = Heard()
    silent = 0
    judgement = Judgement("pass")
    for case in cases:
        asked = time.monotonic()
        if silent >= GIVE_UP_AFTER:
            message = f"not tried: no answer to the {GIVE_UP_AFTER} cases before"
            judgement = Judgement(judgement.status, message=message)
        elif asked >= deadline:
            judgement = Judgement("timeout", message=OVER)
        elif reason := child.implementation.left_out(case.id):
            judgement = Judgement("unsupported", message=f"is not asked: {reason}")
        else:
            judgement, answer = _ask(child, case, tolerance)
            if answer is not None:
                heard.essences[case.id] = essence(answer)
                heard.pages[case.id] = evidence.pages(answer.get("value"))
            if judgement.status not in ("pass", "unsupported"):
                heard.evidence[case.id] = evidence.texts(case, answer)
        silent = silent + 1 if judgement.status in SILENT else 0
        heard.judgements[case.id] = judgement
        heard.seconds[case.id] = time.monotonic() - asked
        told(judgement.status)
    farewell = _farewell(child)
    if farewell is not None and heard.judgements[cases[-1].id].message != OVER:
        heard.judgements[cases[-1].id] = farewell
        heard.essences.pop(cases[-1].id, None)
    return heard


def second(
    child: Child, cases: list[Case], heard: Heard, seed: int, told: Told, deadline: float = math.inf
) -> dict[str, Judgement]:
    """Ask the answered cases again in another order; what differs is unstable.

    Args:
        child: not started yet.
        cases: all of them.
        heard: the first pass.
        seed: of the shuffle.
        told: called after every case.
        deadline: by the monotonic clock; cases after it are not tried.

    Returns:
        Case id → its judgement, of those that differ.
    """
    shuffled = [case for case in cases if case.id in heard.essences]
    random.Random(seed).shuffle(shuffled)
    unstable: dict[str, Judgement] = {}
    silent = 0
    for case in shuffled:
        judgement = None
        if silent >= GIVE_UP_AFTER:
            judgement = Judgement("unstable", message="no answer to the cases before in another order; not tried")
        elif time.monotonic() >= deadline:
            judgement = Judgement("timeout", message=OVER)
        else:
            judgement, answered = _ask_again(child, case, heard, seed)
            silent = 0 if answered else silent + 1
        if judgement is not None:
            unstable[case.id] = judgement
        told("unstable" if judgement is not None else "pass")
    farewell = _farewell(child)
    if farewell is not None and shuffled:
        told_so = f"took its leave in another way in another order of cases: {farewell.status}: {farewell.message}"
        unstable[shuffled[-1].id] = Judgement("unstable", message=f"{told_so} (seed {seed})")
    return unstable


def essence(answer: Message) -> str:
    """The digest of what an answer says: its value, its error, or that it is unsupported."""
    return values.digest({key: answer[key] for key in ("value", "error", "unsupported") if key in answer})


def _ask(child: Child, case: Case, tolerance: int) -> tuple[Judgement, Message | None]:
    try:
        answer = child.ask(case.operation, case.params, case.input, want_trace=True)
    except NO_ANSWER as problem:
        return _silence(problem), None
    judgement = promises.judged(child.implementation, case, answer, tolerance)
    if judgement.status == "error" and judgement.stage == trace.ERROR:
        judgement = replace(judgement, details=tuple(child.last_errors().splitlines()))
    return judgement, answer


def _ask_again(child: Child, case: Case, heard: Heard, seed: int) -> tuple[Judgement | None, bool]:
    """What is unstable about a case, if anything, and whether there was an answer."""
    try:
        answer = child.ask(case.operation, case.params, case.input, want_trace=False)
    except NO_ANSWER as problem:
        silence = _silence(problem)
        status = "timeout" if silence.status == "timeout" else "unstable"
        message = f"no answer in another order of cases: {silence.status}: {silence.message} (seed {seed})"
        return Judgement(status, message=message, details=silence.details), False
    if essence(answer) == heard.essences[case.id]:
        return None, True
    message = f"another answer in another order of cases (seed {seed})"
    before = heard.judgements[case.id]
    if before.status == "pass":
        expected = {key: case.expect[key] for key in ("value", "error") if key in case.expect}
        details = differences.describe(expected, {key: answer[key] for key in answer if key != "seq"})
    else:
        details = [f"in file order: {before.status}: {before.message}"]
    return Judgement("unstable", message=message, details=tuple(details)), True


def _silence(problem: Exception) -> Judgement:
    """The judgement of a case without a proper answer."""
    status = {ChildDiedError: "crash", ChildTimeoutError: "timeout", ProtocolError: "protocol"}[type(problem)]
    first_line, *others = str(problem).splitlines() or [""]
    return Judgement(status, message=first_line, details=tuple(others))


def _farewell(child: Child) -> Judgement | None:
    """What is wrong with how it takes its leave."""
    try:
        child.bye()
    except NO_ANSWER as problem:
        return _silence(problem)
    return None

"""The two passes over the cases: each case asked once in file order, then again in a shuffle (CNF-11)."""

import math
import random
import time
from collections.abc import Callable, Collection
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


@dataclass(frozen=True)
class Verdict:
    """What was made of one answer, or of none.

    Attributes:
        judgement: what is wrong with it, if anything.
        essence: its digest; `None` without an answer.
        pages: its page tables.
        evidence: of one that is not right, input, expected and got as texts.
    """

    judgement: Judgement
    essence: str | None = None
    pages: tuple[dict[str, Any], ...] = ()
    evidence: dict[str, str] | None = None


Right = dict[tuple[Any, ...], Verdict]
"""The verdicts on right answers of one run, by case, by what its judging depends on and by the answer's very bytes:
implementations give equal lines, which are read and compared once."""


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


def first(
    child: Child,
    cases: list[Case],
    tolerance: int,
    told: Told,
    deadline: float = math.inf,
    right: Right | None = None,
    spared: Collection[str] = (),
) -> Heard:
    """Ask every case in file order, with its trace, and take leave; rubbish at the end is the last case's.

    Args:
        child: not started yet.
        cases: all of them.
        tolerance: ULP allowed besides each case's compare class.
        told: called after every case.
        deadline: by the monotonic clock; cases after it are not tried.
        right: the verdicts that the implementations of one run share.
        spared: the ids of cases that are unsupported without a question.
    """
    heard = Heard()
    right = {} if right is None else right
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
        elif case.id in spared:
            judgement = Judgement("unsupported", message="is not asked: its operation is not listed")
        else:
            verdict = _ask(child, case, tolerance, right)
            judgement = verdict.judgement
            if verdict.essence is not None:
                heard.essences[case.id] = verdict.essence
                heard.pages[case.id] = verdict.pages
            if verdict.evidence is not None:
                heard.evidence[case.id] = verdict.evidence
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
    child: Child,
    cases: list[Case],
    heard: Heard,
    seed: int,
    told: Told,
    deadline: float = math.inf,
    right: Right | None = None,
) -> dict[str, Judgement]:
    """Ask the answered cases again in another order; what differs is unstable.

    Args:
        child: not started yet.
        cases: all of them.
        heard: the first pass.
        seed: of the shuffle.
        told: called after every case.
        deadline: by the monotonic clock; cases after it are not tried.
        right: the verdicts that the implementations of one run share.

    Returns:
        Case id → its judgement, of those that differ.
    """
    shuffled = [case for case in cases if case.id in heard.essences]
    random.Random(seed).shuffle(shuffled)
    unstable: dict[str, Judgement] = {}
    right = {} if right is None else right
    silent = 0
    for case in shuffled:
        judgement = None
        if silent >= GIVE_UP_AFTER:
            judgement = Judgement("unstable", message="no answer to the cases before in another order; not tried")
        elif time.monotonic() >= deadline:
            judgement = Judgement("timeout", message=OVER)
        else:
            judgement, answered = _ask_again(child, case, heard, seed, right)
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


def _ask(child: Child, case: Case, tolerance: int, right: Right) -> Verdict:
    try:
        reply = child.hear(case.question, want_trace=True)
        place = (case.id, tolerance, child.implementation.without, reply.digest())
        if place in right:
            return right[place]
        answer = child.read(reply)
    except NO_ANSWER as problem:
        return Verdict(_silence(problem), evidence=evidence.texts(case, None))
    judgement = promises.judged(child.implementation, case, answer, tolerance)
    if judgement.status == "error" and judgement.stage == trace.ERROR:
        judgement = replace(judgement, details=tuple(child.last_errors().splitlines()))
    texts = None if judgement.status in ("pass", "unsupported") else evidence.texts(case, answer)
    verdict = Verdict(judgement, essence(answer), evidence.pages(answer.get("value")), texts)
    if judgement.status == "pass" and place[-1] is not None:
        right[place] = verdict
    return verdict


def _ask_again(child: Child, case: Case, heard: Heard, seed: int, right: Right) -> tuple[Judgement | None, bool]:
    """What is unstable about a case, if anything, and whether there was an answer."""
    try:
        reply = child.hear(case.question, want_trace=False)
        place = (case.id, heard.essences[case.id], reply.digest())
        if place in right:
            return None, True
        answer = child.read(reply)
    except NO_ANSWER as problem:
        silence = _silence(problem)
        status = "timeout" if silence.status == "timeout" else "unstable"
        message = f"no answer in another order of cases: {silence.status}: {silence.message} (seed {seed})"
        return Judgement(status, message=message, details=silence.details), False
    if essence(answer) == heard.essences[case.id]:
        if place[-1] is not None:
            right[place] = Verdict(Judgement("pass"))
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

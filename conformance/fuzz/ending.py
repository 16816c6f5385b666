"""The drawn cases at the end of a run: who answers from the fixtures has no answer to them (CNF-17)."""

import importlib.util
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from conformance.cases.fixtures import Case
from conformance.implementations import listing
from conformance.implementations.listing import Implementation
from conformance.wire.child import NO_ANSWER, Child

REFERENCE = "reference"
MOST_FINDINGS = 3
SHRINK_SECONDS = 15.0
NOT_AT_HAND = "the plain reference is not at hand"


@dataclass(frozen=True)
class Ending:
    """What became of the drawn cases.

    Attributes:
        seed: of the draws.
        drawn: the number of cases.
        compared: by implementation, how many of its answers were compared with the reference's.
        findings: the differences, each with its operation, the case it was made from, params, input, lines.
        reason: why nothing was drawn; empty where something was.
    """

    seed: int = 0
    drawn: int = 0
    compared: Mapping[str, int] = field(default_factory=dict)
    findings: tuple[Mapping[str, Any], ...] = ()
    reason: str = ""


def run(
    chosen: Sequence[Implementation],
    cases: Sequence[Case],
    count: int,
    seed: int,
    seconds: float = math.inf,
    told: Callable[[], None] = lambda: None,
) -> Ending:
    """Draw cases, and compare with the plain reference all that promise its bits.

    Args:
        chosen: the implementations of the run.
        cases: what is drawn from: the cases of the operations that were asked.
        count: how many are drawn.
        seed: of the draws.
        seconds: how long they may take.
        told: called after each.
    """
    others = [one for one in chosen if one.name != REFERENCE and not one.without]
    if not others:
        return Ending(reason="none of the implementations has a reference to be compared with")
    (reference,) = listing.load([REFERENCE])
    had = _had(reference)
    if had is None:
        return Ending(reason=NOT_AT_HAND)
    own = [case for case in cases if _has(had, case) and any(one.supports(case.operation) for one in others)]
    if not own:
        return Ending(reason="the reference has none of the operations")
    return _drawn([reference, *others], own, count, seed, seconds, told)


def _drawn(
    panel_of: Sequence[Implementation],
    cases: Sequence[Case],
    count: int,
    seed: int,
    seconds: float,
    told: Callable[[], None],
) -> Ending:
    from conformance.fuzz import search, shaping
    from conformance.fuzz.panel import Panel
    from conformance.fuzz.search import Finding

    shapes, weights = shaping.shapes(cases, []), shaping.weights(cases)
    if not shapes:
        return Ending(reason="no case can be drawn of the operations")
    findings: list[Finding] = []
    drawn = 0

    def tell(_drawn: object) -> None:
        nonlocal drawn
        drawn += 1
        told()

    deadline = time.monotonic() + seconds
    with Panel(panel_of, max(one.timeout for one in panel_of)) as panel:
        for number in range(-(-count // search.BLOCK)):
            if time.monotonic() > deadline or len(findings) >= MOST_FINDINGS:
                break
            found = search.block(panel, shapes, weights, seed, number, tell, deadline, SHRINK_SECONDS)
            findings += [] if found is None else [found]
    return Ending(seed, drawn, panel.compared, tuple(found.told() for found in findings))


def _had(reference: Implementation) -> tuple[str, ...] | None:
    """The modules or operations of the reference; None where it does not run here, or nothing can be drawn."""
    if importlib.util.find_spec("hypothesis") is None:
        return None
    with Child(reference) as child:
        try:
            child.start()
        except NO_ANSWER:
            return None
        return tuple(child.greeting["capabilities"])


def _has(had: tuple[str, ...], case: Case) -> bool:
    return any(case.operation == one or case.operation.startswith(f"{one}.") for one in had)

"""What a run finds out about each case."""

from dataclasses import dataclass
from typing import Any

STATUSES = (
    "pass",
    "fail",
    "error",
    "crash",
    "timeout",
    "protocol",
    "unsupported",
    "known",
    "fixed",
    "unstable",
)
"""The statuses of CNF-11, in the order reports list them."""
LISTS = ("clauses", "details", "pages", "looser")
"""Attributes of a result that are lists in an event."""


@dataclass(frozen=True)
class Result:
    """How one case ended in one implementation.

    Attributes:
        case: its id.
        module: the first part of its operation's name.
        operation: its operation.
        implementation: who answered.
        status: one of `STATUSES`.
        counts: whether this ending makes the run not conformant.
        clauses: the clauses the case is about.
        stage: the first wrong stage, `value` or `error` when all stages agree; none when nothing is wrong.
        message: one line for people.
        details: more lines: what differs.
        ulp: the largest distance of two floats in the same place.
        seconds: how long the answer took.
        again: the command that runs just this case.
        summary: what the case is about.
        evidence: of a case that is not right its `input`, `expected` and `got`, as texts for people; none otherwise.
        looser: in which ways the answer was compared less strictly, and would not pass by its bits.
        pages: for every page table of the answer its `size`, `full` (how many places) and `pages` (places, -1 for an id
            that is not in the full list).
    """

    case: str
    module: str
    operation: str
    implementation: str
    status: str
    counts: bool
    clauses: tuple[str, ...] = ()
    stage: str | None = None
    message: str = ""
    details: tuple[str, ...] = ()
    ulp: int = 0
    seconds: float = 0.0
    again: str = ""
    summary: str = ""
    evidence: dict[str, str] | None = None
    pages: tuple[dict[str, Any], ...] = ()
    looser: tuple[str, ...] = ()

    def event(self) -> dict[str, Any]:
        """The result as an event of the log."""
        lists = {key: list(getattr(self, key)) for key in LISTS}
        return {"type": "case", **vars(self), **lists, "seconds": round(self.seconds, 6)}


def from_event(event: dict[str, Any]) -> Result:
    """A result read back from the log."""
    known = {key: event[key] for key in Result.__dataclass_fields__}
    known |= {key: tuple(known[key]) for key in LISTS}
    return Result(**known)

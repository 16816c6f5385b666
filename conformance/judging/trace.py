"""Finds the first wrong stage, or the first wrong call of those that are made in a row (CNF-6)."""

from dataclasses import dataclass
from typing import Any

from conformance.judging import compare
from conformance.wire import values

Stage = dict[str, Any]
VALUE = "value"
ERROR = "error"
CALLS = ("steps", "requests")
"""The keys of an input that hold calls, each of which has its answer in the value."""


@dataclass(frozen=True)
class StageVerdict:
    """What the walk over two traces found.

    Attributes:
        stage: the first wrong stage; none when all agree.
        place: which of the stages it is, from 0.
        path: where in the stage's value the first difference is.
        ulp: the largest ULP distance met in any stage.
    """

    stage: str | None
    place: int
    path: str
    ulp: int


def first_wrong(expected: list[Stage], got: list[Stage], how: str = "bits", tolerance: int = 0) -> StageVerdict:
    """Compare two traces stage by stage. A stage kept as its SHA-256 is compared by that, when `how` is bits.

    Args:
        expected: the fixture's trace.
        got: the trace of the answer; stages in full.
        how: the case's compare class.
        tolerance: ULP allowed besides.
    """
    ulp = 0
    for place, (one, other) in enumerate(zip(expected, got, strict=False)):
        if one["stage"] != other["stage"]:
            return StageVerdict(one["stage"], place, f"got the stage {other['stage']} in its place", ulp)
        if "sha256" in one:
            if how == "bits" and tolerance == 0 and values.digest(other["value"]) != one["sha256"]:
                return StageVerdict(one["stage"], place, "", ulp)
            continue
        verdict = compare.compare(one["value"], other["value"], how, tolerance)
        ulp = max(ulp, verdict.ulp)
        if not verdict.same:
            return StageVerdict(one["stage"], place, verdict.path, ulp)
    if len(expected) > len(got):
        return StageVerdict(expected[len(got)]["stage"], len(got), "the stage is missing", ulp)
    if len(got) > len(expected):
        return StageVerdict(got[len(expected)]["stage"], len(expected), "a stage too many", ulp)
    return StageVerdict(None, len(expected), "", ulp)


def wrong_call(given: Any, path: str) -> str | None:
    """Which of the calls of an input is the first that is answered otherwise, as a stage: `call search`.

    Args:
        given: the input of a case.
        path: where its value differs first.

    Returns:
        None where the input holds no calls, or they are not what differs.
    """
    calls = next((given[key] for key in CALLS if key in given), None) if isinstance(given, dict) else None
    place = path.partition("/")[0]
    if not isinstance(calls, list) or not place.isdigit() or int(place) >= len(calls):
        return None
    return f"call {_name(calls[int(place)])}"


def _name(call: Any) -> str:
    """The method of `[method, argument]`, the path of a request, or the first key of an object."""
    if isinstance(call, list):
        return next((part for part in call if isinstance(part, str)), "without a name")
    if not isinstance(call, dict) or not call:
        return "without a name"
    return str(call["path"]).partition("?")[0] if "path" in call else str(next(iter(call)))

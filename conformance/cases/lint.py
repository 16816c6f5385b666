"""Checks the fixtures themselves: floats, clauses, flags, and the clause map (CNF-4, CNF-20)."""

from collections.abc import Sequence
from functools import cache
from typing import Any, Protocol

from conformance import yaml_files
from conformance.cases.fixtures import Case
from conformance.paths import CONFORMANCE
from conformance.wire import values

CLAUSE_KINDS = ("required", "later", "tests")
STRICT = {"compare": "bits", "level": "must"}
"""What every case has that `lenient.yml` does not list."""
KINDS = ("normal", "boundary", "error")


def problems(cases: list[Case], complete: bool) -> list[str]:
    """What is wrong with the cases, one line each.

    Args:
        cases: the cases that were loaded.
        complete: whether these are all there are; then every required clause must have some.
    """
    clauses = yaml_files.load(CONFORMANCE / "clauses.yml")
    flags = yaml_files.load(CONFORMANCE / "flags.yml")
    found = leniency(cases)
    for case in cases:
        found += [f"{case.id}: unknown clause {clause}" for clause in case.clauses if clause not in clauses]
        found += [f"{case.id}: unknown flag {flag}" for flag in case.flags if flag not in flags]
        if not case.clauses:
            found.append(f"{case.id}: has no clause")
        for where in ("params", "input", "expect"):
            found += [f"{case.id}: {where}{line}" for line in float_problems(getattr(case, where), "")]
    if complete:
        found += uncovered(cases, clauses)
    return found


class Comparing(Protocol):
    """A case, as it is written or as it is read from a fixture."""

    @property
    def id(self) -> str:
        """Its id."""

    @property
    def compare(self) -> str:
        """How its answers are compared (CNF-5)."""

    @property
    def level(self) -> str:
        """Whether it must pass."""


def leniency(cases: Sequence[Comparing]) -> list[str]:
    """Return where a case asks for less than the same bits without being listed."""
    lenient = yaml_files.load(CONFORMANCE / "lenient.yml")
    return [
        f"{case.id}: has {key} {value}, and lenient.yml does not allow that"
        for case in cases
        for key, value in (("compare", case.compare), ("level", case.level))
        if value != STRICT[key] and lenient.get(case.id, {}).get(key) != value
    ]


def uncovered(cases: list[Case], clauses: dict[str, Any]) -> list[str]:
    """The required clauses with too few cases: each needs a normal one and one at a boundary or with an error."""
    found = []
    for clause, entry in clauses.items():
        if entry.get("cases") not in CLAUSE_KINDS:
            found.append(f"clauses.yml: {clause}: cases must be one of {', '.join(CLAUSE_KINDS)}")
        if entry.get("cases") != "required":
            continue
        own = [case for case in cases if clause in case.clauses]
        kinds = {kind(case) for case in own}
        if not own:
            found.append(f"clause {clause} has no case")
        elif "normal" not in kinds:
            found.append(f"clause {clause} has no normal case, only {' and '.join(sorted(kinds))} ones")
        elif kinds == {"normal"}:
            found.append(f"clause {clause} has normal cases only; it needs one at a boundary or with an error")
    return found


def kind(case: Case) -> str:
    """One of `KINDS`: an error is expected, a flag that is no mere topic says that the case is odd, or neither."""
    if "error" in case.expect:
        return "error"
    return "boundary" if any(flag not in topics() for flag in case.flags) else "normal"


@cache
def topics() -> frozenset[str]:
    """The flags that say what a case is about, and not that it is odd."""
    return frozenset(flag for flag, entry in yaml_files.load(CONFORMANCE / "flags.yml").items() if entry.get("topic"))


def float_problems(encoded: Any, path: str) -> list[str]:
    """Where a float's decimal and its bits are not the same number, or not the shortest decimal."""
    if _floats_are_right(encoded):
        return []
    if values.is_float(encoded):
        problem = values.float_complaint(encoded["bits"], encoded["decimal"])
        return [f"{path}: {problem}"] if problem else []
    if isinstance(encoded, dict):
        return [line for key, value in encoded.items() for line in float_problems(value, f"{path}/{key}")]
    if isinstance(encoded, list):
        return [line for index, value in enumerate(encoded) for line in float_problems(value, f"{path}/{index}")]
    return []


def _floats_are_right(encoded: Any) -> bool:
    if isinstance(encoded, list):
        return all(map(_floats_are_right, encoded))
    if not isinstance(encoded, dict):
        return True
    if values.is_float(encoded):
        return values.float_complaint(encoded["bits"], encoded["decimal"]) is None
    return all(map(_floats_are_right, encoded.values()))

"""Failures gathered into places: those of one operation with the same first wrong stage are most likely one mistake.

A mistake is found in many places, for operations are made of others. Which places one mistake explains is found out by
`suspects`; without that, the first place to look at is the one whose cases pass through the fewest functions of the
library. Each place shows what one of its cases expects and what came.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from conformance.judging.results import Result

UNKNOWN = 1 << 30
"""The size of what has no evidence: it is shown last."""
DIFFERENCES = ("expected ", ": missing, ")
LONGEST = 200
"""Characters of a difference."""


@dataclass(frozen=True)
class Place:
    """Failures that are most likely one mistake.

    Attributes:
        operation: the operation they are of.
        stage: the first wrong stage; the status where there is none.
        implementations: who fails there, in the order of the run.
        results: the failures, the simplest first.
        cases: how many cases of the operation were asked.
    """

    operation: str
    stage: str
    implementations: tuple[str, ...]
    results: tuple[Result, ...]
    cases: int

    @property
    def simplest(self) -> Result:
        """The failure with the shortest input: the one to look at first."""
        return self.results[0]

    @property
    def wrong_cases(self) -> list[str]:
        """The ids of the cases that fail, the simplest first."""
        return list(dict.fromkeys(result.case for result in self.results))

    @property
    def name(self) -> str:
        """The operation and the stage: `fusion.rrf at fuse`."""
        return f"{self.operation} at {self.stage}"

    @property
    def title(self) -> str:
        """In words: `fusion.rrf at fuse (ruby, ruby-plain)`."""
        return f"{self.name} ({', '.join(self.implementations)})"


def gather(results: Sequence[Result], depths: Mapping[str, int] | None = None) -> list[Place]:
    """The places of the failures among some results, the one to look at first in front.

    Args:
        results: of a run.
        depths: by the name of a place, through how many functions its cases pass; of the same depth, and without
            depths, those with the most wrong cases come first.
    """
    failures: dict[tuple[str, str], list[Result]] = {}
    asked: dict[str, set[str]] = {}
    for result in results:
        asked.setdefault(result.operation, set()).add(result.case)
        if result.counts:
            failures.setdefault((result.operation, result.stage or result.status), []).append(result)
    places = [
        Place(
            operation,
            stage,
            tuple(dict.fromkeys(result.implementation for result in own)),
            tuple(sorted(own, key=_size)),
            len(asked[operation]),
        )
        for (operation, stage), own in failures.items()
    ]
    known = depths or {}
    return sorted(places, key=lambda place: (known.get(place.name, UNKNOWN), -len(place.wrong_cases)))


def of_cases(results: Sequence[Result], cases: Sequence[str]) -> list[Place]:
    """The places of some failures, the one whose simplest case has the fewest functions first.

    Args:
        results: of a run.
        cases: the ids of the failing cases, those with the fewest functions first.
    """
    order = {case: rank for rank, case in enumerate(cases)}
    own = [result for result in results if not result.counts or result.case in order]
    found = gather(own)
    return sorted(found, key=lambda place: min(order[case] for case in place.wrong_cases))


def difference(result: Result) -> str:
    """What is expected and what came, in one line: the first difference of the value or the error."""
    lines = [line for line in result.details if any(word in line for word in DIFFERENCES)]
    text = lines[0] if lines else (result.details or (result.message,))[0]
    return text if len(text) <= LONGEST else f"{text[:LONGEST].rstrip()} …"


def suspects(results: Sequence[Result], most: int = 3) -> list[tuple[str, int, int]]:
    """The clauses that the failures point to, the likeliest first.

    A clause is the more suspect the more of the wrong cases are about it, and the fewer right ones (Ochiai's
    coefficient: wrong / sqrt(all wrong x all of the clause), Ochiai 1957; for finding faults Abreu and others 2007).

    Args:
        results: of a run.
        most: how many clauses.

    Returns:
        Of each clause its number, how many of its cases are wrong, and how many it has.
    """
    wrong = {result.case for result in results if result.counts}
    cases: dict[str, set[str]] = {}
    for result in results:
        for clause in result.clauses:
            cases.setdefault(clause, set()).add(result.case)
    hit = {clause: len(own & wrong) for clause, own in cases.items()}
    share = {clause: hit[clause] / math.sqrt(len(wrong) * len(own)) for clause, own in cases.items() if hit[clause]}
    likeliest = sorted(share, key=lambda clause: -share[clause])[:most]
    return [(clause, hit[clause], len(cases[clause])) for clause in likeliest]


def _size(result: Result) -> tuple[int, str]:
    """How much there is to read: the length of the input as the report shows it."""
    return (len(result.evidence["input"]) if result.evidence else UNKNOWN, result.case)

"""Runs known-bad implementations and compares what they get with what is declared."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fnmatch import fnmatchcase

from conformance.cases.fixtures import Case
from conformance.errors import BrokenError
from conformance.judging import runner
from conformance.judging.results import Result
from conformance.known_bad.table import KnownBad
from conformance.reports.outcome import exit_status

AT_ONCE = 3


@dataclass(frozen=True)
class Outcome:
    """What one known-bad implementation got.

    Attributes:
        entry: it, with what was declared.
        results: what was found, in file order.
        exit: the exit status of its run.
        seconds: how long it took.
    """

    entry: KnownBad
    results: tuple[Result, ...]
    exit: int
    seconds: float

    def surprises(self) -> list[str]:
        """Where the verdict is not the declared one, one line each."""
        lines = []
        for result in self.results:
            expected, got = self.entry.expected(result.case), verdict(result)
            if expected != got:
                lines.append(f"{result.case}: declared {expected}, got {got} ({result.message})")
        if self.exit != self.entry.exit:
            lines.append(f"exit status: declared {self.entry.exit}, got {self.exit}")
        return lines


def verdict(result: Result) -> str:
    """A result as the list writes it: `fail at fuse`."""
    return f"{result.status} at {result.stage}" if result.stage else result.status


def run(entry: KnownBad, cases: list[Case]) -> Outcome:
    """Run one.

    Raises:
        BrokenError: its patterns match no case, or it strikes at one that it is not asked.
    """
    own = [case for case in cases if entry.takes(case)]
    idle = [pattern for pattern in entry.cases if not any(fnmatchcase(case.id, pattern) for case in own)]
    if idle or not own:
        raise BrokenError(f"known-bad {entry.name}: no case {', '.join(idle)}")
    if entry.at is not None and entry.at not in {case.id for case in own}:
        raise BrokenError(f"known-bad {entry.name}: is not asked {entry.at}")
    one = runner.run([entry.implementation(own)], own, runner.Options())[0]
    return Outcome(entry, tuple(one.results), exit_status([], [one]), one.seconds)


def run_all(entries: list[KnownBad], cases: list[Case], told: Callable[[Outcome], None] | None = None) -> list[Outcome]:
    """Run several, a few at once; most wait for a process to start, or for a deadline.

    Returns:
        One outcome an entry, in the order given.
    """

    def work(entry: KnownBad) -> Outcome:
        outcome = run(entry, cases)
        if told is not None:
            told(outcome)
        return outcome

    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(work, entries))

"""What a run changed, held to the run before it in the same folder of reports."""

from dataclasses import dataclass
from pathlib import Path

from conformance.judging.results import Result
from conformance.reports import log


@dataclass(frozen=True)
class Since:
    """What is otherwise since the run before: pairs of a case and an implementation.

    Attributes:
        broken: that fail now and did not then.
        mended: that failed then and do not now.
        still: that failed then and do now.
    """

    broken: int
    mended: int
    still: int


def failures(folder: Path) -> dict[tuple[str, str], bool] | None:
    """Of the run before: case and implementation → whether it failed; none where there was no run that can be read."""
    try:
        results = log.parse(log.read(folder / "log.jsonl")).results
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return {(result.case, result.implementation): result.counts for result in results}


def since(before: dict[tuple[str, str], bool], results: list[Result]) -> Since:
    """The changes; what only one of the runs asked does not count."""
    pairs = [
        (before[(one.case, one.implementation)], one.counts)
        for one in results
        if (one.case, one.implementation) in before
    ]
    return Since(pairs.count((False, True)), pairs.count((True, False)), pairs.count((True, True)))

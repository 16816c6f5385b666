"""A small log with a case of every kind that reports show differently; the tests of the reports are made with it."""

from typing import Any

from conformance.judging.results import Result
from conformance.reports.log import Event

AGAIN = "python -m conformance --case {} --implementation {}"


def sample_log() -> list[Event]:
    """The events of a run of two implementations over four cases: two of the answers are wrong."""
    results = [
        _result("fusion.rrf.ties.001", "ruby", "pass", clauses=("FUS-2",)),
        _result("fusion.rrf.ties.002", "ruby", "pass", clauses=("FUS-2", "ORD-1")),
        _result("retriever.pages.walk.001", "ruby", "pass", clauses=("RET-3", "CNF-7"), pages=({**_WALK},)),
        _result("segmenter.cut.words.001", "ruby", "known", clauses=("TXT-2",), message="said so (TXT-2, us, 2024)"),
        _result("fusion.rrf.ties.001", "other", "pass", clauses=("FUS-2",)),
        _result(
            "fusion.rrf.ties.002",
            "other",
            "fail",
            clauses=("FUS-2", "ORD-1"),
            stage="fuse",
            message="what it records differs at 2/1; so does the value \x0b",
            details=("[fuse] changed at 2/1", "  expected 0.5", "  got 0.5000000000000001"),
            ulp=1,
            evidence={"input": '{"rankings": []}', "expected": "[0.5]", "got": "</script><b>no</b>"},
        ),
        _result(
            "retriever.pages.walk.001",
            "other",
            "fail",
            clauses=("RET-3", "CNF-7"),
            stage="page",
            message="page size 3: 'd' is shown more than once",
            ulp=700,
            pages=({"size": 3, "full": 7, "pages": [[0, 1, 2], [3, 3, 5], [6]]},),
        ),
        _result("segmenter.cut.words.001", "other", "unsupported", clauses=("TXT-2",), message="does not support cut"),
    ]
    return [
        {"type": "start", "seed": 7, "tolerance": 0, "cases": 4, "implementations": ["ruby", "other"]},
        *(result.event() for result in results),
        {"type": "implementation", "name": "ruby", "language": "ruby", "version": "3", "starts": 2, "run_seconds": 1.0},
        {"type": "implementation", "name": "other", "language": "c", "version": "1", "starts": 2, "run_seconds": 1.0},
        {"type": "end", "exit": 1, "seconds": 1.25},
    ]


_WALK = {"size": 3, "full": 7, "pages": [[0, 1, 2], [3, 4, 5], [6]]}


def _result(case: str, implementation: str, status: str, **more: Any) -> Result:
    return Result(
        case=case,
        module=case.partition(".")[0],
        operation=".".join(case.split(".")[:2]),
        implementation=implementation,
        status=status,
        counts=status == "fail",
        again=AGAIN.format(case, implementation),
        summary=f"what {case} is about",
        **more,
    )

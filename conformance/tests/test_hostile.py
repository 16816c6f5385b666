"""The hostile server: a sample of its calls in both languages, and the faults that its judge must find."""

import dataclasses
import json
import subprocess
import sys
from typing import Any

import pytest

from conformance.hostile.behaviours import BEHAVIOURS, MEGABYTE
from conformance.hostile.judge import CONSTANT, DEMANDS, failures, failures_of_process
from conformance.hostile.plan import KEY, QUERY_KEY, Call, Job
from conformance.hostile.run import Done
from conformance.paths import ROOT

SAMPLE = 24
SILENCE = next(behaviour for behaviour in BEHAVIOURS if behaviour.name == "silence")
GIVEN = {
    "id": 1,
    "kind": "reranker",
    "options": {"deadline": 0.5, "max_response_bytes": MEGABYTE},
    "texts": ["a"],
    "repeat": 1,
}
CALL = Call(SILENCE, "python", "fresh main", GIVEN)
MESSAGE = "the rerank service at http://h did not answer before the deadline of 0.5 seconds"
MADE: dict[str, Any] = {
    "id": 1, "class": "RerankError", "message": MESSAGE, "value": None, "seconds": 0.51, "memory": MEGABYTE,
    "shown": [MESSAGE], "later": None,
}  # fmt: skip


@pytest.mark.nightly
def test_a_sample_of_calls_meets_every_requirement() -> None:
    command = [sys.executable, "-m", "conformance", "hostile", "--calls", str(SAMPLE)]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    told = json.loads(ran.stdout)
    assert told["failures"] == []
    assert told["differences"] == []
    assert ran.returncode == 0
    assert told["calls"] >= SAMPLE
    assert told["not_met"] == {language: dict.fromkeys(DEMANDS, 0) for language in ("python", "ruby")}


@pytest.mark.nightly
def test_an_early_response_over_tls_is_reported() -> None:
    """Among other calls too: a server that buffers small pieces loses its response, which is not meant here."""
    command = [sys.executable, "-m", "conformance", "hostile", "--calls", "80", "--only", "tls_early_4"]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    told = json.loads(ran.stdout)
    assert told["failures"] == []
    assert [line for line in told["met_alone"] if "): told: " in line] == []


def test_a_call_that_meets_every_requirement_has_no_failures() -> None:
    assert list(failures(CALL, MADE)) == []


@pytest.mark.parametrize(
    ("demand", "change"),
    [
        ("documented", {"class": "undocumented TimeoutError"}),
        ("told", {"message": "the rerank service at http://h cut the connection"}),
        ("told", {"class": None, "message": None}),
        ("in_time", {"seconds": 0.71}),
        ("memory", {"memory": 2 * MEGABYTE + CONSTANT + 100}),
        ("secret", {"shown": [MESSAGE, f"key = '{KEY[:6]}'"]}),
        ("secret", {"shown": [f"target = '/?key={QUERY_KEY}'"]}),
        ("nothing_later", {"later": "TimeoutError()"}),
    ],
)
def test_every_mistake_of_a_call_is_found(demand: str, change: dict[str, Any]) -> None:
    assert [name for name, _ in failures(CALL, {**MADE, **change})] == [demand]


def test_a_call_without_a_result_is_found() -> None:
    assert [name for name, _ in failures(CALL, None)] == ["answered"]


def test_threads_and_descriptors_left_behind_are_found() -> None:
    clean = Done(Job([CALL]), {1: MADE}, [], 0, 0)
    assert list(failures_of_process(clean)) == []
    for change in ({"later": ["raised"]}, {"threads": 1}, {"descriptors": 1}):
        changed: Any = change
        assert len(list(failures_of_process(dataclasses.replace(clean, **changed)))) == 1


def test_every_behaviour_has_a_unique_name() -> None:
    names = [behaviour.name for behaviour in BEHAVIOURS]
    assert len(names) == len(set(names)) > 90

"""Asks the reference cases in this process, with parts of conditions recorded or dropped."""

import json
import os
import pickle
import select
import signal
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

from conformance.cases.fixtures import Case
from conformance.conditions import switching
from conformance.judging.judge import judge

Outcome = dict[str, Any]
SHORTEST = 3.0
"""Seconds that a case has with a part dropped, at least."""
LONGER = 20.0
"""How many times its time a case may take with a part dropped."""


def answer(case: Case) -> str | None:
    """Ask a case; return how its answer differs, None if it does not."""
    from conformance.implementations.python import execute

    try:
        outcome = execute.execute(case.operation, case.params, case.input)
    except Exception as problem:
        return f"error: {type(problem).__name__}: {problem}"
    judgement = judge(case, json.loads(json.dumps({"seq": 0, **outcome})))
    return None if judgement.status == "pass" else f"{judgement.status} at {judgement.stage or 'value'}"


def forked(tasks: Sequence[Any], work: Callable[[Any], Any], jobs: int, told: Callable[[int, Any], None]) -> None:
    """Do each task in a process of its own, forked from this one.

    Args:
        tasks: what is done.
        work: does one; its result is pickled.
        jobs: how many processes run at once.
        told: called here with the place and the result of each; None: the process died.
    """
    running: dict[int, tuple[int, int, bytearray]] = {}
    ahead = list(enumerate(tasks))[::-1]
    while ahead or running:
        while ahead and len(running) < jobs:
            place, task = ahead.pop()
            reader, writer = os.pipe()
            sys.stdout.flush()
            child = os.fork()
            if child == 0:
                os.close(reader)
                _in_child(writer, work, task)
            os.close(writer)
            running[reader] = (place, child, bytearray())
        for reader in select.select(list(running), [], [])[0]:
            place, child, content = running[reader]
            block = os.read(reader, 1 << 16)
            content += block
            if not block:
                os.close(reader)
                os.waitpid(child, 0)
                del running[reader]
                told(place, pickle.loads(bytes(content)) if content else None)


def _in_child(writer: int, work: Callable[[Any], Any], task: Any) -> None:
    try:
        content = pickle.dumps(work(task))
        with os.fdopen(writer, "wb") as stream:
            stream.write(content)
    except BaseException as problem:
        print(f"worker: {type(problem).__name__}: {problem}", file=sys.stderr, flush=True)
    finally:
        os._exit(0)


class SlowError(BaseException):
    """A case takes far longer than it did."""


def _slow(_number: int, _frame: Any) -> None:
    raise SlowError


def recorded(cases: Sequence[Case]) -> list[tuple[str, float, list[int], str | None]]:
    """Return for each case its time, the parts that decide a condition in it, and what is wrong with its answer."""
    rows = []
    for case in cases:
        switching.decided.clear()
        began = time.monotonic()
        wrong = answer(case)
        rows.append((case.id, time.monotonic() - began, sorted(switching.decided), wrong))
    return rows


def noticed(number: int, cases: Sequence[tuple[Case, float]]) -> tuple[str, str] | None:
    """Drop a part and ask cases until one notices it.

    Args:
        number: of the part.
        cases: each with the seconds it takes.

    Returns:
        The id of the case, and how its answer differs; None if none notices it.
    """
    switching.drop(number)
    signal.signal(signal.SIGALRM, _slow)
    for case, seconds in cases:
        signal.setitimer(signal.ITIMER_REAL, max(SHORTEST, LONGER * seconds))
        try:
            wrong = answer(case)
        except SlowError:
            wrong = "takes too long"
        except BaseException as problem:
            wrong = f"error: {type(problem).__name__}"
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        if wrong is not None:
            return case.id, wrong
    return None

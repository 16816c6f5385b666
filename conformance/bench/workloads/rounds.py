"""Contestants taking turns."""

import contextlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from conformance.bench.context import Context
from conformance.bench.process import Worker, yjit_is_there
from conformance.bench.results import Ratio
from conformance.bench.timing import ratios

JIEBA, REFERENCE, PLAIN, YJIT = "jieba", "Python", "Ruby", "Ruby + YJIT"

Answers = dict[str, list[Any]]


@contextlib.contextmanager
def together(workers: Mapping[str, Worker]) -> Iterator[Mapping[str, Worker]]:
    """Workers that are closed together."""
    try:
        yield workers
    finally:
        for worker in workers.values():
            worker.close()


def jieba_and_ours(jieba: str, ours: str) -> dict[str, Worker]:
    """The workers that hold a subject of jieba's, and one of ours in every way it can be run."""
    workers = {JIEBA: Worker.python(jieba), REFERENCE: Worker.python(ours), PLAIN: Worker.ruby(ours, False)}
    return {**workers, YJIT: Worker.ruby(ours, True)} if yjit_is_there() else workers


def load(context: Context, task: str, workers: Mapping[str, Worker], path: str) -> None:
    """Let each worker read a file."""
    for name, worker in workers.items():
        context.say(f"{task}: loading: {name}")
        worker.ask("load", path=path)


def take_turns(context: Context, what: str, runs: Mapping[str, Callable[[], Any]], rounds: int) -> Answers:
    """What each gives in each round, after one round that does not count.

    Args:
        context: is told how far it is.
        what: the task.
        runs: contestant → one round of it.
        rounds: how many count.
    """
    answers: Answers = {name: [] for name in runs}
    for number in range(rounds + 1):
        for name, run in runs.items():
            context.say(f"{what}: {f'round {number} of {rounds}' if number else 'warming up'}: {name}")
            answer = run()
            if number:
                answers[name].append(answer)
    return answers


def speed(answers: Answers, anchor: str, name: str, goal: float | None = None) -> Ratio:
    """How many times as fast as the anchor, over the rounds; of lists of times the sum counts."""
    cpu, wall = (ratios(_times(answers[anchor], kind), _times(answers[name], kind)) for kind in ("cpu", "wall"))
    return Ratio(anchor, cpu, wall, goal)


def _times(answers: list[Any], kind: str) -> list[float]:
    return [float(sum(answer[kind])) if isinstance(answer[kind], list) else answer[kind] for answer in answers]


def megabytes(count: float) -> str:
    """Bytes for people."""
    return f"{count / 1e6:.0f} MB"


def milliseconds(value: float) -> str:
    """Seconds for people."""
    shown = value * 1000
    return f"{shown:.0f} ms" if shown >= 100 else f"{shown:.1f} ms" if shown >= 10 else f"{shown:.3f} ms"

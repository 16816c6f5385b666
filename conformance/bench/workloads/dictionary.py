"""Loading the dictionary: time and memory, each time in a new process."""

from typing import Any

from conformance.bench.context import Context
from conformance.bench.process import Worker, yjit_is_there
from conformance.bench.results import Ratio, Row
from conformance.bench.timing import Spread, ratios
from conformance.bench.workloads.rounds import megabytes, milliseconds, speed, take_turns

TASK = "dictionary load"
JIEBA, REFERENCE = "jieba's cache", "Python"
FASTER, SMALLER = 8.0, 3.0


def run(context: Context) -> None:
    """Compare seconds and bytes."""
    folder = str(context.folder)
    with Worker.python("jieba_cache") as first:
        first.ask("load", folder=folder)

    def anchor() -> Any:
        with Worker.python("jieba_cache") as worker:
            return worker.ask("run", folder=folder)

    def reference() -> Any:
        with Worker.python("dictionary") as worker:
            return worker.ask("run")

    def port(yjit: bool) -> Any:
        with Worker.ruby("dictionary", yjit) as worker:
            return worker.ask("run")

    runs = {JIEBA: anchor, REFERENCE: reference, "Ruby": lambda: port(False)}
    if yjit_is_there():
        runs["Ruby + YJIT"] = lambda: port(True)
    answers = take_turns(context, TASK, runs, 2 if context.quick else 7)
    for name, rounds in answers.items():
        context.report.same(
            f"{TASK}: {name} has another frequency",
            answers[REFERENCE][0]["frequency"],
            rounds[0].get("frequency", answers[REFERENCE][0]["frequency"]),
        )
        time = Spread.of([answer["cpu"] for answer in rounds])
        memory = Spread.of([answer["memory"] for answer in rounds])
        figures = (("time", milliseconds(time.median)), ("memory", megabytes(memory.median)))
        if name == JIEBA:
            context.report.rows.append(Row(TASK, name, figures, anchor=True))
            continue
        ruby = name.startswith("Ruby")
        faster = speed(answers, JIEBA, name, FASTER if ruby else None)
        smaller = ratios(*([answer["memory"] for answer in one] for one in (answers[JIEBA], rounds)))
        compact = Ratio(f"{JIEBA}, memory", smaller, None, SMALLER if ruby else None)
        context.report.rows.append(Row(TASK, name, figures, (faster, compact)))

"""The native kernels next to the library's own: legs of a store in memory, and whole searches."""

from collections.abc import Sequence
from functools import partial
from statistics import median
from typing import Any

from conformance.bench import whole_data
from conformance.bench.context import Context
from conformance.bench.process import Worker
from conformance.bench.results import Comparison, Row
from conformance.bench.timing import Spread, percentile
from conformance.bench.workloads.rounds import Answers, milliseconds, take_turns, together
from conformance.bench.workloads.whole import LARGE, PORT_GOAL_FROM, QUICK_SIZES, REFERENCE, SIZES, TANTIVY, anchors_of
from conformance.paths import ROOT

BUILT = ROOT / ".cache/native"
VARIABLES = {
    "HYBRID_SEARCH_KERNELS": "native",
    "PYTHONPATH": str(BUILT / "python"),
    "RUBYLIB": str(BUILT / "ruby"),
}
LEGS = {
    "dense leg, 10": ("dense", 10),
    "dense leg, 1,024": ("dense", 1024),
    "text leg, 10": ("text", 10),
    "text leg, 1,024": ("text", 1024),
}
SEARCHES = {"text search": "text", "hybrid search": "hybrid"}


def run(context: Context) -> None:
    """Compare the kernels at every size."""
    if not BUILT.is_dir():
        context.report.notes.append("native: not measured, as the kernels are not built (bin/setup says why)")
        return
    for size in context.sizes or (QUICK_SIZES if context.quick else SIZES):
        data = whole_data.made(context, size, 10 if context.quick else 100)
        context.report.notes.append(f"native: {data.how}; {len(data.questions)} questions")
        _size(context, size, data.files)
    context.report.notes.append(
        "native: CPU time of one process for each contestant, p50 and p95 over the questions, of the median of the "
        "rounds; ratios divide the p50 of a round by the other's; 'native' is a process that finds the native package"
    )


def _size(context: Context, size: int, files: dict[str, Any]) -> None:
    port, ruby = context.port("whole_calls")
    workers = {REFERENCE: Worker.python("whole_calls"), port: ruby}
    workers |= {
        f"{REFERENCE}, native": Worker.python("whole_calls", VARIABLES),
        f"{port}, native": context.port("whole_calls", VARIABLES)[1],
    }
    ours = list(workers)
    anchor = {name: Worker.python(subject) for name, subject in anchors_of(context).items() if name == TANTIVY}
    with together(workers | anchor):
        for name, worker in {**workers, **anchor}.items():
            context.say(f"native, {size:,} documents: filling: {name}")
            worker.ask("load", **files)
            worker.ask("fill" if name in anchor else "fill_memory")
        for what, (call, topn) in LEGS.items():
            runs = {name: partial(workers[name].ask, "leg", call=call, topn=topn) for name in ours}
            _compare(
                context, size, what, port, take_turns(context, f"native, {size:,}: {what}", runs, _rounds(context))
            )
        for what, call in SEARCHES.items():
            runs = {name: partial(worker.ask, "run", call=call) for name, worker in {**workers, **anchor}.items()}
            _compare(
                context, size, what, port, take_turns(context, f"native, {size:,}: {what}", runs, _rounds(context))
            )


def _rounds(context: Context) -> int:
    return 1 if context.quick else 3


def _compare(context: Context, size: int, what: str, port: str, answers: Answers) -> None:
    for name, rounds in answers.items():
        times = [median(one) for one in zip(*(one["cpu"] for one in rounds), strict=True)]
        figures = tuple((f"p{percent}", milliseconds(percentile(times, percent))) for percent in (50, 95))
        context.report.rows.append(Row(f"{what}, {size:,} documents", name, figures))
        if name != TANTIVY:
            digests = [[one["digest"] for one in found] for found in (answers[REFERENCE], rounds)]
            context.report.same(f"native, {size:,} documents: {what}: {name}", *digests)
    native, port_native = f"{REFERENCE}, native", f"{port}, native"
    pairs = [(native, REFERENCE), (port_native, port), (port_native, REFERENCE), (port_native, native)]
    pairs += [(native, TANTIVY), (port_native, TANTIVY)] if TANTIVY in answers else []
    for name, other in pairs:
        goal = None
        if what == "hybrid search":
            to_reference = (name, other) == (port_native, REFERENCE) and size >= PORT_GOAL_FROM
            to_anchor = (name, other) == (native, TANTIVY) and size >= LARGE
            goal = 0.8 if to_reference else 1.0 if to_anchor else None
        label = f"{other} + numpy" if other == TANTIVY and what == "hybrid search" else other
        spread = _ratio(answers[name], answers[other])
        context.report.comparisons.append(Comparison(what, size, name, label, spread, "", goal))


def _ratio(rounds: Sequence[Any], others: Sequence[Any]) -> Spread:
    pairs = zip(rounds, others, strict=True)
    return Spread.of([percentile(one["cpu"], 50) / percentile(two["cpu"], 50) for one, two in pairs])

"""How time, memory and the size of a file grow with the number of documents, from 20,000 to 200,000."""

from itertools import pairwise
from typing import Any

from conformance.bench import whole_data
from conformance.bench.context import Context
from conformance.bench.process import Worker
from conformance.bench.results import Comparison
from conformance.bench.timing import Spread, percentile
from conformance.bench.workloads.rounds import together

REFERENCE = "Python"
SIZES, QUICK_SIZES = (20_000, 200_000), (60, 120)
SEARCHES = {"text search": "text", "hybrid search": "hybrid", "hybrid search in a file": "file"}
FILE, ADDED, MEMORY = "file", "adding, in memory and into a file", "peak memory"

Figures = dict[tuple[str, str], float]
"""(what, who) → seconds or bytes."""


def run(context: Context) -> None:
    """Measure both languages at every size, and divide the figures of each size by those of the one before."""
    sizes = context.sizes or (QUICK_SIZES if context.quick else SIZES)
    found = {size: _measured(context, size) for size in sizes}
    for small, large in pairwise(sizes):
        for (what, who), figure in found[large].items():
            ratio = Spread.of([figure / max(found[small][what, who], 1e-9)])
            row = Comparison(what, large, who, f"{small:,} documents", ratio, goal=large / small)
            context.report.comparisons.append(row)
    context.report.notes.append(
        "scale: CPU time of one process for each language, memory and bytes, divided by those of the smaller number of "
        "documents; the goal is linear growth. Python adds in memory and into a file; Ruby adds in memory, which is "
        "part of its peak memory, and searches the same file. Searches are the p50 of the second run over all questions"
    )


def _measured(context: Context, size: int) -> Figures:
    data = whole_data.made(context, size, 10 if context.quick else 100)
    context.report.notes.append(f"scale: {data.how}; {len(data.questions)} questions")
    port, ruby = context.port("whole_calls")
    found: Figures = {}
    with together({REFERENCE: Worker.python("whole_calls"), port: ruby}) as workers:
        for name, worker in workers.items():
            context.say(f"scale, {size:,} documents: filling: {name}")
            worker.ask("load", **data.files)
            before = worker.ask("used")
            bytes_ = worker.ask("fill")["bytes"]
            found[ADDED, name] = worker.ask("used") - before
            if name == REFERENCE:
                found[FILE, name] = bytes_
            found |= {(call, name): _p50(context, size, worker, name, way) for call, way in SEARCHES.items()}
            found[MEMORY, name] = max(worker.ask("peak"), 1)
    return found


def _p50(context: Context, size: int, worker: Worker, name: str, way: str) -> float:
    context.say(f"scale, {size:,} documents: {way}: {name}")
    worker.ask("run", call=way)
    answer: dict[str, Any] = worker.ask("run", call=way)
    return float(percentile(answer["cpu"], 50))

"""Many threads search the memory store while others write: how long a search waits."""

from typing import Any

from conformance.bench.context import Context
from conformance.bench.process import Worker
from conformance.bench.results import Row
from conformance.bench.timing import percentile
from conformance.bench.workloads.rounds import milliseconds
from conformance.bench.workloads.store import REFERENCE, prepared

READERS = 8
WRITERS = (0, 2)
BATCH = 100


def run(context: Context) -> None:
    """Report how long searches took by the clock, the longest among them, without and with writers."""
    documents, seconds = (400, 0.5) if context.quick else (20_000, 20.0)
    loaded, _ = prepared(context, documents)
    for name, worker in ((REFERENCE, Worker.python("store")), context.port("store")):
        with worker:
            context.say(f"crowd: {name}: adding {documents:,} documents")
            worker.ask("load", **loaded)
            worker.ask("add", first=0, last=documents)
            for writers in WRITERS:
                context.say(f"crowd: {name}: {READERS} readers, {writers} writers")
                met = worker.ask("crowd", readers=READERS, writers=writers, batch=BATCH, seconds=seconds)
                task = f"{READERS} threads searching {documents:,} documents, {writers} writing"
                context.report.rows.append(Row(task, name, _figures(met, seconds)))
    context.report.notes.append(
        f"crowd: for {seconds:g} s, by the clock; each writer removes {BATCH} documents, adds them again, and so on; "
        "threads take turns, so a search of a crowd takes as many times as long as one alone; every search answered "
        "from a whole batch, or the run would have ended with an error"
    )


def _figures(met: dict[str, Any], seconds: float) -> tuple[tuple[str, str], ...]:
    return (
        ("searches/s", f"{len(met['wall']) / seconds:.1f}"),
        ("p50", milliseconds(percentile(met["wall"], 50))),
        ("p99", milliseconds(percentile(met["wall"], 99))),
        ("longest", milliseconds(max(met["wall"]))),
        ("batches written", f"{met['batches']}"),
    )

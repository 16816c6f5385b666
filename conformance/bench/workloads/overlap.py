"""A hundred searches of an `AsyncIndex` at once, whose provider takes a while: how they overlap, who holds the loop."""

from conformance.bench.context import Context
from conformance.bench.process import Worker
from conformance.bench.results import Row
from conformance.bench.timing import percentile
from conformance.bench.workloads.rounds import milliseconds
from conformance.bench.workloads.store import REFERENCE, prepared

SEARCHES = 100
PROVIDER = 0.05


def run(context: Context) -> None:
    """Report how long all searches took together, and how late the loop came to what was due."""
    documents = 400 if context.quick else 5_000
    loaded, _ = prepared(context, documents)
    with Worker.python("overlap") as worker:
        context.say(f"overlap: adding {documents:,} documents")
        worker.ask("load", **loaded)
        worker.ask("add", first=0, last=documents)
        context.say(f"overlap: {SEARCHES} searches")
        met = worker.ask("run", searches=SEARCHES, provider=PROVIDER)
    figures = (
        ("all", milliseconds(met["wall"])),
        ("of processor time", milliseconds(met["cpu"])),
        ("loop late p50", milliseconds(percentile(met["late"], 50))),
        ("p99", milliseconds(percentile(met["late"], 99))),
        ("at most", milliseconds(max(met["late"]))),
    )
    task = f"{SEARCHES} searches of {documents:,} documents at once, awaiting {PROVIDER * 1000:g} ms each"
    context.report.rows.append(Row(task, REFERENCE, figures))
    context.report.notes.append(
        f"overlap: one after another the provider alone would take {SEARCHES * PROVIDER:g} s; meanwhile a task asks to "
        "be woken every millisecond, and counts by how much later that was"
    )

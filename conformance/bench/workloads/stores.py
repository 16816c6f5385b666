"""What it costs to keep documents outside memory: whole retrieves and inserts of each store beside those in memory."""

import os

from conformance.bench.context import Context
from conformance.bench.dense_vectors import DIMENSION
from conformance.bench.process import Worker
from conformance.bench.results import Ratio, Row
from conformance.bench.timing import Spread, percentile
from conformance.bench.workloads.rounds import milliseconds
from conformance.bench.workloads.store import prepared
from conformance.engines.testing import POSTGRES_VARIABLE

MEMORY = "memory"
STORES = {MEMORY: "memory", "file": "SQLite", "postgres": "PostgreSQL, exact", "hnsw": "PostgreSQL, HNSW"}
"""Kind → what the table calls it; the last one may miss some of the nearest."""
ROUNDS = 3
GOAL = 5.0
"""How many times memory's median a whole retrieve from PostgreSQL may take."""


def run(context: Context) -> None:
    """Report documents per second, and milliseconds of whole retrieves by the clock, which a server's work needs."""
    if not os.environ.get(POSTGRES_VARIABLE):
        context.report.notes.append(
            f"postgres: left out, as {POSTGRES_VARIABLE} is not set (bin/engines run postgres -- bin/bench)"
        )
        return
    count = 400 if context.quick else 20_000
    loaded, how = prepared(context, count)
    digests: dict[str, str] = {}
    medians: dict[str, list[float]] = {}
    for kind, name in STORES.items():
        context.say(f"postgres: {name}: adding {count:,} documents")
        with Worker.python("store_of") as worker:
            worker.ask("load", **loaded)
            worker.ask("use", kind=kind, path=str(context.folder / f"{kind}.hsx"))
            added = worker.ask("add_in_batches", count=count)
            if kind == "hnsw":
                worker.ask("build_index", field=f"q_{DIMENSION}_vec")
            worker.ask("search")
            rounds = [worker.ask("search") for _ in range(ROUNDS)]
            worker.ask("drop")
        digests[kind] = rounds[0]["digest"]
        medians[kind] = [percentile(one["wall"], 50) for one in rounds]
        taken = sorted(wall for one in rounds for wall in one["wall"])
        figures = (
            ("added at", f"{count / added['wall']:.0f} documents/s"),
            ("retrieve p50", milliseconds(percentile(taken, 50))),
            ("p95", milliseconds(percentile(taken, 95))),
        )
        pairs = zip(medians[kind], medians[MEMORY], strict=True)
        ratios = () if kind == MEMORY else (Ratio("memory / it", Spread.of([memory / own for own, memory in pairs])),)
        context.report.rows.append(Row(f"store of {count:,} documents", name, figures, ratios))
    for kind in ("file", "postgres"):
        context.report.same(f"stores: {STORES[kind]} and memory", digests[kind], digests[MEMORY])
    context.report.notes.append(
        f"postgres: {how}; vectors of {DIMENSION} components; batches of 500; by the clock, the server on the same "
        f"machine; a page of 10; the goal is a median of at most {GOAL:.0f} times memory's"
    )

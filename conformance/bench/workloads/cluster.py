"""What it costs to keep documents in a cluster: whole retrieves and inserts beside those in memory."""

import os
import uuid

from conformance.bench.context import Context
from conformance.bench.dense_vectors import DIMENSION
from conformance.bench.process import Worker
from conformance.bench.results import Ratio, Row
from conformance.bench.timing import Spread, percentile
from conformance.bench.workloads import stored_documents
from conformance.bench.workloads.rounds import milliseconds
from conformance.engines.testing import OPENSEARCH_VARIABLE

MEMORY, CLUSTER = "memory", "opensearch"


def run(context: Context) -> None:
    """Report documents per second, and milliseconds of whole retrieves by the clock, which the nodes' work needs."""
    urls = os.environ.get(OPENSEARCH_VARIABLE)
    if not urls:
        context.report.notes.append(
            f"{CLUSTER}: left out, as {OPENSEARCH_VARIABLE} is not set (bin/engines run opensearch 3 -- bin/bench)"
        )
        return
    nodes = len(urls.split(","))
    names = {MEMORY: "memory", CLUSTER: f"OpenSearch, {nodes} node{'s' if nodes > 1 else ''}"}
    documents = stored_documents.made(context, CLUSTER)
    count = documents.count
    medians: dict[str, list[float]] = {}
    pages: dict[str, list[str]] = {}
    for kind, name in names.items():
        context.say(f"{CLUSTER}: {name}: adding {count:,} documents")
        with Worker.python("store_of") as worker:
            worker.ask("load", **documents.loaded)
            worker.ask("use", kind=kind, path="", collection=f"bench-{uuid.uuid4().hex}")
            added = worker.ask("insert", path=documents.path, batch=documents.batch)
            worker.ask("search")
            rounds = [worker.ask("search") for _ in range(documents.rounds)]
            pages[kind] = worker.ask("pages")
            worker.ask("drop")
        medians[kind] = [percentile(one["wall"], 50) for one in rounds]
        taken = sorted(wall for one in rounds for wall in one["wall"])
        same = sum(page == other for page, other in zip(pages[kind], pages[MEMORY], strict=True))
        figures = (
            ("inserted at", f"{count / added['wall']:.0f} documents/s"),
            ("retrieve p50", milliseconds(percentile(taken, 50))),
            ("p95", milliseconds(percentile(taken, 95))),
            ("same first pages", f"{same} of {len(pages[kind])}"),
        )
        pairs = zip(medians[kind], medians[MEMORY], strict=True)
        ratios = () if kind == MEMORY else (Ratio("memory / it", Spread.of([memory / own for own, memory in pairs])),)
        context.report.rows.append(Row(f"store of {count:,} documents in a cluster", name, figures, ratios))
    context.report.notes.append(
        f"{CLUSTER}: {documents.how}; vectors of {DIMENSION} components; documents that were made before, inserted in "
        f"batches of {documents.batch} into {nodes} shard{'s' if nodes > 1 else ''} with {min(1, nodes - 1)} replicas, "
        "found at once; by the clock, all nodes on the same machine; a page of 10"
    )

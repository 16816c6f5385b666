"""The cost of documents in a cluster: whole first pages and inserts, compared with those in memory."""

import os
import uuid
from typing import Any

from conformance.bench.context import Context
from conformance.bench.dense_vectors import DIMENSION
from conformance.bench.process import Worker
from conformance.bench.results import Ratio, Row
from conformance.bench.timing import Spread, percentile
from conformance.bench.workloads import stored_documents
from conformance.bench.workloads.rounds import milliseconds
from conformance.bench.workloads.stored_documents import StoredDocuments
from conformance.engines.testing import OPENSEARCH_VARIABLE

MEMORY, CLUSTER = "memory", "opensearch"
BALANCED, RAGFLOW = "balanced", "ragflow"
OWN = "the engine's own queries"

Waits = dict[str, list[list[float]]]
"""Profile, or `OWN` → the seconds of all questions, by round."""


def run(context: Context) -> None:
    """Report documents per second, and the wall time of first pages, which includes the work of the nodes."""
    urls = os.environ.get(OPENSEARCH_VARIABLE)
    if not urls:
        context.report.notes.append(
            f"{CLUSTER}: left out, as {OPENSEARCH_VARIABLE} is not set (bin/engines run opensearch 3 -- bin/bench)"
        )
        return
    nodes = len(urls.split(","))
    names = {MEMORY: "memory", CLUSTER: f"OpenSearch, {nodes} node{'s' if nodes > 1 else ''}"}
    documents = stored_documents.made(context, CLUSTER)
    waits: dict[str, Waits] = {}
    shown: dict[str, dict[str, Any]] = {}
    added: dict[str, float] = {}
    for kind, name in names.items():
        context.say(f"{CLUSTER}: {name}: adding {documents.count:,} documents")
        with Worker.python("store_of") as worker:
            worker.ask("load", **documents.loaded)
            worker.ask("use", kind=kind, path="", collection=f"bench-{uuid.uuid4().hex}", profile=BALANCED)
            added[kind] = worker.ask("insert", path=documents.path, batch=documents.batch)["wall"]
            waits[kind], shown[kind] = _measured(worker, documents, kind)
            worker.ask("drop")
    for kind, name in names.items():
        for way, rounds in waits[kind].items():
            figures = [("p50", milliseconds(percentile(_all(rounds), 50)))]
            figures.append(("p95", milliseconds(percentile(_all(rounds), 95))))
            if way == BALANCED:
                figures.insert(0, ("inserted at", f"{documents.count / added[kind]:.0f} documents/s"))
            if way in shown[kind]:
                figures.append(("as in memory", _alike(way, shown[kind][way], shown[MEMORY][way])))
            ratios = _ratios(way, rounds, waits, kind)
            what = f"first pages of {documents.count:,} documents in a cluster"
            context.report.rows.append(Row(what, f"{name}, {way}", tuple(figures), ratios))
    context.report.notes.append(
        f"{CLUSTER}: {documents.how}; vectors of {DIMENSION} components; documents that were made before, inserted in "
        f"batches of {documents.batch} into {nodes} shard{'s' if nodes > 1 else ''} with {min(1, nodes - 1)} replicas, "
        f"visible at once; wall time, all nodes on the same machine; a page of 10; {OWN}: a page of ids of each leg "
        "in one request, then the documents of a page"
    )


def _measured(worker: Worker, documents: StoredDocuments, kind: str) -> tuple[Waits, dict[str, Any]]:
    """The seconds of each way in rounds, in turns, and the pages that the profiles show."""
    waits: Waits = {}
    shown: dict[str, Any] = {}
    for turn in range(documents.rounds + 1):
        for profile in (BALANCED, RAGFLOW):
            worker.ask("rank_as", profile=profile)
            waits.setdefault(profile, []).append(worker.ask("search")["wall"])
            if turn == 0:
                shown[profile] = worker.ask("shown" if profile == BALANCED else "pages")
        if kind == CLUSTER:
            waits.setdefault(OWN, []).append(worker.ask("own_searches")["wall"])
    return {way: rounds[1:] for way, rounds in waits.items()}, shown


def _all(rounds: list[list[float]]) -> list[float]:
    return sorted(wall for one in rounds for wall in one)


def _alike(way: str, shown: list[Any], expected: list[Any]) -> str:
    """The number of documents of the pages that memory's pages also have, or of pages with the same bits."""
    if way == RAGFLOW:
        same = sum(page == other for page, other in zip(shown, expected, strict=True))
        return f"{same} of {len(shown)} pages"
    both = sum(len(set(page) & set(other)) for page, other in zip(shown, expected, strict=True))
    return f"{both} of {sum(map(len, expected))} documents"


def _ratios(way: str, rounds: list[list[float]], waits: dict[str, Waits], kind: str) -> tuple[Ratio, ...]:
    """The speed as a multiple of memory's; for the cluster, also of its other profiles'."""
    if kind == MEMORY:
        return ()
    others = {} if way == OWN else {f"memory, {way}": waits[MEMORY][way]}
    if way == BALANCED:
        others |= {other: waits[kind][other] for other in (RAGFLOW, OWN)}
    return tuple(
        Ratio(
            f"{name} / it",
            Spread.of([percentile(one, 50) / percentile(own, 50) for one, own in zip(other, rounds, strict=True)]),
        )
        for name, other in others.items()
    )

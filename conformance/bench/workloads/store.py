"""Filling the memory store and searching it, end to end."""

from itertools import pairwise
from typing import Any

from conformance.bench import texts
from conformance.bench.context import Context
from conformance.bench.dense_vectors import DIMENSION, DenseVectors
from conformance.bench.process import Worker
from conformance.bench.results import Row
from conformance.bench.timing import percentile
from conformance.bench.workloads.rounds import megabytes, milliseconds

REFERENCE = "Python"
LONGEST = 600


def run(context: Context) -> None:
    """Report documents per second, milliseconds per query and memory, at growing sizes."""
    sizes = [0, 100, 200, 400] if context.quick else [0, 5_000, 10_000, 20_000]
    loaded, how = prepared(context, sizes[-1])
    digests: dict[tuple[int, int], str] = {}
    for place in range(2):
        name, worker = (REFERENCE, Worker.python("store")) if place == 0 else context.port("store")
        with worker:
            context.say(f"store: loading: {name}")
            worker.ask("load", **loaded)
            for first, last in pairwise(sizes):
                context.say(f"store: {name}: adding documents {first:,} to {last:,}")
                added = worker.ask("add", first=first, last=last)
                context.say(f"store: {name}: searching {last:,} documents")
                searched = worker.ask("search")
                digests[place, last] = searched["digest"]
                figures = _figures(added, searched, last - first)
                context.report.rows.append(Row(f"store grown to {last:,} documents", name, figures))
    for size in sizes[1:]:
        context.report.same(f"store of {size:,} documents: reference and port", digests[0, size], digests[1, size])
    context.report.notes.append(
        f"store: {how}; documents and queries bring vectors of {DIMENSION} components, whose cosines are spread as "
        "those of a sentence model; documents/s are those of the documents added since the size before, tokenising "
        "included; the same queries at every size; a page of 10"
    )


def prepared(context: Context, documents: int) -> tuple[dict[str, Any], str]:
    """What a worker loads so many documents and their queries from, and how they were made."""
    context.say("store: making passages")
    passages, how = texts.passages(context.collections, LONGEST, documents)
    queries = texts.queries(context.collections, 10 if context.quick else 100)
    contents = [passage["content"] for passage in passages]
    context.say("store: making vectors")
    vectors = DenseVectors(contents)
    loaded = {
        "passages": context.write("passages.jsonl", passages),
        "passage_vectors": vectors.write(context.folder / "passages.f32", contents),
        "queries": context.write("store_queries.jsonl", queries),
        "query_vectors": vectors.write(context.folder / "store_queries.f32", queries),
        "dimension": DIMENSION,
    }
    return loaded, how


def _figures(added: dict[str, Any], searched: dict[str, Any], documents: int) -> tuple[tuple[str, str], ...]:
    return (
        ("added at", f"{documents / added['cpu']:.0f} documents/s"),
        ("query p50", milliseconds(percentile(searched["cpu"], 50))),
        ("p95", milliseconds(percentile(searched["cpu"], 95))),
        ("peak memory", megabytes(searched["peak"])),
    )

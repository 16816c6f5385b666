"""What it costs to keep documents outside memory: whole retrieves and inserts of each store beside those in memory."""

import os
import uuid

from conformance.bench.context import Context
from conformance.bench.dense_vectors import DIMENSION
from conformance.bench.process import Worker
from conformance.bench.results import Ratio, Row
from conformance.bench.timing import Spread, percentile
from conformance.bench.workloads import stored_documents
from conformance.bench.workloads.rounds import milliseconds
from conformance.bench.workloads.stored_documents import MANY, StoredDocuments
from conformance.engines.testing import POSTGRES_VARIABLE

MEMORY = "memory"
STORES = {MEMORY: "memory", "file": "SQLite", "postgres": "PostgreSQL, exact", "hnsw": "PostgreSQL, HNSW"}
"""Kind → what the table calls it; the last has the collection of the one before, and may miss some of the nearest."""
GOAL = 5.0
"""How many times memory's median a whole retrieve from PostgreSQL may take."""
TEXT_GOAL = 50.0
"""How many times as fast as `ts_rank_cd` the text leg is to be."""
QUESTIONS, FEWER_QUESTIONS = 20, 10
"""Of how many questions the text leg is compared, and of how many where the server's own takes minutes."""
TEXT_ROUNDS = 5
"""How often the text leg is asked all of them, twice by the same store."""
RANK_ROUNDS, FEWER_RANK_ROUNDS = 3, 1
"""How often the server's own ranking is."""
RANK = "ts_rank_cd"


def run(context: Context) -> None:
    """Report documents per second, and milliseconds of whole retrieves by the clock, which a server's work needs."""
    if not os.environ.get(POSTGRES_VARIABLE):
        context.report.notes.append(
            f"postgres: left out, as {POSTGRES_VARIABLE} is not set (bin/engines run postgres -- bin/bench)"
        )
        return
    documents = stored_documents.made(context, "postgres")
    count, loaded = documents.count, documents.loaded
    questions = QUESTIONS if count < MANY else FEWER_QUESTIONS
    collection = f"bench_{uuid.uuid4().hex}"
    digests: dict[str, str] = {}
    medians: dict[str, list[float]] = {}
    legs: dict[str, list[dict[str, list[float]]]] = {}
    for kind, name in STORES.items():
        context.say(f"postgres: {name}: {'making its index' if kind == 'hnsw' else f'adding {count:,} documents'}")
        with Worker.python("store_of") as worker:
            worker.ask("load", **loaded)
            worker.ask("use", kind=kind, path=str(context.folder / f"{kind}.hsx"), collection=collection)
            if kind == "hnsw":
                built = worker.ask("build_index", field=f"q_{DIMENSION}_vec")
                made = ("index made in", f"{built['wall']:.0f} s")
            else:
                added = worker.ask("insert", path=documents.path, batch=documents.batch)
                made = ("inserted at", f"{count / added['wall']:.0f} documents/s")
            worker.ask("search")
            rounds = [worker.ask("search") for _ in range(documents.rounds)]
            if kind == "postgres":
                legs = worker.ask("text_legs", queries=loaded["queries"], count=questions, rounds=TEXT_ROUNDS)
            if kind == "hnsw":
                worker.ask("drop")
        digests[kind] = rounds[0]["digest"]
        medians[kind] = [percentile(one["wall"], 50) for one in rounds]
        taken = sorted(wall for one in rounds for wall in one["wall"])
        figures = (
            made,
            ("retrieve p50", milliseconds(percentile(taken, 50))),
            ("p95", milliseconds(percentile(taken, 95))),
        )
        pairs = zip(medians[kind], medians[MEMORY], strict=True)
        ratios = () if kind == MEMORY else (Ratio("memory / it", Spread.of([memory / own for own, memory in pairs])),)
        context.report.rows.append(Row(f"store of {count:,} documents", name, figures, ratios))
    context.say(f"postgres: {RANK} beside the text leg")
    _text_legs(context, documents, legs, questions)
    for kind in ("file", "postgres"):
        context.report.same(f"stores: {STORES[kind]} and memory", digests[kind], digests[MEMORY])
    context.report.notes.append(
        f"postgres: {documents.how}; vectors of {DIMENSION} components; documents "
        f"that were made before, inserted in batches of {documents.batch}; by the clock, the server on the same "
        f"machine; a page of 10; the goal is a median of at most {GOAL:.0f} times memory's"
    )


def _text_legs(
    context: Context, documents: StoredDocuments, own: dict[str, list[dict[str, list[float]]]], questions: int
) -> None:
    """Report the text leg alone, beside the server's own ranking of the same queries.

    The goal is for what is asked again, as the server's own ranking is, which finds its pages in memory then.
    """
    with Worker.python("ts_rank") as worker:
        worker.ask("load", path=documents.path, queries=documents.loaded["queries"], count=questions)
        theirs = worker.ask("text_legs", rounds=RANK_ROUNDS if documents.count < MANY else FEWER_RANK_ROUNDS)
        worker.ask("drop")
    anchor = percentile([percentile(one["wall"], 50) for one in theirs], 50)
    task = f"text leg of {documents.count:,} documents, {questions} questions"
    goal = None if context.quick else TEXT_GOAL
    for name, rounds, wanted in (
        (RANK, theirs, None),
        (f"{STORES['postgres']}: asked again", own["again"], goal),
        (f"{STORES['postgres']}: asked first", own["first"], None),
        (f"{STORES['postgres']}: after another client's write", own["after"], None),
    ):
        spread = Spread.of([anchor / percentile(one["wall"], 50) for one in rounds])
        ratios = () if name == RANK else (Ratio(RANK, spread, goal=wanted),)
        walls = [wall for one in rounds for wall in one["wall"]]
        figures = (("p50", milliseconds(percentile(walls, 50))), ("p95", milliseconds(percentile(walls, 95))))
        context.report.rows.append(Row(task, name, figures, ratios, anchor=name == RANK))

"""The cost of documents outside memory: whole searches and inserts of each store, compared with those in memory."""

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
from conformance.bench.workloads.stored_documents import MANY, StoredDocuments
from conformance.engines.testing import POSTGRES_VARIABLE

MEMORY = "memory"
STORES = {MEMORY: "memory", "file": "SQLite", "postgres": "PostgreSQL, exact", "hnsw": "PostgreSQL, HNSW"}
"""Kind → its name in the table. The last one uses the collection of the one before, and may miss some neighbours."""
PROFILES = ("balanced", "ragflow")
GOAL = 5.0
"""The maximum of PostgreSQL's median of a whole search as a multiple of memory's."""
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
    """Report documents per second, and the wall time of whole searches, which includes the work of a server."""
    if not os.environ.get(POSTGRES_VARIABLE):
        context.report.notes.append(
            f"postgres: left out, as {POSTGRES_VARIABLE} is not set (bin/engines run postgres -- bin/bench)"
        )
        return
    documents = stored_documents.made(context, "postgres")
    questions = QUESTIONS if documents.count < MANY else FEWER_QUESTIONS
    collection = f"bench_{uuid.uuid4().hex}"
    searches: dict[str, dict[str, list[dict[str, Any]]]] = {}
    legs: dict[str, list[dict[str, list[float]]]] = {}
    for kind, name in STORES.items():
        context.say(f"postgres: {name}: {'index of' if kind == 'hnsw' else 'adding'} {documents.count:,} documents")
        with Worker.python("store_of") as worker:
            worker.ask("load", **documents.loaded)
            path = str(context.folder / f"{kind}.hsx")
            worker.ask("use", kind=kind, path=path, collection=collection, profile=PROFILES[0])
            made = _filled(worker, kind, documents)
            searches[kind] = _searches(worker, documents.rounds)
            if kind == "postgres":
                legs = worker.ask("text_legs", queries=documents.loaded["queries"], count=questions, rounds=TEXT_ROUNDS)
            if kind == "hnsw":
                worker.ask("drop")
        for profile, rounds in searches[kind].items():
            figures = (made, *_figures(rounds)) if profile == PROFILES[0] else _figures(rounds)
            ratios = () if kind == MEMORY else (_ratio(rounds, searches[MEMORY][profile]),)
            what = f"store of {documents.count:,} documents"
            context.report.rows.append(Row(what, f"{name}, {profile}", figures, ratios))
            if kind in ("file", "postgres"):
                digests = [one[profile][0]["digest"] for one in (searches[kind], searches[MEMORY])]
                context.report.same(f"stores: {profile}, {name} and memory", *digests)
    context.say(f"postgres: {RANK} beside the text leg")
    _text_legs(context, documents, legs, questions)
    context.report.notes.append(
        f"postgres: {documents.how}; vectors of {DIMENSION} components; documents "
        f"that were made before, inserted in batches of {documents.batch}; by the clock, the server on the same "
        f"machine; a page of 10; the goal is a median of at most {GOAL:.0f} times memory's"
    )


def _filled(worker: Worker, kind: str, documents: StoredDocuments) -> tuple[str, str]:
    """Store the documents, or make the index of those that are stored; the figure of it."""
    if kind == "hnsw":
        built = worker.ask("build_index", field=f"q_{DIMENSION}_vec")
        return "index made in", f"{built['wall']:.0f} s"
    added = worker.ask("insert", path=documents.path, batch=documents.batch)
    return "inserted at", f"{documents.count / added['wall']:.0f} documents/s"


def _searches(worker: Worker, rounds: int) -> dict[str, list[dict[str, Any]]]:
    """What all questions take with each profile, in rounds, after a first time."""
    found = {}
    for profile in PROFILES:
        worker.ask("rank_as", profile=profile)
        worker.ask("search")
        found[profile] = [worker.ask("search") for _ in range(rounds)]
    return found


def _figures(rounds: list[dict[str, Any]]) -> tuple[tuple[str, str], ...]:
    taken = sorted(wall for one in rounds for wall in one["wall"])
    return ("search p50", milliseconds(percentile(taken, 50))), ("p95", milliseconds(percentile(taken, 95)))


def _ratio(rounds: list[dict[str, Any]], memory: list[dict[str, Any]]) -> Ratio:
    """The median of memory as a multiple of the store's, by round."""
    medians = [[percentile(one["wall"], 50) for one in each] for each in (rounds, memory)]
    return Ratio("memory / it", Spread.of([other / own for own, other in zip(*medians, strict=True)]))


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

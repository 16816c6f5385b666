"""Compares the cost of a question after a write of another process with its cost just before the write."""

import os
import uuid
from typing import Any

from conformance.bench.context import Context
from conformance.bench.process import Worker
from conformance.bench.results import Ratio, Row
from conformance.bench.timing import Spread, percentile
from conformance.bench.workloads import stored_documents
from conformance.bench.workloads.rounds import milliseconds
from conformance.bench.workloads.stored_documents import StoredDocuments
from conformance.engines.testing import POSTGRES_VARIABLE

SUBJECT = "foreign_writes"
REFERENCE = "Python"
STORES = {"file": "SQLite", "postgres": "PostgreSQL"}
WAYS = {"text": "text", "hybrid": "text and a vector"}
AGAIN, BEFORE = "asked again", "asked again after a write to another collection"
AFTER, NEXT = "after a write", "after a write and a question"
QUESTIONS, QUICK_QUESTIONS = 20, 2
OTHERS, QUICK_OTHERS = 1000, 20
"""How many other questions a client has asked before: what it has cached must not make a change dearer."""
GOAL = 1 / 1.5
"""How many times as fast as the same question before a write it is to be afterwards."""


def run(context: Context) -> None:
    """Report milliseconds of whole searches in both languages, before and after a write of one document."""
    documents = stored_documents.made(context, "foreign")
    collection = f"bench_{uuid.uuid4().hex}"
    for kind, name in STORES.items():
        if kind == "postgres" and not os.environ.get(POSTGRES_VARIABLE):
            context.report.notes.append(
                f"foreign: PostgreSQL was left out, as {POSTGRES_VARIABLE} is not set (bin/engines run postgres -- …)"
            )
            continue
        place = {"kind": kind, "path": str(context.folder / "foreign.hsx"), "collection": collection}
        other = {"kind": kind, "path": str(context.folder / "other.hsx"), "collection": f"{collection}_other"}
        with Worker.python(SUBJECT) as writer, Worker.python(SUBJECT) as elsewhere:
            for worker, its in ((writer, place), (elsewhere, other)):
                worker.ask("load", **documents.loaded)
                worker.ask("open", **its)
            context.say(f"foreign: {name}: adding {documents.count:,} documents")
            added = writer.ask("insert", path=documents.path, batch=documents.batch)
            figures = (("inserted at", f"{documents.count / added['wall']:.0f} documents/s"),)
            context.report.rows.append(Row(f"{name} of {documents.count:,} documents", REFERENCE, figures))
            _compare(context, documents, (writer, elsewhere), name, place)
            if kind == "postgres":
                writer.ask("drop")
                elsewhere.ask("drop")
    context.report.notes.append(
        f"foreign: {documents.how}; whole searches with the default profile, by the clock, of clients that have asked "
        f"{OTHERS:,} other questions before; another process replaces one document; `{AGAIN}` is the same question "
        f"directly before, for the second time; `{BEFORE}` is the same "
        "for the third time, when the processor has worked for another process meanwhile, as after any write; "
        f"`{NEXT}` is a question that was asked before the write, but not first after it; the goal is at most 1.5 "
        "times the question before"
    )


def _compare(
    context: Context, documents: StoredDocuments, writers: tuple[Worker, Worker], name: str, place: dict[str, str]
) -> None:
    writer, elsewhere = writers
    questions = QUICK_QUESTIONS if context.quick else QUESTIONS
    digests: dict[str, list[str]] = {}
    port, ruby = context.port(SUBJECT)
    for language, worker in ((REFERENCE, Worker.python(SUBJECT)), (port, ruby)):
        with worker:
            worker.ask("load", **documents.loaded)
            worker.ask("open", **place)
            context.say(f"foreign: {name}: other questions: {language}")
            worker.ask("ask_others", path=documents.path, count=QUICK_OTHERS if context.quick else OTHERS)
            for way, what in WAYS.items():
                context.say(f"foreign: {name}: {what}: {language}")
                taken: dict[str, list[dict[str, Any]]] = {AGAIN: [], BEFORE: [], AFTER: [], NEXT: []}
                for question in range(questions):
                    worker.ask("ask", way=way, question=question)
                    taken[AGAIN].append(worker.ask("ask", way=way, question=question))
                    elsewhere.ask("write", path=documents.path, place=question)
                    taken[BEFORE].append(worker.ask("ask", way=way, question=question))
                    writer.ask("write", path=documents.path, place=question)
                    taken[AFTER].append(worker.ask("ask", way=way, question=question))
                    other = (question + questions - 1) % questions
                    taken[NEXT].append(worker.ask("ask", way=way, question=other))
                digests.setdefault(way, []).extend(one["digest"] for one in taken[AFTER])
                _report(context, f"{name} of {documents.count:,} documents, {what}", language, taken)
    for way, what in WAYS.items():
        half = len(digests[way]) // 2
        context.report.same(f"foreign: {name}: {what}: both languages", digests[way][:half], digests[way][half:])


def _report(context: Context, task: str, language: str, taken: dict[str, list[dict[str, Any]]]) -> None:
    for when, answers in taken.items():
        walls = [answer["wall"] for answer in answers]
        figures = (
            ("p50", milliseconds(percentile(walls, 50))),
            ("CPU p50 of the client", milliseconds(percentile([answer["cpu"] for answer in answers], 50))),
        )
        speeds = [before["wall"] / own for before, own in zip(taken[BEFORE], walls, strict=True)]
        goal = None if context.quick or when not in (AFTER, NEXT) else GOAL
        ratios = () if when == BEFORE else (Ratio(BEFORE, Spread.of(speeds), goal=goal),)
        context.report.rows.append(Row(f"{task}: {when}", language, figures, ratios, anchor=when == BEFORE))

"""The ten best documents of a bag of terms over titles and bodies: BM25F, and what it is held against."""

import importlib.util
from collections.abc import Mapping
from functools import partial

from conformance.bench import extra
from conformance.bench.contestants.bm25f_leg import TITLE
from conformance.bench.context import Context
from conformance.bench.process import Worker
from conformance.bench.results import Ratio, Row
from conformance.bench.workloads.bm25 import WINDOW, figures, term_files
from conformance.bench.workloads.rounds import speed, take_turns, together

FTS5, BM25S, AMONG_SCORED, TANTIVY = "SQLite FTS5", "bm25s (numpy)", "bm25s (numpy), of scored", "tantivy"
REFERENCE = "Python"
NOT_SLOWER = 1.0


def run(context: Context) -> None:
    """Compare milliseconds per query: of a few keywords, and of whole questions."""
    extra.need("bm25s", context.say)
    count = 10_000 if context.quick else 100_000
    task = f"BM25F top 10 of {count:,} documents"
    context.say(f"{task}: making documents")
    documents, kinds = term_files(context, count, 40 if context.quick else 100, TITLE + WINDOW)
    port, ruby = context.port("bm25f")
    workers = {FTS5: Worker.python("fts5_fields"), BM25S: Worker.python("bm25s")}
    if importlib.util.find_spec("tantivy") is not None:
        workers[TANTIVY] = Worker.python("tantivy")
    else:
        context.report.notes.append("tantivy is not installed (pip install tantivy): BM25F was not held against it")
    workers |= {REFERENCE: Worker.python("bm25f"), port: ruby}
    with together(workers):
        for name, worker in workers.items():
            context.say(f"{task}: loading: {name}")
            worker.ask("load", documents=documents)
        for kind, queries in kinds.items():
            for worker in workers.values():
                worker.ask("take", queries=queries)
            _check(context, f"{task}, {kind}", (documents, queries), (workers[REFERENCE], workers[port]))
            _compare(context, f"{task}, {kind}", workers, (REFERENCE, port))
    context.report.notes.append(
        f"BM25F: documents have a title of {TITLE} and a body of {WINDOW} tokens of real text, queries are as for "
        "BM25; a title counts three times as much in BM25F, in the boosted terms of the tree, in FTS5's bm25() and in "
        "tantivy's boosted terms; bm25s has one field of both; 'tree' asks for the same terms as a text query of the "
        "memory store, where the better field counts: RAGFlow's whole query, with its phrases, takes longer"
    )


def _check(context: Context, task: str, files: tuple[str, str], ours: tuple[Worker, Worker]) -> None:
    """Reference and port must give the same documents and bits, and those of the plain form."""
    context.say(f"{task}: comparing answers")
    found, ported = (worker.ask("answers") for worker in ours)
    context.report.same(f"{task}: reference and port", found, ported)
    with Worker.python("simple_bm25f") as simple:
        simple.ask("load", documents=files[0], queries=files[1])
        context.report.same(f"{task}: reference and the plain form", simple.ask("run"), found)


def _compare(context: Context, task: str, workers: Mapping[str, Worker], ours: tuple[str, str]) -> None:
    """Let all answer one kind of queries, in turns, and report the figures."""
    runs = {name: partial(worker.ask, "run") for name, worker in workers.items() if name not in (BM25S, *ours)}
    runs[BM25S] = partial(workers[BM25S].ask, "run", scored_only=False)
    runs[AMONG_SCORED] = partial(workers[BM25S].ask, "run", scored_only=True)
    anchors = tuple(runs)
    for name in ours:
        runs[_tree(name)] = partial(workers[name].ask, "run", tree=True)
        runs[name] = partial(workers[name].ask, "run", tree=False)
    answers = take_turns(context, task, runs, 2 if context.quick else 3)
    for name in runs:
        ratios: tuple[Ratio, ...] = ()
        if name in ours:
            others = tuple(speed(answers, one, name) for one in anchors)
            ratios = (*others, speed(answers, _tree(name), name, NOT_SLOWER))
        context.report.rows.append(Row(task, name, figures(answers, name), ratios, name not in ours))


def _tree(name: str) -> str:
    return f"{name}, tree"

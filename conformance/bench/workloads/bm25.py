"""The ten best documents of a bag of terms, by BM25, in one plain field."""

from collections import Counter
from collections.abc import Mapping
from functools import partial
from statistics import fmean, median
from typing import Any

from conformance.bench import extra, texts
from conformance.bench.context import Context
from conformance.bench.process import Worker
from conformance.bench.results import Row
from conformance.bench.timing import percentile
from conformance.bench.workloads.rounds import Answers, milliseconds, speed, take_turns, together
from hybrid_search.text.tokenizer import Tokenizer

FTS5, BM25S, REFERENCE = "SQLite FTS5", "bm25s (numpy)", "Python"
AMONG_SCORED = "bm25s (numpy), of scored"
ANCHORS = (FTS5, BM25S, AMONG_SCORED)
RUBY_GOALS = {FTS5: 10.0, AMONG_SCORED: 1.0}
REFERENCE_GOALS = {AMONG_SCORED: 2.0}
KEYWORDS, QUESTIONS = "keywords", "whole questions"
WINDOW = 60
CHARACTERS = 2_000_000


def run(context: Context) -> None:
    """Compare milliseconds per query: of a few keywords, and of whole questions."""
    extra.need("bm25s", context.say)
    count = 10_000 if context.quick else 100_000
    task = f"BM25 top 10 of {count:,} documents"
    context.say(f"{task}: making documents")
    documents, kinds = term_files(context, count, 40 if context.quick else 100, WINDOW)
    port, ruby = context.port("bm25")
    workers = {
        FTS5: Worker.python("fts5"),
        BM25S: Worker.python("bm25s"),
        REFERENCE: Worker.python("bm25"),
        port: ruby,
    }
    with together(workers):
        for name, worker in workers.items():
            context.say(f"{task}: loading: {name}")
            worker.ask("load", documents=documents)
        for kind, queries in kinds.items():
            for worker in workers.values():
                worker.ask("take", queries=queries)
            _compare(context, f"{task}, {kind}", workers, (documents, queries), port)
    context.report.notes.append(
        f"BM25: documents are windows of {WINDOW} tokens of real text; {QUESTIONS} have the different tokens of a real "
        f"query, stop words included; {KEYWORDS} the first two, three or four of these tokens that at most every "
        "tenth document holds; the ratio is that of the mean query; all have answered all queries once before they "
        "are timed, so what the store keeps of a term is there, as bm25s has every score from the start; bm25s as it "
        f"comes picks the best ten of all documents with numpy's argpartition, which takes up to thirty times as long "
        f"where few of them have a score (keywords) as where most have one; '{AMONG_SCORED}' has the same scores and "
        "picks among the documents that have one, so that ratio is the one that compares full-text searches"
    )


def _compare(context: Context, task: str, workers: Mapping[str, Worker], files: tuple[str, str], port: str) -> None:
    """Let all answer one kind of queries, in turns, and report the figures."""
    _check(context, task, files, workers[REFERENCE], workers[port])
    bm25s = workers[BM25S]
    runs = {name: partial(worker.ask, "run") for name, worker in workers.items()}
    runs[BM25S] = partial(bm25s.ask, "run", scored_only=False)
    runs[AMONG_SCORED] = partial(bm25s.ask, "run", scored_only=True)
    answers = take_turns(context, task, runs, 2 if context.quick else 3)
    for name in (*ANCHORS, REFERENCE, port):
        goals = REFERENCE_GOALS if name == REFERENCE else RUBY_GOALS
        anchor = name in ANCHORS
        found = () if anchor else tuple(speed(answers, one, name, goals.get(one)) for one in ANCHORS)
        context.report.rows.append(Row(task, name, figures(answers, name), found, anchor))


def term_files(context: Context, count: int, queries: int, width: int) -> tuple[str, dict[str, str]]:
    """The file of documents, and for each kind of queries its file.

    Args:
        context: of the run.
        count: how many documents.
        queries: how many queries of each kind at the most.
        width: how many tokens a document has.
    """
    tokenizer = Tokenizer()
    streams = texts.streams(context.collections, CHARACTERS // (20 if context.quick else 1), tokenizer)
    numbers: dict[str, int] = {}
    share = -(-count // len(streams))
    rows = [
        [numbers.setdefault(token, len(numbers)) for token in window]
        for place, stream in enumerate(streams)
        for window in texts.windows(stream, width, share, texts.SEED + place)
    ][:count]
    asked = [tokenizer.tokenize(query) for query in texts.queries(context.collections, queries)]
    whole = [[numbers[token] for token in dict.fromkeys(tokens) if token in numbers] for tokens in asked]
    holding = Counter(token for row in rows for token in set(row))
    rare = [[token for token in one if holding[token] * 10 <= count] for one in whole]
    few = [one[: 2 + place % 3] for place, one in enumerate(rare)]
    kinds = {
        KEYWORDS: context.write("keywords.jsonl", [one for one in few if one]),
        QUESTIONS: context.write("questions.jsonl", [one for one in whole if one]),
    }
    return context.write("documents.jsonl", rows), kinds


def _check(context: Context, task: str, files: tuple[str, str], reference: Worker, ruby: Worker) -> None:
    """Reference and port must give the same documents and bits, and those of the simple scorer."""
    context.say(f"{task}: comparing answers")
    found = reference.ask("answers")
    context.report.same(f"{task}: reference and port", found, ruby.ask("answers"))
    with Worker.python("simple_bm25") as simple:
        simple.ask("load", documents=files[0], queries=files[1])
        context.report.same(f"{task}: reference and the simple scorer", simple.ask("run"), found)


def figures(answers: Answers, name: str) -> tuple[tuple[str, str], ...]:
    """What a query took a contestant, for people."""
    rounds: list[Any] = [answer["cpu"] for answer in answers[name]]
    queries = [median(times) for times in zip(*rounds, strict=True)]
    return (
        ("p50", milliseconds(percentile(queries, 50))),
        ("p95", milliseconds(percentile(queries, 95))),
        ("mean", milliseconds(fmean(queries))),
    )

"""The hybrid rerank of a pool of candidates."""

from typing import Any

from conformance.bench import texts
from conformance.bench.context import Context
from conformance.bench.process import Worker
from conformance.bench.results import Row
from conformance.bench.timing import Spread
from conformance.bench.workloads.rounds import milliseconds, speed, take_turns, together
from hybrid_search.text.tokenizer import Tokenizer

RAGFLOW, REFERENCE = "RAGFlow's way", "Python"
PLAIN, STORED = "plain", "stored"
RUBY_GOALS = {STORED: 100.0}
WINDOW = 400
"""Tokens of a candidate, so many that RAGFlow's way takes as long as where the goals were set."""
NEARLY = 1e-9


def run(context: Context) -> None:
    """Compare milliseconds per question."""
    for size, rounds in ((16, 2),) if context.quick else ((64, 7), (1024, 3)):
        _pool(context, size, rounds)
    context.report.notes.append(
        f"rerank: candidates are windows of {WINDOW} tokens of real text with a title and a stored vector; the time of "
        "a question includes reading it, but for what its terms weigh, which is kept; 'stored' uses what the memory "
        "store made of a document when it was added and the cosines of its dense leg, 'plain' only the fields; the "
        "goal of the port is for 'stored'"
    )


def _pool(context: Context, size: int, rounds: int) -> None:
    task = f"hybrid rerank of {size:,} documents"
    context.say(f"{task}: making the pool")
    pool, questions = _files(context, size)
    port, ruby = context.port("rerank")
    reference = Worker.python("rerank")
    with together({RAGFLOW: Worker.python("ragflow"), "reference": reference, port: ruby}) as workers:
        for name, worker in workers.items():
            context.say(f"{task}: loading: {name}")
            worker.ask("load", pool=pool, questions=questions)
        repeats = 2 if context.quick else max(2, 4000 // size)
        runs = {
            RAGFLOW: lambda: workers[RAGFLOW].ask("run", repeats=1),
            f"{REFERENCE}, {PLAIN}": lambda: reference.ask("run", repeats=repeats, prepared=False),
            f"{REFERENCE}, {STORED}": lambda: reference.ask("run", repeats=repeats, prepared=True),
            f"{port}, {PLAIN}": lambda: ruby.ask("run", repeats=repeats, prepared=False),
            f"{port}, {STORED}": lambda: ruby.ask("run", repeats=repeats, prepared=True),
        }
        answers = take_turns(context, task, runs, rounds)
    expected = answers[f"{REFERENCE}, {PLAIN}"][0]["answers"]
    for name, given in answers.items():
        if name == RAGFLOW:
            context.report.same(f"{task}: {name} gives other numbers", [], _far(expected, given[0]["answers"]))
        else:
            context.report.same(f"{task}: {name} gives other bits", expected, given[0]["answers"])
        goal = None if name.startswith(REFERENCE) else RUBY_GOALS.get(name.rpartition(", ")[2])
        ratio = () if name == RAGFLOW else (speed(answers, RAGFLOW, name, goal),)
        time = Spread.of([answer["cpu"] for answer in given])
        figures = (("", f"{milliseconds(time.median)} ({milliseconds(time.least)}–{milliseconds(time.most)})"),)
        context.report.rows.append(Row(task, name, figures, ratio, name == RAGFLOW))


def _far(expected: list[dict[str, str]], given: list[dict[str, float]]) -> list[str]:
    """The candidates whose similarity is not nearly the same."""
    from hybrid_search.base import numeric

    return [
        identifier
        for one, other in zip(expected, given, strict=True)
        for identifier, bits in one.items()
        if abs(numeric.from_bits(bits) - other[identifier]) > NEARLY
    ]


def _files(context: Context, size: int) -> tuple[str, str]:
    """A Chinese and an English collection give candidates, two questions each."""
    usable = [one for one in context.collections if one.model is not None and one.vectors("corpus").shape[1] == 384]
    chosen = [
        kind[0] for chinese in (True, False) if (kind := [one for one in usable if one.is_chinese is chinese])
    ] or usable[:1]
    tokenizer = Tokenizer()
    pool: list[dict[str, Any]] = []
    questions: list[dict[str, Any]] = []
    for place, collection in enumerate(chosen):
        stream = texts.streams([collection], size * WINDOW * 2, tokenizer)[0]
        rows = collection.vectors("corpus")
        share = size // len(chosen)
        for number, window in enumerate(texts.windows(stream, WINDOW, share, texts.SEED + place)):
            document = number % len(rows)
            pool.append(
                {
                    "id": f"{collection.name}-{number:05}",
                    "content_ltks": " ".join(window),
                    "title_tks": " ".join(tokenizer.tokenize(collection.documents[document][0])),
                    "q_384_vec": rows[document].astype(float).tolist(),
                }
            )
        asked = collection.vectors("queries")
        for number in (0, len(collection.queries) // 2):
            questions.append({"text": collection.queries[number], "vector": asked[number].astype(float).tolist()})
    return context.write(f"pool{size}.jsonl", pool), context.write(f"questions{size}.jsonl", questions)

"""The calls that people make, next to what they would write instead: searches, pages, `add`, files, HTTP."""

import http.client
import importlib.util
import urllib.parse
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from statistics import median
from typing import Any

from conformance.bench import whole_data
from conformance.bench.context import Context
from conformance.bench.process import Worker
from conformance.bench.results import Comparison, Row
from conformance.bench.timing import Spread, percentile
from conformance.bench.whole_data import WholeData
from conformance.bench.workloads.rounds import Answers, milliseconds, take_turns, together
from conformance.errors import BrokenError

REFERENCE = "Python"
BM25S, SCORED, HAND, DEEP = "bm25s + PyStemmer", "bm25s, of scored", "bm25s + numpy, 100", "bm25s + numpy, 1,024"
TANTIVY, FTS5, LANCEDB = "tantivy", "SQLite FTS5", "LanceDB"
PACKAGES = {BM25S: ("bm25s", "Stemmer"), TANTIVY: ("tantivy",), FTS5: (), LANCEDB: ("lancedb",)}
SUBJECTS = {BM25S: "bm25s_by_hand", TANTIVY: "tantivy_by_hand", FTS5: "fts5_by_hand", LANCEDB: "lancedb"}
SIZES, QUICK_SIZES = (5_000, 20_000), (200,)
SCIFACT = 5_183
"""The number of documents for which the size of a file has its goal."""
PORT_GOAL_FROM, LARGE = 20_000, 100_000
FILE_GOAL = 35.0
IN_FILE = "english, in a file"


def run(context: Context) -> None:
    """Compare the calls at every size, and `add` at the smallest."""
    sizes = context.sizes or (QUICK_SIZES if context.quick else SIZES)
    anchors = anchors_of(context)
    for size in sizes:
        data = whole_data.made(context, size, 10 if context.quick else 100)
        context.report.notes.append(f"whole: {data.how}; {len(data.questions)} questions")
        Size(context, data, size, anchors).run()
    _adding(context, anchors, min(sizes))
    context.report.notes.append(
        "whole: CPU time of one process for each contestant, without threads of numpy; p50 and p95 over the questions, "
        "of the median of the rounds; ratios divide the p50 of a round by the other's; a page has 10 hits. An index "
        f"fuses the best 1,024 of each list and counts them, '{DEEP}' fuses as many, '{HAND}' only 100, as do the "
        "others, by ranks; bm25s by min-max. 'bm25s, of scored' selects only among documents that have a score. "
        "'page' is the second one, by cursor; 'first answer' opens a file in a new process with all modules loaded; "
        "'add' indexes documents without vectors and answers one question; the service and its client are two processes"
    )


def anchors_of(context: Context) -> dict[str, str]:
    """The anchors whose packages are installed, with their subjects; a note names the others."""
    found = {}
    for name, packages in PACKAGES.items():
        missing = [package for package in packages if importlib.util.find_spec(package) is None]
        if missing:
            context.report.notes.append(
                f"whole: {name} was not measured: {' and '.join(missing)} is missing (pip install -e '.[peers]')"
            )
        else:
            found[name] = SUBJECTS[name]
    return found


class Size:
    """The calls at one size.

    Args:
        context: of the run.
        data: documents and questions.
        documents: their number.
        anchors: name → subject.
    """

    def __init__(self, context: Context, data: WholeData, documents: int, anchors: Mapping[str, str]) -> None:
        self._context, self._data, self._documents, self._anchors = context, data, documents, anchors
        self._rounds = 1 if context.quick else 3

    def run(self) -> None:
        """Fill everything, then let the contestants take turns at each call."""
        self._port, ruby = self._context.port("whole_calls")
        self._workers = {REFERENCE: Worker.python("whole_calls"), self._port: ruby}
        self._workers |= {name: Worker.python(subject) for name, subject in self._anchors.items()}
        with together(self._workers):
            sizes = {}
            for name, worker in self._workers.items():
                self._context.say(f"whole, {self._documents:,} documents: filling: {name}")
                worker.ask("load", **self._data.files)
                sizes[name] = worker.ask("fill")["bytes"]
            self._searches()
            self._service()
        self._first_answers()
        self._files(sizes)

    def _searches(self) -> None:
        ours = (REFERENCE, self._port)
        text = self._ask("text search", {name: (name, "text") for name in self._workers} | self._scored())
        hybrid = self._ask("hybrid search", self._hybrids())
        others = self._ask(
            "second page and file",
            {f"{name}, {call}": (name, call) for name in ours for call in ("page", "file")},
        )
        for call, answers in (("text search", text), ("hybrid search", hybrid), ("second page and file", others)):
            for name, rounds in answers.items():
                self._row(call, name, rounds)
            self._same(call, answers)
        self._context.report.same(
            f"whole, {self._documents:,} documents: file and memory",
            hybrid[REFERENCE][0]["digest"],
            others[f"{REFERENCE}, file"][0]["digest"],
        )
        for name in ours:
            for other in text:
                if other not in ours:
                    goal = 3.0 if (name, other) == (REFERENCE, BM25S) else None
                    self._ratio("text search", name, other, text[name], text[other], goal)
        for name in ours:
            for other in hybrid:
                if other not in ours:
                    self._ratio(
                        "hybrid search", name, other, hybrid[name], hybrid[other], self._hybrid_goal(name, other)
                    )
        for call, answers in (("text search", text), ("hybrid search", hybrid)):
            goal = 2.0 if call == "hybrid search" and self._documents >= PORT_GOAL_FROM else None
            self._ratio(call, self._port, REFERENCE, answers[self._port], answers[REFERENCE], goal)
        for name in ours:
            goal = 2.0 if name == self._port and self._documents >= LARGE else None
            spread = Spread.of([percentile(one["cpu"], 95) / percentile(one["cpu"], 50) for one in hybrid[name]])
            self._compare("hybrid search, p95", name, "p50", spread, goal)
        for name in ours:
            self._ratio("page by cursor", name, "hybrid search", others[f"{name}, page"], hybrid[name], 1.1)
        for name in ours:
            self._ratio("hybrid search in a file", name, "in memory", others[f"{name}, file"], hybrid[name], 1.3)

    def _scored(self) -> dict[str, tuple[str, str]]:
        """bm25s as it comes, and selecting as its rows do by hand."""
        return {BM25S: (BM25S, "retrieve"), SCORED: (BM25S, "text")} if BM25S in self._anchors else {}

    def _hybrids(self) -> dict[str, tuple[str, str]]:
        found: dict[str, tuple[str, str]] = {}
        for name in self._workers:
            if name == BM25S:
                found |= {DEEP: (BM25S, "deep"), HAND: (BM25S, "hybrid")}
            else:
                found[f"{name} + numpy" if name in (TANTIVY, FTS5) else name] = (name, "hybrid")
        return found

    def _hybrid_goal(self, name: str, other: str) -> float | None:
        anchor = f"{TANTIVY} + numpy" if self._documents >= LARGE else DEEP
        wanted = self._documents >= LARGE or self._documents < PORT_GOAL_FROM
        return 1.0 if name == REFERENCE and other == anchor and wanted else None

    def _service(self) -> None:
        for name in (REFERENCE, self._port):
            worker = self._workers[name]
            self._context.say(f"whole, {self._documents:,} documents: HTTP: {name}")
            address = worker.ask("serve")
            _get(address, self._data.questions)
            speeds = []
            for _ in range(self._rounds):
                before = worker.ask("used")
                _get(address, self._data.questions)
                speeds.append(len(self._data.questions) / (worker.ask("used") - before))
            goal = 40.0 if self._documents == PORT_GOAL_FROM else None
            spread = Spread.of(speeds)
            self._compare("HTTP, hybrid, in a file", name, "", spread, goal, "requests/CPU s", at_least=True)

    def _first_answers(self) -> None:
        names = [REFERENCE, self._port, *(name for name in self._workers if name not in (REFERENCE, self._port))]
        answers: Answers = {name: [] for name in names}
        for place in range(2 if self._context.quick else 5):
            for name in names:
                self._context.say(f"whole, {self._documents:,} documents: first answer: {name}")
                with self._new(name) as worker:
                    worker.ask("load", **self._data.files)
                    answers[name].append(worker.ask("first", question=place))
        self._same("first answer", answers)
        for name, rounds in answers.items():
            self._row("open a file, first answer", name, [{"cpu": [one["cpu"] for one in rounds]}])
        for name in names[:2]:
            for other in names[2:]:
                spread = Spread.of(
                    [one["cpu"] / two["cpu"] for one, two in zip(answers[name], answers[other], strict=True)]
                )
                self._compare("open a file, first answer", name, other, spread)

    def _new(self, name: str) -> Worker:
        if name in self._anchors:
            return Worker.python(self._anchors[name])
        return Worker.python("whole_calls") if name == REFERENCE else self._context.port("whole_calls")[1]

    def _files(self, sizes: Mapping[str, int]) -> None:
        for name, count in sizes.items():
            if name != self._port:
                figure = count / 1e6
                ours = name == REFERENCE
                goal = round(FILE_GOAL * self._documents / SCIFACT, 1) if ours and self._documents <= SCIFACT else None
                who = "Python and Ruby" if ours else name
                self._compare("file with vectors", who, "", Spread(figure, figure, figure), goal, "MB")

    def _ask(self, what: str, ways: Mapping[str, tuple[str, str]]) -> Answers:
        runs = {name: partial(self._workers[who].ask, "run", call=call) for name, (who, call) in ways.items()}
        return take_turns(self._context, f"whole, {self._documents:,} documents: {what}", runs, self._rounds)

    def _same(self, call: str, answers: Answers) -> None:
        """Both languages must give the same bits."""
        for name in [one for one in answers if one.startswith(REFERENCE)]:
            port = answers[name.replace(REFERENCE, self._port, 1)]
            found = [[one["digest"] for one in rounds] for rounds in (answers[name], port)]
            self._context.report.same(f"whole, {self._documents:,} documents: {call}: both languages", *found)

    def _row(self, call: str, name: str, rounds: Sequence[dict[str, Any]]) -> None:
        times = [median(one) for one in zip(*(one["cpu"] for one in rounds), strict=True)]
        figures = tuple((f"p{percent}", milliseconds(percentile(times, percent))) for percent in (50, 95))
        self._context.report.rows.append(Row(f"{call}, {self._documents:,} documents", name, figures))

    def _ratio(
        self, call: str, name: str, other: str, rounds: Sequence[Any], others: Sequence[Any], goal: float | None
    ) -> None:
        pairs = zip(rounds, others, strict=True)
        spread = Spread.of([percentile(one["cpu"], 50) / percentile(two["cpu"], 50) for one, two in pairs])
        self._compare(call, name, other, spread, goal)

    def _compare(
        self,
        call: str,
        name: str,
        other: str,
        spread: Spread,
        goal: float | None = None,
        unit: str = "",
        at_least: bool = False,
    ) -> None:
        found = Comparison(call, self._documents, name, other, spread, unit, goal, at_least)
        self._context.report.comparisons.append(found)


def _adding(context: Context, anchors: Mapping[str, str], count: int) -> None:
    """Compare the adding of English and of mixed documents."""
    port = context.port("whole_calls")
    workers = {REFERENCE: Worker.python("whole_calls"), port[0]: port[1]}
    workers |= {name: Worker.python(subject) for name, subject in anchors.items()}
    question = context.collections[0].queries[0]
    made: Sequence[tuple[str, Callable[[Context, int], str | None], float, Sequence[str]]] = (
        ("english", whole_data.english, 3.0, list(anchors)),
        ("mixed", whole_data.mixed, 1.2, [BM25S]),
        (IN_FILE, whole_data.english, 3.0, [FTS5]),
    )
    with together(workers):
        for name in workers:
            if name == LANCEDB:
                workers[name].ask("load", **_nothing(context))
        for kind, make, goal, others in made:
            path = make(context, count)
            if path is None:
                context.report.notes.append(
                    "whole: --data has no collection in Chinese: mixed documents were not added"
                )
                continue
            chosen = {name: worker for name, worker in workers.items() if name not in anchors or name in others}
            runs = {
                name: partial(worker.ask, "add", records=path, kind=kind, question=question, in_file=kind == IN_FILE)
                for name, worker in chosen.items()
            }
            answers = take_turns(context, f"whole: adding {count:,} {kind} documents", runs, 1 if context.quick else 2)
            for name, rounds in answers.items():
                cpu = [one["cpu"] for one in rounds]
                figures = (("", milliseconds(median(cpu))), ("", f"{count / median(cpu):,.0f} documents/s"))
                context.report.rows.append(Row(f"add {kind}, {count:,} documents", name, figures))
            for name in (REFERENCE, port[0]):
                for other in others:
                    if other in answers:
                        spread = Spread.of(
                            [one["cpu"] / two["cpu"] for one, two in zip(answers[name], answers[other], strict=True)]
                        )
                        label = "bm25s + jieba" if kind == "mixed" else other
                        bound = goal if other == BM25S else None
                        found = Comparison(f"add, {kind}", count, name, label, spread, "", bound)
                        context.report.comparisons.append(found)


def _nothing(context: Context) -> dict[str, Any]:
    """What LanceDB loads where only its folder matters."""
    folder = context.folder / "adding"
    folder.mkdir()
    empty = context.write("adding/nothing", [])
    return {"records": empty, "vectors": empty, "questions": empty, "question_vectors": empty, "dimension": 1,
            "folder": str(folder)}  # fmt: skip


def _get(address: str, questions: Sequence[str]) -> None:
    """Ask a service all questions over one connection.

    Raises:
        BrokenError: a response is not a page.
    """
    connection = http.client.HTTPConnection(urllib.parse.urlsplit(address).netloc, timeout=60)
    for question in questions:
        connection.request("GET", f"/v1/search?q={urllib.parse.quote(question)}")
        response = connection.getresponse()
        body = response.read()
        if response.status != 200:
            raise BrokenError(f"whole: GET /v1/search: status {response.status}: {body[:200]!r}")
    connection.close()

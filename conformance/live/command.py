"""`python -m conformance --data DIR`: implementations live over whole collections, compared with the first of them."""

import argparse
import contextlib
import json
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from conformance.errors import BrokenError
from conformance.implementations import listing
from conformance.implementations.listing import Implementation
from conformance.judging import compare, runner
from conformance.judging.results import Result
from conformance.live import folders, wheel_corpus
from conformance.live.comparison import Comparison, medians
from conformance.live.folders import Folder
from conformance.live.session import FAILURES, STATUS, Session
from conformance.reports import summary, terminal
from conformance.reports.log import Event
from conformance.reports.outcome import CONFORMANT, NOT_CONFORMANT, report
from conformance.wire.child import Child

BASELINE = "python"
"""What others are compared with, unless the reference is named: it gives the same, only later."""
REFERENCE = "reference"
FIRST_OPERATION = "collection.load"
"""Implementations that are not listed to have it are not compared."""


def run(options: argparse.Namespace, chosen: list[Implementation], console: Console) -> int:
    """Compare; the exit status is that of the whole command."""
    began = time.monotonic()
    found, skipped = folders.find(options.data, options.collection, options.most_documents)
    chosen = [one for one in chosen if one.supports(FIRST_OPERATION) and (options.implementation or not one.slow)]
    named = [one.name for one in chosen]
    first = REFERENCE if REFERENCE in named else BASELINE
    reference = chosen[named.index(first)] if first in named else listing.load([first])[0]
    ports = [one for one in chosen if one.name != first]
    if not ports:
        raise BrokenError(f"there is no implementation to compare {first} with")
    for line in skipped:
        console.print(escape(line), soft_wrap=True)
    rows: list[list[str]] = []
    results: list[Result] = []
    with contextlib.ExitStack() as stack:
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        found = [_with_corpus(folder, options.wheel, scratch) for folder in found]
        children = [stack.enter_context(Child(one, options.live)) for one in [reference, *ports]]
        for folder in found:
            places, identifiers = _queries(folder, options)
            sessions = [Session(child, folder, options.depth) for child in children]
            with _progress(console, folder, sessions, len(places)) as advance:
                _side_by_side(sessions, places, advance)
            for session in sessions[1:]:
                results += _compare(str(options.data), folder, sessions[0], session, places, identifiers)
            rows.append(_row(folder, places, sessions, results))
            if not console.is_terminal and options.format == "table":
                console.print(escape(_line(rows[-1], sessions)), soft_wrap=True)
    if not results:
        raise BrokenError("no query is selected")
    status = NOT_CONFORMANT if any(result.counts for result in results) else CONFORMANT
    events: list[Event] = [
        {
            "type": "start",
            "seed": None,
            "tolerance": 0,
            "cases": len(results),
            "implementations": [one.name for one in ports],
        },
        *(result.event() for result in results),
        {"type": "end", "exit": status, "seconds": round(time.monotonic() - began, 3)},
    ]
    if options.format == "table":
        console.print(_table(rows, [child.implementation.name for child in children], console))
        for folder in found:
            if folder.note:
                console.print(f"{folder.name}: {folder.note}", soft_wrap=True)
    report(events, options.reports, options.format, console)
    return status


def _with_corpus(folder: Folder, wheels: list[str], scratch: Path) -> Folder:
    """The collection, or one made of the files in its wheel."""
    named = dict(wheel.split("=", 1) for wheel in wheels if "=" in wheel)
    if folder.path.name not in named or not wheel_corpus.wanted(folder.path):
        return folder
    made = wheel_corpus.build(folder.path, named[folder.path.name], scratch)
    return Folder(made, None, f"files of {named[folder.path.name]}, no embeddings: text leg and its pages only")


def _queries(folder: Folder, options: argparse.Namespace) -> tuple[list[int], list[str]]:
    lines = (folder.path / "queries.jsonl").read_text(encoding="utf-8").split("\n")
    identifiers = [json.loads(line)["_id"] for line in lines if line.strip()]
    if options.query:
        return [place for place, name in enumerate(identifiers) if name in options.query], identifiers
    return list(range(0, len(identifiers), options.sample)), identifiers


def _side_by_side(sessions: list[Session], places: list[int], advance: runner.Progress) -> None:
    """Every implementation works through the collection in a thread of its own."""

    def work(session: Session) -> None:
        try:
            answer = session.load()
            if "value" in answer:
                session.run(places, advance)
        except FAILURES as problem:
            session.answers.loaded = {"error": {"class": STATUS[type(problem)], "message": str(problem)}}

    threads = [threading.Thread(target=work, args=(session,)) for session in sessions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _compare(
    data: str, folder: Folder, reference: Session, port: Session, places: list[int], identifiers: list[str]
) -> list[Result]:
    comparison = Comparison(data, folder, reference, port)
    documents = comparison.documents()
    if documents.status == "error":
        return [documents]
    return [documents, *(comparison.query(place, identifiers[place]) for place in places)]


def _row(folder: Folder, places: list[int], sessions: list[Session], results: list[Result]) -> list[str]:
    own = [result for result in results if result.module == folder.name]
    value = sessions[0].answers.loaded.get("value", {})
    cells = [folder.name, str(value.get("documents", "?")), str(len(places))]
    cells.append(str(sum(result.counts for result in own)))
    cells.append(compare.told(summary.largest(own)).removesuffix(" ULP"))
    for session in sessions:
        median, late = medians(session.answers)
        total = session.answers.load_seconds + sum(session.answers.query_seconds.values())
        cells += [f"{session.answers.load_seconds:.1f}", f"{median * 1000:.0f}/{late * 1000:.0f}", f"{total:.1f}"]
    return cells


def _line(row: list[str], sessions: list[Session]) -> str:
    """A row as a sentence, for those who read a log."""
    name, documents, queries, differ, ulp, *times = row
    told = [f"{session.child.implementation.name} {times[3 * place + 2]} s" for place, session in enumerate(sessions)]
    found = f"{documents} documents, {queries} queries, {differ} differ, {ulp} ULP"
    return f"{name}: {found} ({', '.join(told)})"


def _table(rows: list[list[str]], names: list[str], console: Console) -> Table:
    table = terminal.new_table(console)
    table.caption = "s load: reading and indexing; ms a query: median/95th percentile"
    for title in ("collection", "documents", "queries", "differ", "ULP"):
        table.add_column(title, justify="left" if title == "collection" else "right")
    for name in names:
        for title in (f"{name}: s load", "ms a query", "s in all"):
            table.add_column(title, justify="right")
    for row in rows:
        colour = "green" if row[3] == "0" else "red"
        table.add_row(escape(row[0]), *row[1:3], f"[{colour}]{row[3]}[/]", *row[4:])
    return table


@contextlib.contextmanager
def _progress(console: Console, folder: Folder, sessions: list[Session], total: int) -> Iterator[runner.Progress]:
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bars:
        names = [session.child.implementation.name for session in sessions]
        tasks = {name: bars.add_task(f"{folder.name}: {name}", total=total) for name in names}
        yield lambda name, _status: bars.advance(tasks[name])

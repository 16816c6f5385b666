"""`bin/quality --data DIR`: how good the rankings are on any BEIR-style folder, in both languages."""

import argparse
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import Progress

from conformance.bench import extra
from conformance.errors import BrokenError
from conformance.implementations import listing
from conformance.implementations.python import codec, corpora
from conformance.live import folders, wheel_corpus
from conformance.live.folders import Folder
from conformance.live.session import FAILURES
from conformance.quality import baseline_runs, baselines, cited_sources, comparisons, tables
from conformance.quality.metrics import evaluate
from conformance.quality.ways import FUSED, WAYS, named
from conformance.reports.terminal import new_console
from conformance.wire.child import Child

LOAD_SECONDS = 900.0
QUERY_SECONDS = 120.0
REPORT_SECONDS = 60.0
"""How often a line tells how far it is where there is no terminal for bars."""

Rankings = dict[str, dict[str, list[str]]]
Row = tables.Row


def main(arguments: list[str] | None = None) -> int:
    """Run the command: 0 when the languages agree, 1 when they do not, 2 when it could not be found out."""
    options = _parser().parse_args(arguments)
    if options.format is None:
        options.format = "json" if options.compare and not sys.stdout.isatty() else "table"
    console = new_console(stderr=options.format != "table", soft_wrap=True)
    try:
        found, skipped = folders.find(options.data, options.collection)
        for line in skipped:
            console.print(line, markup=False)
        if options.citations:
            tables.plain(cited_sources.HEAD, list(cited_sources.rows(found)), options.format, console)
            return 0
        if options.compare:
            extra.need("bm25s", console.print)
        with tempfile.TemporaryDirectory() as scratch:
            found = [_with_corpus(folder, options.wheel, Path(scratch)) for folder in found]
            rows, compared, agree = _measure(options, found, console)
    except (BrokenError, *FAILURES) as problem:
        print(f"quality: {problem}", file=sys.stderr)
        return 2
    tables.show(rows, compared, options.format, console)
    return 0 if agree else 1


class _Boosts(argparse.Action):
    """Collects `name=boost` arguments in one object."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option_string: str | None = None) -> None:
        name, _, boost = str(values).partition("=")
        try:
            fields = {**(getattr(namespace, self.dest) or {}), name: float(boost)}
        except ValueError:
            parser.error(f"{option_string}: {values} must be a name and a number, as content_ltks=2")
        setattr(namespace, self.dest, fields)


def _with_corpus(folder: Folder, wheels: list[str], target: Path) -> Folder:
    """The collection, or one with the corpus that its wheel gives."""
    named = dict(wheel.split("=", 1) for wheel in wheels if "=" in wheel)
    if folder.path.name not in named or not wheel_corpus.wanted(folder.path):
        return folder
    return Folder(wheel_corpus.build(folder.path, named[folder.path.name], target), None)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="conformance quality",
        description="nDCG@10, Recall@50 and MRR@10 of every way of searching, in every implementation.",
    )
    parser.add_argument("--data", type=Path, required=True, help="a BEIR-style collection, or a folder of such")
    parser.add_argument("--collection", action="append", default=[], help="only this collection (may be repeated)")
    parser.add_argument(
        "--wheel",
        action="append",
        default=[],
        metavar="NAME=REQUIREMENT",
        help="the wheel that holds the files of a collection's manifest.tsv, as swe_django=django==3.0",
    )
    parser.add_argument(
        "--way",
        action="extend",
        type=named,
        metavar="NAME",
        help=f"only this way of searching (may be repeated): {', '.join(WAYS)}; Dify stands for the last four, and "
        "Dify V/K, as Dify 0.9/0.1, for any weights of vectors and keywords",
    )
    parser.add_argument(
        "--sample",
        type=_count,
        metavar="K",
        help="only K queries of a collection, evenly spread over its file; for a quick look",
    )
    parser.add_argument("--weights", default="0.05,0.95", help="weights of text and dense leg (default %(default)s)")
    parser.add_argument(
        "--vector-similarity-weight", type=float, default=0.3, help="the vectors' share in the rerank (%(default)s)"
    )
    parser.add_argument(
        "--field",
        action=_Boosts,
        metavar="NAME=BOOST",
        help="a field that text queries look in, with its boost, in the place of RAGFlow's (may be repeated)",
    )
    parser.add_argument(
        "--implementation",
        action="append",
        default=None,
        help="only this implementation (may be repeated; default: all but the plain ones, which take long)",
    )
    parser.add_argument(
        "--compare",
        action="store_true",
        help=f"also compare {', '.join(FUSED)}, as far as they are asked for, with all other ways asked for and with "
        f"the public baselines: the mean difference in nDCG@10 and its {100 * comparisons.LEVEL:.0f} %% interval, by "
        f"paired bootstrap ({comparisons.RESAMPLES:,} resamples of the queries, seeded)",
    )
    parser.add_argument(
        "--citations",
        action="store_true",
        help="instead, precision and recall of the sources of answers that are made of queries (Python only)",
    )
    parser.add_argument(
        "--format",
        choices=("table", "markdown", "json"),
        help="how the result is printed (default: table; with --compare json where the output is no terminal)",
    )
    return parser


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) > 0):
        raise argparse.ArgumentTypeError(f"{text!r} must be a whole number, at least 1")
    return int(text)


def _measure(options: argparse.Namespace, found: list[Folder], console: Console) -> tuple[list[Row], list[Row], bool]:
    """A row a collection and way, a row a comparison, and whether the languages agree."""
    rows: list[Row] = []
    compared: list[Row] = []
    agree = True
    children = [Child(one) for one in listing.for_collections(options.implementation, "quality.load")]
    try:
        for folder in found:
            if not (folder.path / "corpus.jsonl").is_file():
                console.print(f"{folder.name}: skipped, it has no corpus.jsonl", markup=False)
                continue
            collection = corpora.Collection(folder.path, folder.model)
            places = _places(len(collection.queries), options.sample)
            asked = {collection.queries[place]["_id"]: place for place in places}
            rankings = _rankings(children, folder, options, asked)
            judged = collection.qrels
            if options.sample:
                judged = {query: grades for query, grades in judged.items() if query in asked}
            stated = baselines.read(folder.path)
            first = rankings[children[0].implementation.name]
            for way in (way for way in _ways(options) if way in first):
                scores = {name: evaluate(ways[way], judged) for name, ways in rankings.items()}
                same = all(ways[way] == first[way] for ways in rankings.values())
                agree = agree and same
                baseline = baselines.of(stated, folder.model, way)
                row = {"collection": folder.name, "way": way, "scores": scores, "same": same, "baseline": baseline}
                rows.append(row | {"asked": len(places), "queries": len(collection.queries)})
            if options.compare:
                others = baseline_runs.rankings(collection, asked)
                compared += comparisons.compare(folder.name, first | others, judged)
    finally:
        for child in children:
            child.close()
    return rows, compared, agree


def _rankings(
    children: list[Child], folder: Folder, options: argparse.Namespace, asked: dict[str, int]
) -> dict[str, Rankings]:
    """Implementation → way → query id → document ids; the implementations work at the same time.

    Args:
        children: the implementations.
        folder: the collection.
        options: of the command.
        asked: query id → its place in the file, for all queries that are searched.
    """
    share = codec.encode(options.vector_similarity_weight)
    params = {"ways": _ways(options), "weights": options.weights, "vector_similarity_weight": share}
    results: dict[str, Rankings] = {}
    problems: list[BaseException] = []
    notes = Console(stderr=True, soft_wrap=True)
    with Progress(console=notes, transient=True, disable=not notes.is_terminal) as bars:

        def work(child: Child) -> None:
            name = child.implementation.name
            task = bars.add_task(f"{folder.name}: {name}", total=len(asked))
            ways: Rankings = {}
            told = time.monotonic()
            try:
                setting = {"model": folder.model, "fields": codec.encode(options.field)}
                _value(child.ask("quality.load", setting, {"path": str(folder.path)}, False, LOAD_SECONDS))
                for done, (query, place) in enumerate(asked.items(), start=1):
                    answer = _value(child.ask("quality.rankings", params, {"query": place}, False, QUERY_SECONDS))
                    for way, ids in answer.items():
                        ways.setdefault(way, {})[query] = ids
                    bars.advance(task)
                    if bars.disable and time.monotonic() - told >= REPORT_SECONDS:
                        told = time.monotonic()
                        notes.print(f"{folder.name}: {name}: {done} of {len(asked)} queries", markup=False)
            except (BrokenError, *FAILURES) as problem:
                problems.append(problem)
            results[name] = ways

        threads = [threading.Thread(target=work, args=(child,)) for child in children]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    if problems:
        raise problems[0]
    return {child.implementation.name: results[child.implementation.name] for child in children}


def _places(count: int, sample: int | None) -> list[int]:
    """The places of the queries asked: all, or as many as wanted, evenly spread."""
    wanted = min(sample or count, count)
    return [index * count // wanted for index in range(wanted)]


def _ways(options: argparse.Namespace) -> list[str]:
    """The names of the ways asked for, in order, each once; all of them when none is named."""
    return list(dict.fromkeys(options.way or WAYS))


def _value(answer: dict[str, Any]) -> Any:
    if "value" not in answer:
        raise BrokenError(f"{answer.get('error') or answer.get('unsupported')}")
    return answer["value"]

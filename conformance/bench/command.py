"""Times the reference and the Ruby port against named anchors, and shows ratios.

Every ratio compares two timings of one run: anchor and candidates take turns, several rounds, and the median counts
(shown with the lowest and the highest). Ratios are of processor time, which a busy machine disturbs least; those by the
clock stand beside them. What the contestants answer is compared too. Goals that are missed are shown as missed.

tasks (--only): whole, native, scale, segmentation, dictionary, keywords, bm25, bm25f, rerank, weighted, store, files,
convergence, cold, crowd, overlap, foreign, postgres, opensearch

Exit status: 0 measured, whatever the figures; 1 results differ that must be equal; 2 something is broken, or the run
was interrupted (what was measured until then is shown).
"""

import argparse
import signal
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console

from conformance.bench import against, table, texts
from conformance.bench.context import Context
from conformance.bench.results import Report
from conformance.bench.workloads import (
    bm25,
    bm25f,
    cluster,
    cold,
    convergence,
    crowd,
    dictionary,
    foreign_writes,
    index_files,
    keywords,
    native,
    overlap,
    rerank,
    scale,
    segmentation,
    store,
    stores,
    weighted,
    whole,
)
from conformance.command_line import CommandParser
from conformance.errors import BrokenError
from conformance.paths import CORPORA
from conformance.reports.terminal import new_console

WORKLOADS = {
    "whole": whole.run,
    "native": native.run,
    "scale": scale.run,
    "segmentation": segmentation.run,
    "dictionary": dictionary.run,
    "keywords": keywords.run,
    "bm25": bm25.run,
    "bm25f": bm25f.run,
    "rerank": rerank.run,
    "weighted": weighted.run,
    "store": store.run,
    "files": index_files.run,
    "convergence": convergence.run,
    "cold": cold.run,
    "crowd": crowd.run,
    "overlap": overlap.run,
    "foreign": foreign_writes.run,
    "postgres": stores.run,
    "opensearch": cluster.run,
}
MEASURED, DIFFERENT, BROKEN = 0, 1, 2


def parser() -> argparse.ArgumentParser:
    """The command line."""
    result = CommandParser("bench", __doc__)
    result.add_argument(
        "--data",
        type=Path,
        metavar="DIR",
        help="a BEIR-style collection or a folder of such; without it the small corpora of the project are used, "
        "which says less about real use",
    )
    result.add_argument(
        "--only",
        action="append",
        default=[],
        choices=list(WORKLOADS),
        metavar="TASK",
        help="only this task; repeatable",
    )
    result.add_argument(
        "--documents",
        type=int,
        metavar="N",
        help="the number of documents in each store for the tasks foreign, postgres and opensearch, instead of 20,000; "
        "from 50,000 on they insert 2,000 at once instead of 500, and the last two ask every question twice instead of "
        "four times; the first time does not count",
    )
    result.add_argument(
        "--sizes",
        type=_sizes,
        default=(),
        metavar="N,…",
        help="the numbers of documents of the tasks whole, native and scale, one run each, instead of 5000,20000; of "
        "scale instead of 20000,200000",
    )
    result.add_argument(
        "--against",
        metavar="COMMIT",
        help="compare the checkout with this commit: both run the tasks in turns, three times (once with --quick), "
        "and their ratios to the same anchors are divided; the goal is 0.95",
    )
    result.add_argument("--quick", action="store_true", help="small sizes and few rounds: does it run, not how fast")
    result.add_argument(
        "--format",
        choices=table.FORMATS,
        help="how the result is printed; without it a table on a terminal, and JSON in a file or a pipe",
    )
    return result


def _sizes(text: str) -> tuple[int, ...]:
    sizes = tuple(sorted({int(one) for one in text.split(",")}))
    if sizes[0] < 1:
        raise ValueError
    return sizes


def _flags(options: argparse.Namespace) -> list[str]:
    """The flags of both runs of `--against`, without those that the other commit does not know."""
    data = [] if options.data is None else ["--data", str(options.data.absolute())]
    only = [text for task in options.only for text in ("--only", task)]
    return [*data, *only, *(["--quick"] if options.quick else [])]


def main(arguments: list[str] | None = None) -> int:
    """Run the command; gives the exit status."""
    options = parser().parse_args(arguments)
    if options.documents is not None and options.documents < 1:
        raise BrokenError("--documents must be at least 1")
    form = options.format or ("table" if sys.stdout.isatty() else "json")
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    progress = Console(stderr=True, highlight=False)
    report = Report()
    began = time.monotonic()
    try:
        if options.against is not None:
            against.run(options.against, _flags(options), 1 if options.quick else 3, report, progress.print)
            table.show(report, form, new_console())
            return MEASURED
        data = texts.load(CORPORA if options.data is None else options.data)
        report.notes.append(
            "text: the project's own corpora (no --data given), repeated where they are too small"
            if options.data is None
            else f"text: {', '.join(one.name for one in data)}"
        )
        with tempfile.TemporaryDirectory(prefix="bench-") as folder, progress.status("") as status:

            def say(text: str) -> None:
                status.update(text)
                if not progress.is_terminal:
                    progress.print(f"[{time.monotonic() - began:4.0f} s] {text}", markup=False, soft_wrap=True)

            context = Context(data, Path(folder), options.quick, options.documents, report, say, options.sizes)
            for name, run in WORKLOADS.items():
                if not options.only or name in options.only:
                    run(context)
    except BrokenError as problem:
        print(f"bench: {problem}", file=sys.stderr)
        if report.comparisons or report.rows:
            report.notes.append("broken off: what is missing was not measured")
            table.show(report, form, new_console())
        return BROKEN
    except KeyboardInterrupt:
        report.notes.append("interrupted: what is missing was not measured")
        table.show(report, form, new_console())
        return BROKEN
    report.notes.append(f"measured in {time.monotonic() - began:.0f} s" + (", with --quick" if options.quick else ""))
    table.show(report, form, new_console())
    return DIFFERENT if report.differences else MEASURED

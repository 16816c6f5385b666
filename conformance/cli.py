"""The command: `python -m conformance` (or `bin/conformance`).

Exit status: 0 all conformant, 1 not conformant, 2 the harness or its fixtures are broken, or nothing was selected.
"""

import argparse
import contextlib
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from conformance import fixtures, implementations, known, lint, runner
from conformance.errors import BrokenError
from conformance.fixtures import Selection
from conformance.implementations import Implementation
from conformance.paths import FIXTURES, REPORTS
from conformance.reports import junit, log, summary, terminal
from conformance.reports.log import Event

CONFORMANT, NOT_CONFORMANT, BROKEN = 0, 1, 2
PLAIN_WIDTH = 160
"""How wide tables may be where the output goes to a file or a pipe."""


def parser() -> argparse.ArgumentParser:
    """The command line."""
    result = argparse.ArgumentParser(
        prog="conformance", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    chosen = result.add_argument_group("which cases")
    chosen.add_argument("--module", action="append", default=[], metavar="M", help="modules, may hold *")
    chosen.add_argument("--case", action="append", default=[], metavar="ID", help="case ids, may hold *")
    chosen.add_argument("--clause", action="append", default=[], metavar="C", help="clauses, as FUS-2")
    chosen.add_argument("--flag", action="append", default=[], metavar="F", help="flags, as near_tie")
    chosen.add_argument("--implementation", action="append", default=[], metavar="I", help="implementations")
    chosen.add_argument("--fixtures", type=Path, default=FIXTURES, metavar="DIR", help="another folder of fixtures")
    how = result.add_argument_group("how")
    how.add_argument("--seed", type=int, default=runner.Options.seed, help="of the shuffled second pass")
    how.add_argument("--no-shuffle", action="store_true", help="one pass only, in file order")
    how.add_argument("--ulp", type=int, default=0, metavar="N", help="tolerate N ULP everywhere (default 0)")
    how.add_argument("--live", action="store_true", help="show what implementations write to stderr")
    how.add_argument("--lint", action="store_true", help="only check fixtures, clauses and flags; run nothing")
    how.add_argument("--list", action="store_true", help="only list the selected cases")
    out = result.add_argument_group("reports")
    out.add_argument("--format", choices=["table", "json"], default="table", help="what is printed")
    out.add_argument("--reports", type=Path, default=REPORTS, metavar="DIR", help="where reports are written")
    data = result.add_argument_group("live comparison of reference and port")
    data.add_argument("--data", type=Path, metavar="DIR", help="a collection with embeddings, or a folder of such")
    data.add_argument("--sample", type=int, default=1, metavar="K", help="only every K-th query")
    data.add_argument(
        "--depth",
        type=int,
        metavar="N",
        help="walk the pages of N candidates of every query (default: 1024 of one in 32, 128 of the others)",
    )
    data.add_argument(
        "--wheel",
        action="append",
        default=[],
        metavar="NAME=REQUIREMENT",
        help="the wheel that holds the files of a collection's manifest.tsv, as swe_django=django==3.0",
    )
    data.add_argument("--query", action="append", default=[], metavar="ID", help="only these queries")
    data.add_argument("--collection", action="append", default=[], metavar="NAME", help="only these collections")
    return result


def main(arguments: list[str] | None = None) -> int:
    """Run the command."""
    options = parser().parse_args(arguments)
    console = Console(stderr=options.format == "json", highlight=False)
    if not console.is_terminal:
        console.width = PLAIN_WIDTH
    try:
        if options.ulp < 0 or options.sample < 1 or (options.depth is not None and options.depth < 1):
            raise BrokenError("--ulp must be at least 0, --sample and --depth at least 1")
        chosen = implementations.load(options.implementation or None)
        if options.data is not None:
            from conformance.live import command

            return command.run(options, chosen, console)
        return _run(options, chosen, console)
    except BrokenError as problem:
        print(f"conformance: {problem}", file=sys.stderr)
        return BROKEN


def _run(options: argparse.Namespace, chosen: list[Implementation], console: Console) -> int:
    began = time.monotonic()
    loaded = fixtures.load(options.fixtures, tuple(options.module))
    selection = Selection(tuple(options.module), tuple(options.case), tuple(options.clause), tuple(options.flag))
    cases = [case for case in loaded.cases if selection.takes(case)]
    problems = loaded.problems + lint.problems(loaded.cases, complete=not options.module)
    if options.list:
        for case in cases:
            print(f"{case.id}\t{' '.join(case.clauses)}\t{case.summary}")
    if options.list or options.lint:
        for problem in problems:
            print(f"problem: {problem}", file=sys.stderr)
        return BROKEN if problems or not cases else CONFORMANT
    if not cases:
        problems.append("no case is selected")
    entries = known.load()
    if selection == Selection():
        every = [one.name for one in implementations.load()]
        problems += known.without_case(entries, [case.id for case in loaded.cases], every)
    run_options = runner.Options(options.seed, not options.no_shuffle, options.ulp, options.live)
    with _progress(console, chosen, len(cases) * (2 if run_options.shuffle else 1)) as advance:
        runs = runner.run(chosen, cases, run_options, entries, advance)
    failed = any(result.counts for one in runs for result in one.results)
    status = BROKEN if problems else NOT_CONFORMANT if failed else CONFORMANT
    events: list[Event] = [
        {
            "type": "start",
            "seed": options.seed,
            "tolerance": options.ulp,
            "cases": len(cases),
            "implementations": [one.implementation.name for one in runs],
        },
        *({"type": "problem", "message": problem} for problem in problems),
        *(result.event() for one in runs for result in one.results),
        *(_implementation_event(one) for one in runs),
        {"type": "end", "exit": status, "seconds": round(time.monotonic() - began, 3)},
    ]
    report(events, options.reports, options.format, console)
    return status


def report(events: list[Event], folder: Path, form: str, console: Console) -> None:
    """Write every report from the events, and print the summary."""
    parsed = log.parse(events)
    log.write(folder / "log.jsonl", events)
    summary.write(folder / "summary.json", parsed)
    junit.write(folder / "junit.xml", parsed)
    if form == "json":
        sys.stdout.write((folder / "summary.json").read_text(encoding="utf-8"))
    else:
        terminal.show(parsed, console)


def _implementation_event(one: runner.ImplementationRun) -> Event:
    greeting = one.greeting
    return {
        "type": "implementation",
        "name": one.implementation.name,
        "language": greeting.get("language"),
        "version": greeting.get("version"),
        "versions": greeting.get("versions", {}),
        "starts": one.starts,
        "run_seconds": round(one.seconds, 3),
    }


@contextlib.contextmanager
def _progress(console: Console, chosen: list[Implementation], total: int) -> Iterator[runner.Progress]:
    """A progress bar for each implementation, where a person watches."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bars:
        tasks = {one.name: bars.add_task(one.name, total=total) for one in chosen}
        yield lambda name, _status: bars.advance(tasks[name])

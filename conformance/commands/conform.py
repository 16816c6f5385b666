"""The suite itself: asks the implementations the cases, and judges their answers."""

import argparse
import contextlib
import dataclasses
import json
import secrets
import sys
import time
from collections.abc import Iterator

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from conformance.cases import fixtures, lint
from conformance.cases.fixtures import Case, Selection
from conformance.commands.arguments import parser
from conformance.errors import BrokenError
from conformance.fuzz import ending
from conformance.fuzz.ending import Ending
from conformance.implementations import listing
from conformance.implementations.listing import Implementation
from conformance.judging import known, runner, suspects
from conformance.reports import previous
from conformance.reports.log import Event
from conformance.reports.outcome import BROKEN, CONFORMANT, NOT_CONFORMANT, exit_status, report
from conformance.reports.terminal import new_console

DRAWN_SECONDS = 300.0
"""How long drawn cases may take; those that are left are not drawn."""


def main(arguments: list[str]) -> int:
    """Run the command; what is wrong with the harness or its fixtures is raised as a `BrokenError`."""
    options = parser().parse_args(arguments)
    console = new_console(stderr=options.format != "table")
    if options.ulp < 0 or (options.depth is not None and options.depth < 1):
        raise BrokenError("--ulp must be at least 0, --depth at least 1")
    if min(options.sample, options.shuffle_sample, options.slow_sample) < 1:
        raise BrokenError("--sample, --shuffle-sample and --slow-sample must be at least 1")
    if options.timeout is not None and not 0 < options.timeout < 1e6:
        raise BrokenError("--timeout must be seconds above 0")
    if options.drawn < 0:
        raise BrokenError("--drawn must be at least 0")
    if not options.budget > 0:
        raise BrokenError("--budget must be seconds above 0")
    if options.list or options.lint:
        return _only_look(options)
    chosen = listing.load(options.implementation or None, options.implementations_from)
    chosen, left_out = listing.installed(chosen, bool(options.implementation))
    if options.timeout is not None:
        chosen = [dataclasses.replace(one, timeout=options.timeout) for one in chosen]
    if options.data is not None:
        from conformance.live import command

        return command.run(options, chosen, console)
    status = _run(options, chosen, left_out, console)
    for line in left_out:
        console.print(f"[yellow]{escape(line)}[/]", soft_wrap=True)
    return status


def _select(options: argparse.Namespace) -> tuple[list[Case], list[Case], list[str]]:
    """The selected cases, all that were loaded, and what is wrong with files, cases or selection."""
    loaded = fixtures.load(options.fixtures, tuple(options.module))
    selection = Selection(tuple(options.module), tuple(options.case), tuple(options.clause), tuple(options.flag))
    cases = [case for case in loaded.cases if selection.takes(case)]
    problems = loaded.problems + lint.problems(loaded.cases, complete=not options.module)
    problems += selection.without_case(loaded.cases)
    if not cases:
        problems.append("no case is selected")
    return cases, loaded.cases, problems


def _only_look(options: argparse.Namespace) -> int:
    cases, _, problems = _select(options)
    if options.list:
        for case in cases:
            print(_listed(case, options.format))
    for problem in problems:
        print(f"problem: {problem}", file=sys.stderr)
    return BROKEN if problems else CONFORMANT


def _listed(case: Case, form: str) -> str:
    if form == "table":
        return f"{case.id}\t{' '.join(case.clauses)}\t{case.summary}"
    keys = ("id", "operation", "path", "clauses", "flags", "level", "summary")
    return json.dumps({key: getattr(case, key) for key in keys}, ensure_ascii=False)


def _run(options: argparse.Namespace, chosen: list[Implementation], left_out: list[str], console: Console) -> int:
    began = time.monotonic()
    cases, every_case, problems = _select(options)
    entries = known.load()
    if len(cases) == len(every_case) and not options.module:
        problems += known.without_case(entries, [case.id for case in every_case], listing.names())
    other_list = options.implementations_from != listing.LIST
    again = ("--implementations-from", str(options.implementations_from)) if other_list else ()
    run_options = runner.Options(
        seed=runner.Options.seed if options.seed is None else options.seed,
        shuffle=not options.no_shuffle,
        shuffle_slow=not options.no_slow_shuffle,
        shuffle_sample=options.shuffle_sample,
        slow_sample=options.slow_sample,
        tolerance=options.ulp,
        live=options.live,
        again=again,
        budget=options.budget,
    )
    with _progress(console, [one.name for one in chosen], len(cases) * (2 if run_options.shuffle else 1)) as advance:
        runs = runner.run(chosen, cases, run_options, entries, advance)
    status = exit_status(problems, runs)
    drawn = _ending(options, chosen, cases, status, console)
    if drawn.findings:
        status = NOT_CONFORMANT
    before = previous.failures(options.reports)
    events: list[Event] = [
        {
            "type": "start",
            "seed": run_options.seed,
            "shuffled": [one.implementation.name for one in runs if run_options.shuffles(one.implementation)],
            "once": len(cases) - len(run_options.shuffled(cases)) if run_options.shuffle else 0,
            "partly": [one.implementation.name for one in runs if len(one.results) < len(cases)],
            "tolerance": options.ulp,
            "cases": len(cases),
            "implementations": [one.implementation.name for one in runs],
        },
        *({"type": "problem", "message": problem} for problem in problems),
        *({"type": "left out", "message": line} for line in left_out),
        *(result.event() for one in runs for result in one.results),
        *(_implementation_event(one) for one in runs),
        *_since(before, runs),
        *_suspects(runs, cases),
        {"type": "drawn", **dataclasses.asdict(drawn)},
        {"type": "end", "exit": status, "seconds": round(time.monotonic() - began, 3)},
    ]
    report(events, options.reports, options.format, console)
    return status


def _ending(
    options: argparse.Namespace, chosen: list[Implementation], cases: list[Case], status: int, console: Console
) -> Ending:
    """The cases that are drawn at the end, if the others are right."""
    if not options.drawn:
        return Ending(reason="--drawn 0")
    if options.case or options.clause or options.flag:
        return Ending(reason="single cases are selected")
    if options.ulp:
        return Ending(reason="--ulp tolerates other bits")
    if status != CONFORMANT:
        return Ending(reason="cases of the fixtures are wrong")
    seed = secrets.randbelow(2**32) if options.seed is None else options.seed
    with _progress(console, ["drawn cases"], options.drawn) as advance:
        return ending.run(chosen, cases, options.drawn, seed, DRAWN_SECONDS, lambda: advance("drawn cases", ""))


def _since(before: dict[tuple[str, str], bool] | None, runs: list[runner.ImplementationRun]) -> list[Event]:
    """What is otherwise since the run before, as an event; none where there was no run."""
    if before is None:
        return []
    change = previous.since(before, [result for one in runs for result in one.results])
    return [{"type": "since", **dataclasses.asdict(change)}]


def _suspects(runs: list[runner.ImplementationRun], cases: list[Case]) -> list[Event]:
    """Which functions the failures point to, as an event; none where they point to nothing."""
    found = suspects.find([result for one in runs for result in one.results], cases, _wrong_kernels(runs))
    return [{"type": "suspects", **dataclasses.asdict(found)}] if found.mistakes else []


def _wrong_kernels(runs: list[runner.ImplementationRun]) -> tuple[str, ...]:
    """Plain ones where an implementation with these is wrong, fast ones where none is that has these; else either."""
    plain = [one for one in runs if dict(one.implementation.environment).get(suspects.KERNELS) == suspects.PLAIN]
    if any(result.counts for one in plain for result in one.results):
        return (suspects.PLAIN,)
    return (suspects.FAST,) if plain else (suspects.FAST, suspects.PLAIN)


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
def _progress(console: Console, names: list[str], total: int) -> Iterator[runner.Progress]:
    """A progress bar for each implementation, where a person watches."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bars:
        tasks = {name: bars.add_task(name, total=total) for name in names}
        yield lambda name, _status: bars.advance(tasks[name])

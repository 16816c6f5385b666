"""`bin/conformance mutants`: shows that no wrong line goes unnoticed (CNF-19)."""

import argparse
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase

from rich.console import Console

from conformance.cases import fixtures
from conformance.cases.fixtures import Case
from conformance.command_line import CommandParser
from conformance.errors import BrokenError
from conformance.implementations import listing
from conformance.mutants import check, drawing, equivalents, killers, reached, survivors, table, unique
from conformance.mutants.check import Fate
from conformance.mutants.table import KINDS, SOURCES, Mutant
from conformance.paths import ROOT
from conformance.reports import terminal
from conformance.reports.counter import Counter

DESCRIPTION = """\
Makes one small change at a time in the reference or the port, in a copy, and asks the fixtures' cases until one is not
as expected. Some mutants are written by hand, in conformance/mutants/lists/, one file an area. The others are drawn
from the sources with a seed. The suite is in order when every mutant of the lists is noticed, but those of
conformance/mutants/survivors.yml, and at least 75 % of the drawn ones.
"""
EPILOG = "exit status: 0 as it must be, 1 not so, 2 the lists or the fixtures are broken"
WRITTEN, DRAWN = "written", "drawn"


def parser() -> argparse.ArgumentParser:
    """The parser of the command line."""
    result = CommandParser("mutants", DESCRIPTION, EPILOG)
    result.add_argument("--name", action="append", default=[], metavar="NAME", help="only these; may hold * (repeat)")
    result.add_argument("--area", action="append", default=[], metavar="AREA", help="only these areas (repeat)")
    result.add_argument("--language", choices=sorted(SOURCES), help="only those of the reference, or of the port")
    result.add_argument(
        "--changed",
        nargs="?",
        const="HEAD",
        metavar="COMMIT",
        help="only mutants of files that differ from a commit, by default the last one",
    )
    result.add_argument("--only", choices=(WRITTEN, DRAWN), help="only those of the lists, or those that are drawn")
    result.add_argument("--list", action="store_true", help="only list the mutants; run nothing")
    result.add_argument(
        "--quick",
        action="store_true",
        help="ask only the case that noticed it last, and those of its list or function; survivors mean nothing then",
    )
    result.add_argument(
        "--unique",
        action="store_true",
        help="find the two quickest cases that notice each mutant of the lists, and show which cases are alone and "
        "which slow ones are idle; with the times of the last run, in a cache outside git",
    )
    result.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="the number of those that run at once")
    result.add_argument("--kind", action="append", default=[], choices=tuple(KINDS), help="only these kinds (repeat)")
    result.add_argument(
        "--count",
        type=int,
        metavar="N",
        help=f"the number of drawn mutants (default {drawing.COUNT}; with --changed {drawing.OF_A_FILE} a file)",
    )
    result.add_argument("--seed", default="1", help="what they are drawn with (default 1)")
    return result


def main(arguments: list[str]) -> int:
    """Run the command."""
    options = parser().parse_args(arguments)
    if options.jobs < 1:
        raise BrokenError("--jobs must be at least 1")
    if options.count is not None and options.count < 0:
        raise BrokenError("--count must be at least 0")
    reasons = survivors.load()
    loaded = fixtures.load()
    written = table.load()
    chosen = select(written, loaded.cases, options)
    console = terminal.new_console()
    if options.list:
        for mutant in chosen:
            print(f"{mutant.name}\t{mutant.does}")
        return 0
    chosen, left_out = possible(chosen)
    for line in left_out:
        console.print(line, markup=False, soft_wrap=True)
    if not chosen:
        raise BrokenError("none of the mutants can be run")
    if options.unique:
        return _unique(chosen, loaded.cases, options.jobs, console)
    began = time.monotonic()
    first = killers.load()
    counter = Counter(len(chosen))

    def tell(fate: Fate) -> None:
        counter.done(fate.mutant.name)
        if says(fate, options) and (line := survivors.surprise(reasons, fate)) is not None:
            counter.say(f"{fate.mutant.name}: {line}")

    # Survivors are asked every case: last, so that whatever is not as it should be is shown early.
    chosen.sort(key=lambda mutant: mutant.name in reasons)
    fates = check.run_all(chosen, loaded.cases, first, options.jobs, tell, options.quick)
    killers.remember(fates)
    known = [fate for fate in fates if says(fate, options)]
    show(fates, console)
    for fate in (fate for fate in fates if fate.killed_by is None and not fate.broken):
        if fate not in known or fate.mutant.is_drawn:
            console.print(f"{fate.mutant.name} survives: {fate.mutant.does}", markup=False, soft_wrap=True)
    problems = survivors.surprises(reasons, known) + stale(reasons, written)
    for line in problems:
        console.print(line, markup=False, soft_wrap=True)
    killed = sum(1 for fate in fates if fate.killed_by is not None)
    share = 100.0 * killed / len(fates)
    console.print(f"{killed} of {len(fates)} mutants noticed ({share:.1f} %) in {time.monotonic() - began:.0f} s")
    for line in loaded.problems:
        print(f"problem: {line}", file=sys.stderr)
    return 2 if loaded.problems else 1 if problems else 0


def _unique(chosen: Sequence[Mutant], cases: Sequence[Case], jobs: int, console: Console) -> int:
    """Find and show the cases that notice a mutant alone, and the slow ones that notice nothing alone."""
    asked = [one for one in chosen if not (one.is_drawn or one.is_command or one.has_tests or one.tests)]
    took = unique.seconds()
    if not took:
        raise BrokenError("--unique needs the times of a run: bin/conformance")
    counter = Counter(len(asked))
    lock = threading.Lock()

    def tell(fate: Fate) -> None:
        counter.done(fate.mutant.name)
        with lock:  # at once, as a run may be ended before it is over
            unique.remember({} if fate.killed_by is None else {fate.mutant.name: [fate.killed_by, fate.next_by]})

    check.run_all(asked, cases, {}, jobs, tell, took=took)
    for line in unique.lines(unique.load(), cases, took):
        console.print(line, markup=False, soft_wrap=True)
    return 0


def says(fate: Fate, options: argparse.Namespace) -> bool:
    """Whether a fate is known: a mutant that was asked only some of the cases need not survive the others."""
    return fate.broken or fate.killed_by is not None or not options.quick


def select(written: Sequence[Mutant], cases: Sequence[Case], options: argparse.Namespace) -> list[Mutant]:
    """The mutants that the options ask for, those that are drawn among them.

    Raises:
        BrokenError: there are none such.
    """
    paths = None if options.changed is None else _changed(options.changed)
    mutants = [] if options.only == DRAWN else list(written)
    if options.only != WRITTEN and not _are_written(written, options):
        mutants += _drawn(cases, paths, options)
    for what, wanted, there in (
        ("mutant", options.name, {mutant.name for mutant in mutants}),
        ("area", options.area, {mutant.area for mutant in mutants}),
    ):
        for pattern in wanted:
            if not any(fnmatchcase(name, pattern) for name in there):
                raise BrokenError(f"there is no {what} {pattern}")
    chosen = [
        mutant
        for mutant in mutants
        if (not options.name or any(fnmatchcase(mutant.name, pattern) for pattern in options.name))
        and (not options.area or any(fnmatchcase(mutant.area, pattern) for pattern in options.area))
        and options.language in (None, mutant.language)
        and (not options.kind or mutant.kind in options.kind)
        and (paths is None or mutant.path in paths)
    ]
    if not chosen:
        raise BrokenError("no mutant is selected")
    return chosen


def possible(chosen: Sequence[Mutant]) -> tuple[list[Mutant], list[str]]:
    """The mutants that can be run, and for each implementation that cannot a line that says why."""
    names = list(dict.fromkeys(mutant.implementation for mutant in chosen))
    missing = {one.name: reason for one in listing.load(names) if (reason := one.missing()) is not None}
    lines = [
        f"{sum(mutant.implementation == name for mutant in chosen)} mutants in {name} are left out: {reason}"
        for name, reason in missing.items()
    ]
    return [mutant for mutant in chosen if mutant.implementation not in missing], lines


def stale(reasons: Iterable[str], written: Sequence[Mutant]) -> list[str]:
    """Return what is listed and no longer there, a line each."""
    names = {mutant.name for mutant in written}
    return [f"{survivors.FILE.name}: no list has {name}" for name in reasons if name not in names] + equivalents.stale()


def _drawn(cases: Sequence[Case], paths: set[str] | None, options: argparse.Namespace) -> list[Mutant]:
    sources = None if paths is None else drawing.changed_sources(paths)
    count = drawing.COUNT if sources is None else drawing.OF_A_FILE * len(sources)
    if not count or options.count == 0:
        return []
    found = reached.find(cases, stale=sources is not None)
    return drawing.draw(found, count if options.count is None else options.count, options.seed, sources)


def _are_written(written: Sequence[Mutant], options: argparse.Namespace) -> bool:
    """Whether only mutants of the lists can have the names that are asked for."""
    return bool(options.name) and all(
        any(fnmatchcase(mutant.name, pattern) for mutant in written) for pattern in options.name
    )


def show(fates: Sequence[Fate], console: Console) -> None:
    """Print the table: how many mutants each area has in each language, and how many of them are killed."""
    rows = terminal.new_table(console)
    for title in ("area", *(f"{language} killed" for language in SOURCES), "survive", "s"):
        rows.add_column(title)
    for area in dict.fromkeys(fate.mutant.area for fate in fates):
        own = [fate for fate in fates if fate.mutant.area == area]
        cells = [area]
        for language in SOURCES:
            these = [fate for fate in own if fate.mutant.language == language]
            cells.append(f"{sum(1 for fate in these if fate.killed_by is not None)} of {len(these)}")
        alive = sum(1 for fate in own if fate.killed_by is None)
        rows.add_row(*cells, str(alive) if alive else "", f"{sum(fate.seconds for fate in own):.1f}")
    console.print(rows)
    kinds = {kind: [fate for fate in fates if fate.mutant.kind == kind] for kind in KINDS}
    shares = (
        f"{kind} {sum(one.killed_by is not None for one in own)} of {len(own)}" for kind, own in kinds.items() if own
    )
    console.print(f"killed by kind: {', '.join(shares)}", markup=False, soft_wrap=True)


def _changed(commit: str) -> set[str]:
    words = ["git", "diff", "--name-only", commit, "--"]
    outcome = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    if outcome.returncode:
        raise BrokenError(f"git cannot tell what differs from {commit}: {outcome.stderr.strip()}")
    return set(outcome.stdout.splitlines())

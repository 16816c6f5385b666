"""`bin/conformance mutants`: shows that no wrong line goes unnoticed (CNF-19)."""

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path

import yaml
from rich.console import Console

from conformance.cases import fixtures
from conformance.command_line import CommandParser
from conformance.errors import BrokenError
from conformance.implementations import listing
from conformance.mutants import check, equivalents, ledger, proposing, table
from conformance.mutants.check import Fate
from conformance.mutants.table import KINDS, SOURCES, Mutant
from conformance.paths import ROOT
from conformance.reports import terminal
from conformance.reports.counter import Counter

DESCRIPTION = """\
Makes one small change at a time in the reference or the port, in a copy, and asks the fixtures' cases until one is not
as expected. The suite is in order when every mutant has the fate that conformance/mutants/ledger.yml tells: killed, or
alive for a written reason. The mutants are in conformance/mutants/lists/, one file an area.
"""
EPILOG = "exit status: 0 as the ledger tells, 1 not so, 2 the lists, the ledger or the fixtures are broken"


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
    result.add_argument("--list", action="store_true", help="only tell which mutants there are; run nothing")
    result.add_argument("--update", action="store_true", help="write what is found into the ledger")
    result.add_argument(
        "--quick",
        action="store_true",
        help="ask only the case that killed it last and those that its list names; survivors say nothing then",
    )
    result.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="how many run at once")
    result.add_argument("--kind", action="append", default=[], choices=tuple(KINDS), help="only these kinds (repeat)")
    result.add_argument(
        "--propose",
        action="append",
        default=[],
        metavar="FILE",
        help="print mutants of a source file that no list has, drawn evenly over the kinds, for a list (repeat)",
    )
    result.add_argument("--count", type=int, default=4, help="how many of each file are proposed")
    result.add_argument("--seed", default="1", help="what they are drawn with")
    return result


def main(arguments: list[str]) -> int:
    """Run the command."""
    options = parser().parse_args(arguments)
    if options.jobs < 1:
        raise BrokenError("--jobs must be at least 1")
    mutants = table.load()
    if options.propose:
        print(proposed(mutants, options), end="")
        return 0
    chosen = select(mutants, options)
    console = terminal.new_console()
    entries = ledger.load()
    if options.list:
        for mutant in chosen:
            print(f"{mutant.name}\t{mutant.does}")
        return 0
    chosen, left_out = possible(chosen)
    for line in left_out:
        console.print(line, markup=False, soft_wrap=True)
    if not chosen:
        raise BrokenError("none of the mutants can be run")
    loaded = fixtures.load()
    began = time.monotonic()
    first = {name: entry.killed_by for name, entry in entries.items() if entry.killed_by is not None}
    counter = Counter(len(chosen))

    def tell(fate: Fate) -> None:
        counter.done(fate.mutant.name)
        if says(fate, options) and (line := ledger.surprise(entries, fate)) is not None:
            counter.say(f"{fate.mutant.name}: {line}")

    # Survivors are asked every case: last, so that whatever is not as it should be is told early.
    chosen.sort(key=lambda mutant: mutant.name in entries and mutant.name not in first)
    fates = check.run_all(chosen, loaded.cases, first, options.jobs, tell, options.quick)
    told = [fate for fate in fates if says(fate, options)]
    if options.update:
        entries = ledger.updated(ledger.load(), told, {mutant.name for mutant in mutants})
        ledger.write(entries)
    show(fates, console)
    problems = ledger.surprises(entries, told)
    problems += [f"{name}: is in the ledger, but in no list" for name in stale(entries, mutants)]
    if options.quick:
        for fate in (fate for fate in fates if fate not in told):
            console.print(
                f"{fate.mutant.name}: survives its own cases: {fate.mutant.does}", markup=False, soft_wrap=True
            )
    for line in problems:
        console.print(line, markup=False, soft_wrap=True)
    killed = sum(1 for fate in fates if fate.killed_by is not None)
    share = 100.0 * killed / len(fates)
    console.print(f"{killed} of {len(fates)} mutants killed ({share:.1f} %) in {time.monotonic() - began:.0f} s")
    for line in loaded.problems:
        print(f"problem: {line}", file=sys.stderr)
    return 2 if loaded.problems else 1 if problems else 0


def says(fate: Fate, options: argparse.Namespace) -> bool:
    """Whether a fate is known: a mutant that was asked only some of the cases need not survive the others."""
    return fate.broken or fate.killed_by is not None or not options.quick


def proposed(mutants: Sequence[Mutant], options: argparse.Namespace) -> str:
    """Entries of a list for changes that are neither in a list nor known to change nothing, as YAML.

    Raises:
        BrokenError: a file is no source of the reference or the port.
    """
    listed = {(mutant.path, mutant.replace, mutant.by) for mutant in mutants} | equivalents.load()
    entries = []
    for given in options.propose:
        path = Path(given).resolve()
        language = next((one for one, (folder, _) in SOURCES.items() if path.is_relative_to(ROOT / folder)), None)
        if language is None or not path.is_file():
            raise BrokenError(f"{given} is no source of the reference or the port")
        name = str(path.relative_to(ROOT))
        found = [one for one in proposing.proposals(language, path) if (name, one.replace, one.by) not in listed]
        drawn = proposing.draw(found, options.count, f"{options.seed}:{name}")
        file = proposing.listed_name(name, language)
        entries += [proposing.entry(language, file, one, number) for number, one in enumerate(drawn, start=1)]
    return yaml.safe_dump(entries, allow_unicode=True, sort_keys=False, width=120)


def select(mutants: Sequence[Mutant], options: argparse.Namespace) -> list[Mutant]:
    """The mutants that the options ask for.

    Raises:
        BrokenError: there are none such.
    """
    for what, wanted, there in (
        ("mutant", options.name, {mutant.name for mutant in mutants}),
        ("area", options.area, {mutant.area for mutant in mutants}),
    ):
        for pattern in wanted:
            if not any(fnmatchcase(name, pattern) for name in there):
                raise BrokenError(f"there is no {what} {pattern}")
    paths = None if options.changed is None else _changed(options.changed)
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


def stale(entries: dict[str, ledger.Entry], mutants: Sequence[Mutant]) -> list[str]:
    """The names in the ledger that no list has."""
    names = {mutant.name for mutant in mutants}
    return [name for name in entries if name not in names]


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

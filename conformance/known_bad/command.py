"""`bin/conformance known-bad`: shows that the suite itself bites (CNF-18)."""

import argparse

from rich.console import Console
from rich.markup import escape

from conformance.cases import fixtures
from conformance.command_line import CommandParser
from conformance.errors import BrokenError
from conformance.known_bad import check, table
from conformance.known_bad.check import Outcome
from conformance.known_bad.table import KnownBad
from conformance.reports import terminal
from conformance.reports.counter import Counter

DESCRIPTION = """\
Runs implementations that are wrong on purpose, each the reference with one fault, on a few cases. The suite is in order
when each gets exactly the verdict declared in conformance/known_bad/known_bad.yml.
"""
EPILOG = "exit status: 0 each got its verdict, 1 one did not, 2 the list or the fixtures are broken"


def parser() -> argparse.ArgumentParser:
    """The parser of the command line."""
    result = CommandParser("known-bad", DESCRIPTION, EPILOG)
    result.add_argument("--name", action="append", default=[], metavar="NAME", help="only these (may be repeated)")
    result.add_argument("--list", action="store_true", help="only show the declared verdicts; run nothing")
    return result


def main(arguments: list[str]) -> int:
    """Run the command."""
    options = parser().parse_args(arguments)
    entries = table.load()
    unknown = [name for name in options.name if name not in {entry.name for entry in entries}]
    if unknown:
        raise BrokenError(f"unknown {', '.join(unknown)}; known: {', '.join(entry.name for entry in entries)}")
    chosen = [entry for entry in entries if not options.name or entry.name in options.name]
    console = terminal.new_console()
    if options.list:
        show(chosen, {}, console)
        return 0
    counter = Counter(len(chosen))

    def tell(outcome: Outcome) -> None:
        counter.done(outcome.entry.name)

    outcomes = {one.entry.name: one for one in check.run_all(chosen, fixtures.load().cases, tell)}
    show(chosen, outcomes, console)
    surprised = [one for one in outcomes.values() if one.surprises()]
    for one in surprised:
        for line in one.surprises():
            console.print(f"[red]{one.entry.name}[/]: {escape(line)}", soft_wrap=True)
    console.print(f"{len(chosen) - len(surprised)} of {len(chosen)} known-bad implementations got their verdict")
    return 1 if surprised else 0


def show(entries: list[KnownBad], outcomes: dict[str, Outcome], console: Console) -> None:
    """Print the table: what each does, what is declared, and whether it got that."""
    rows = terminal.new_table(console)
    for title in ("name", "what it does", "declared verdict", "exit", *(["got", "s"] if outcomes else [])):
        rows.add_column(title)
    for entry in entries:
        declared = "\n".join(f"{pattern}: {verdict}" for pattern, verdict in entry.verdict) or "everything passes"
        cells = [entry.name, escape(entry.does), escape(declared), str(entry.exit)]
        if outcomes:
            outcome = outcomes[entry.name]
            cells += ["[red]another[/]" if outcome.surprises() else "[green]just that[/]", f"{outcome.seconds:.1f}"]
        rows.add_row(*cells)
    console.print(rows)

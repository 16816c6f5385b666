"""The summary on the terminal: a table of module and implementation, then the failures (CNF-14)."""

from typing import Any

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from conformance.judging.results import Result
from conformance.reports import places, summary, whereabouts
from conformance.reports.log import Log

MOST_PLACES = 12
MOST_IN_FULL = 2
"""Places that the terminal shows in full; of the others a line each."""
MOST_NAMED = 5
MOST_LINES = 3
"""Clauses or files that the terminal shows of one case."""
PLAIN_WIDTH = 10_000
"""How wide tables may be where the output goes to a file or a pipe: nothing is wrapped there."""
MOST_DETAILS = 12


def show(log: Log, console: Console) -> None:
    """Print the summary; plain text where the console is no terminal."""
    for problem in log.problems:
        console.print(f"[bold red]broken[/] {escape(problem)}", soft_wrap=True)
    if log.results:
        console.print(_table(log, console))
    _places(log, console)
    languages = {event.get("language") for event in log.implementations}
    if len(languages) > 1 and all(name in _failed_everywhere(log) for name in log.names):
        shared = sorted(set.intersection(*_failed_everywhere(log).values()))
        if shared:
            console.print(
                f"Every implementation fails {', '.join(shared[:3])}{' …' if len(shared) > 3 else ''}: "
                "the fixture itself may be wrong (bin/conformance make fixtures --check)",
                soft_wrap=True,
            )
    console.print(_verdict(log), soft_wrap=True)


def _places(log: Log, console: Console) -> None:
    """The failures, gathered into places; of the first ones the simplest case in full, and the names of the others."""
    found = places.gather(log.results, log.suspicion.depths)
    suspects = whereabouts.functions(log.suspicion, sorted({one.implementation for one in log.failures}))
    for rank, line in enumerate(suspects):
        console.print(f"[bold]{'look first at' if rank == 0 else 'then at'}[/] {escape(line)}", soft_wrap=True)
    for place in found[:MOST_IN_FULL]:
        others = place.wrong_cases[1:]
        console.print(
            f"\n[bold red]{len(place.wrong_cases)} of {place.cases} cases[/] of {escape(place.title)}", soft_wrap=True
        )
        _failure(place.simplest, console)
        if others:
            more = f" and {len(others) - MOST_NAMED} more" if len(others) > MOST_NAMED else ""
            console.print(f"  the same place: {', '.join(others[:MOST_NAMED])}{more}", soft_wrap=True)
    if len(found) > MOST_IN_FULL:
        console.print("\nmore places, most likely of the same mistake where it is used:")
    for place in found[MOST_IN_FULL:MOST_PLACES]:
        console.print(
            f"  {len(place.wrong_cases)} of {place.cases} cases of {escape(place.title)}: {place.simplest.case}",
            soft_wrap=True,
        )
    if len(found) > MOST_PLACES:
        console.print(f"… and {len(found) - MOST_PLACES} more places; all of them are in the reports")
    if len(log.failures) > 1:
        count = len(found)
        console.print(
            f"\n[bold]{len(log.failures)} failures in {count} place{'s' if count > 1 else ''}[/]; the clauses they "
            "point to:",
            soft_wrap=True,
        )
        for clause, wrong, cases in places.suspects(log.results):
            files = whereabouts.of_clause(clause, sorted({one.implementation for one in log.failures}))
            looked = f"; look at {', '.join(files)}" if files else ""
            title = whereabouts.title(clause)
            console.print(escape(f"  {clause} {title}: {wrong} of its {cases} cases are wrong{looked}"), soft_wrap=True)


def _failed_everywhere(log: Log) -> dict[str, set[str]]:
    failed: dict[str, set[str]] = {}
    for result in log.failures:
        failed.setdefault(result.implementation, set()).add(result.case)
    return failed


def new_console(**options: Any) -> Console:
    """A console for tables, whose lines stay whole where it is no terminal.

    Args:
        options: of `rich.console.Console`.
    """
    console = Console(highlight=False, **options)
    if not console.is_terminal:
        console.width = PLAIN_WIDTH
    return console


def new_table(console: Console) -> Table:
    """An empty table; with plain characters where the console is no terminal."""
    return Table() if console.is_terminal else Table(box=box.ASCII)


def _table(log: Log, console: Console) -> Table:
    table = new_table(console)
    table.add_column("module")
    table.add_column("cases", justify="right")
    for name in log.names:
        table.add_column(name)
        table.add_column("ULP", justify="right")
        table.add_column("s", justify="right")
    for module in sorted({result.module for result in log.results}):
        table.add_row(*_row(module, [result for result in log.results if result.module == module], log.names))
    table.add_section()
    table.add_row(*_row("all", log.results, log.names))
    return table


def _row(title: str, results: list[Result], names: list[str]) -> list[str]:
    cells = [title, str(len({result.case for result in results}))]
    for name in names:
        own = [result for result in results if result.implementation == name]
        bad = any(result.counts for result in own)
        text = ", ".join(f"{count} {status}" for status, count in summary.counts(own).items()) or "-"
        cells.append(f"[{'red' if bad else 'green'}]{text}[/]")
        cells.append(str(max((result.ulp for result in own), default=0)))
        cells.append(f"{sum(result.seconds for result in own):.2f}")
    return cells


def _failure(result: Result, console: Console) -> None:
    console.print(f"  [red]{result.status}[/] [bold]{escape(result.case)}[/] in {result.implementation}")
    if result.stage:
        console.print(f"  first wrong stage: [bold]{result.stage}[/]")
    if result.message:
        console.print(f"  {escape(result.message)}", soft_wrap=True)
    for line in result.details[:MOST_DETAILS]:
        console.print(f"    {escape(line)}", soft_wrap=True)
    hidden = len(result.details) - MOST_DETAILS
    if hidden > 0:
        console.print(f"    … {hidden} more lines in the reports")
    where = (
        ("about", whereabouts.clauses(result)),
        ("clause", whereabouts.quotes(result)),
        ("look at", whereabouts.files(result)),
        ("the reference", whereabouts.reference_files(result)),
    )
    for what, lines in where:
        for line in lines[:MOST_LINES]:
            console.print(f"  {what}: {escape(line)}", soft_wrap=True)
    console.print(f"  again: {escape(result.again)}", soft_wrap=True)


def _verdict(log: Log) -> str:
    status = log.end.get("exit")
    ulp = max((result.ulp for result in log.results), default=0)
    seconds = log.end.get("seconds", 0.0)
    cases = log.start.get("cases", 0)
    told = f"{cases} cases, {len(log.names)} implementations, largest distance {ulp} ULP, {seconds:.1f} s"
    if log.since is not None and (log.since["broken"] or log.since["mended"]):
        told += f"; since the run before {log.since['broken']} newly wrong, {log.since['mended']} mended"
    if status == 0:
        return f"[bold green]conformant[/]: {told}"
    if status == 1:
        return f"[bold red]not conformant[/]: {len(log.failures)} failures; {told}"
    if status == 3:
        return f"[bold yellow]nothing compared[/]: no implementation has any of these operations; {told}"
    return f"[bold red]broken[/]: the harness or its fixtures are not in order; {told}"

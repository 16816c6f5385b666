"""The summary on the terminal: a table of module and implementation, then the failures (CNF-14)."""

from typing import Any

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from conformance.judging import compare
from conformance.judging.results import Result
from conformance.reports import places, summary, whereabouts
from conformance.reports.log import Log
from conformance.reports.places import Place
from conformance.wire import values

MOST_PLACES = 12
MOST_IN_FULL = 2
"""Places that the terminal shows in full; of the others a line each."""
MOST_OTHER_SUSPECTS = 1
MOST_PLACES_OF_A_MISTAKE = 3
MOST_NAMED = 5
MOST_LINES = 3
"""Clauses or files that the terminal shows of one case."""
PLAIN_WIDTH = 10_000
"""How wide tables may be where the output goes to a file or a pipe: nothing is wrapped there."""
MOST_DETAILS = 12
LONGEST = 2_000
"""Characters of the input of a drawn case."""


def show(log: Log, console: Console) -> None:
    """Print the summary; plain text where the console is no terminal."""
    for problem in log.problems:
        console.print(f"[bold red]broken[/] {escape(problem)}", soft_wrap=True)
    if log.results:
        console.print(_table(log, console))
    _places(log, console)
    _drawn(log, console)
    languages = {event.get("language") for event in log.implementations}
    if len(languages) > 1 and all(name in _failed_everywhere(log) for name in log.names):
        shared = sorted(set.intersection(*_failed_everywhere(log).values()))
        if shared:
            console.print(
                f"Every implementation fails {', '.join(shared[:3])}{' …' if len(shared) > 3 else ''}: "
                "the fixture itself may be wrong (bin/conformance make fixtures --check)",
                soft_wrap=True,
            )
    console.print(verdict(log), soft_wrap=True)


def _places(log: Log, console: Console) -> None:
    """The failures: the mistakes that they point to, or the places that they are gathered into, and the clauses."""
    found = places.gather(log.results, log.suspicion.depths)
    if log.suspicion.mistakes:
        _mistakes(log, len(found), console)
        shown = _nearest(log)
    else:
        shown = found[:MOST_IN_FULL]
    for place in shown:
        console.print(
            f"\n[bold red]{len(place.wrong_cases)} of {place.cases} cases[/] of {escape(place.title)}", soft_wrap=True
        )
        _failure(place.simplest, console)
        others = place.wrong_cases[1:]
        if others:
            more = f" and {len(others) - MOST_NAMED} more" if len(others) > MOST_NAMED else ""
            console.print(f"  the same place: {', '.join(others[:MOST_NAMED])}{more}", soft_wrap=True)
    others_found = [place for place in found if place.name not in {one.name for one in shown}]
    if not log.suspicion.mistakes and others_found:
        console.print("\nmore places:")
        for place in others_found[:MOST_PLACES]:
            console.print(f"  {len(place.wrong_cases)} of {place.cases} cases of {_line(place)}", soft_wrap=True)
        if len(others_found) > MOST_PLACES:
            console.print(f"… and {len(others_found) - MOST_PLACES} more places; all of them are in the reports")
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


def _drawn(log: Log, console: Console) -> None:
    """The drawn cases to which an implementation has another answer than the reference."""
    for found in log.drawn.get("findings", ()):
        console.print(
            f"\n[bold red]drawn[/] a case of {escape(found['operation'])}, made from {escape(found['base'])}",
            soft_wrap=True,
        )
        for line in found["difference"][:MOST_DETAILS]:
            console.print(f"  {escape(line)}", soft_wrap=True)
        for key in ("params", "input"):
            console.print(f"  {key}: {escape(_cut(values.canonical(found[key])))}", soft_wrap=True)
    if log.drawn.get("findings"):
        console.print(f"  again: the same command with --seed {log.drawn['seed']}; the inputs are in log.jsonl")


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]} … ({len(text)} characters)"


def _mistakes(log: Log, count: int, console: Console) -> None:
    """The mistakes that explain the failures, the one that explains the most first, each with what its places show."""
    implementations = sorted({one.implementation for one in log.failures})
    number = len(log.suspicion.mistakes)
    console.print(
        f"[bold]{len(log.failures)} failures in {count} place{'s' if count > 1 else ''}[/] point to "
        f"{number} mistake{'s' if number > 1 else ''} (of {log.suspicion.wrong} wrong cases that were looked at):",
        soft_wrap=True,
    )
    for rank, mistake in enumerate(log.suspicion.mistakes, start=1):
        first, *others = whereabouts.functions(mistake, log.suspicion.right, implementations)
        console.print(f"[bold]{rank}. look first at[/] {escape(first)}", soft_wrap=True)
        for line in others[:MOST_OTHER_SUSPECTS]:
            console.print(f"   then at {escape(line)}", soft_wrap=True)
        found = places.of_cases(log.results, mistake.cases)
        for place in found[:MOST_PLACES_OF_A_MISTAKE]:
            console.print(f"   {_line(place)}", soft_wrap=True)
        if len(found) > MOST_PLACES_OF_A_MISTAKE:
            more = len(found) - MOST_PLACES_OF_A_MISTAKE
            console.print(f"   … {more} more places may show it; report.html has a value of each")


def _nearest(log: Log) -> list[Place]:
    """Of the first mistakes the place that is nearest to each."""
    return [places.of_cases(log.results, one.cases)[0] for one in log.suspicion.mistakes[:MOST_IN_FULL]]


def _line(place: Place) -> str:
    """One place in a line: its name, its simplest case, what is expected there and what came."""
    simplest = place.simplest
    return escape(f"{place.title}: {simplest.case}: {places.difference(simplest)}")


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
        cells.append(compare.told(summary.largest(own)).removesuffix(" ULP"))
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


def verdict(log: Log) -> str:
    """The last line: the verdict, and all that it does not say."""
    status = log.end.get("exit")
    ulp = compare.told(summary.largest(log.results))
    seconds = log.end.get("seconds", 0.0)
    cases = log.start.get("cases", 0)
    told = f"{cases} cases, {len(log.names)} implementations, largest distance {ulp}, {seconds:.1f} s"
    if log.since is not None and (log.since["broken"] or log.since["mended"]):
        told += f"; since the run before {log.since['broken']} newly wrong, {log.since['mended']} mended"
    drawn = summary.drawn(log)
    told += f"; {drawn}" if drawn else ""
    if status == 0:
        limits = summary.limits(log)
        within = f" ({'; '.join(limits)})" if limits else ""
        return f"[bold {'yellow' if limits else 'green'}]conformant[/]{escape(within)}: {told}"
    if status == 1:
        return f"[bold red]not conformant[/]: {len(log.failures)} failures; {told}"
    if status == 3:
        return f"[bold yellow]nothing compared[/]: no implementation has any of these operations; {told}"
    return f"[bold red]broken[/]: the harness or its fixtures are not in order; {told}"

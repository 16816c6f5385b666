"""Shows a report: tables for people, Markdown for pages, JSON for programs."""

import dataclasses
import json
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from conformance.bench.results import Comparison, Ratio, Report, Row
from conformance.bench.timing import Spread
from conformance.reports.terminal import new_table

FORMATS = ("table", "markdown", "json")
TITLES = ("task", "contestant", "figures", "times as good as", "goal")
COMPARED = ("call", "documents", "contestant", "compared with", "ratio or figure", "goal")


def show(report: Report, form: str, console: Console) -> None:
    """Print a report in one of `FORMATS`."""
    if form == "json":
        print(json.dumps(as_json(report), ensure_ascii=False, indent=2))
    elif form == "markdown":
        print(markdown(report))
    else:
        if report.comparisons:
            console.print(_compared(report, console))
        if report.rows or not report.comparisons:
            console.print(_table(report, console))
        for note in report.notes:
            console.print(f"- {escape(note)}", soft_wrap=True)
        for difference in report.differences:
            console.print(f"[red]DIFFERENT: {escape(difference)}[/]", soft_wrap=True)


def markdown(report: Report) -> str:
    """The report as a Markdown table with its notes below."""
    lines = []
    if report.comparisons:
        lines += [f"| {' | '.join(COMPARED)} |", "|---|---|---|---|---|---|"]
        lines += [f"| {' | '.join(_comparison(one))} |" for one in report.comparisons]
        lines.append("")
    lines += [f"| {' | '.join(TITLES)} |", "|---|---|---|---|---|"]
    lines += [f"| {' | '.join(_cells(row, '<br>'))} |" for row in report.rows]
    lines.append("")
    lines += [f"- {note}" for note in report.notes]
    lines += [f"- **different: {difference}**" for difference in report.differences]
    return "\n".join(lines)


def as_json(report: Report) -> dict[str, Any]:
    """The report as plain data."""
    return {
        "comparisons": [{**dataclasses.asdict(one), "reached": one.reached} for one in report.comparisons],
        "rows": [
            {
                **dataclasses.asdict(row),
                "figures": dict(row.figures),
                "ratios": [{**dataclasses.asdict(ratio), "reached": ratio.reached} for ratio in row.ratios],
            }
            for row in report.rows
        ],
        "notes": report.notes,
        "differences": report.differences,
    }


def _table(report: Report, console: Console) -> Table:
    table = new_table(console)
    table.show_lines = True
    for title in TITLES:
        table.add_column(title)
    for row in report.rows:
        cells = _cells(row, "\n")
        missed = any(ratio.reached is False for ratio in row.ratios)
        table.add_row(*map(escape, cells[:-1]), f"[{'red' if missed else 'green'}]{escape(cells[-1])}[/]")
    return table


def _compared(report: Report, console: Console) -> Table:
    table = new_table(console)
    for title in COMPARED:
        table.add_column(title)
    for one in report.comparisons:
        cells = [escape(cell) for cell in _comparison(one)]
        table.add_row(*cells[:-1], f"[{'red' if one.reached is False else 'green'}]{cells[-1]}[/]")
    return table


def _comparison(one: Comparison) -> list[str]:
    figure = _spread(one.figure) + (f" {one.unit}" if one.unit else "")
    goal = ""
    if one.goal is not None:
        goal = f"{'≥' if one.at_least else '≤'} {one.goal:g}: {'reached' if one.reached else 'MISSED'}"
    return [one.call, f"{one.documents:,}", one.contestant, one.other, figure, goal]


def _cells(row: Row, separator: str) -> list[str]:
    figures = ", ".join(f"{name} {text}" if name else text for name, text in row.figures)
    name = f"{row.contestant} (anchor)" if row.anchor else row.contestant
    shown = separator.join(f"{_spread(ratio.cpu)} {ratio.anchor}{_wall(ratio)}" for ratio in row.ratios)
    return [row.task, name, figures, shown, separator.join(_goal(ratio) for ratio in row.ratios)]


def _goal(ratio: Ratio) -> str:
    return "" if ratio.goal is None else f"{ratio.goal:g}: {'reached' if ratio.reached else 'MISSED'}"


def _wall(ratio: Ratio) -> str:
    return "" if ratio.wall is None else f"; wall time {_number(ratio.wall.median)}"


def _spread(spread: Spread) -> str:
    return f"{_number(spread.median)} ({_number(spread.least)}–{_number(spread.most)})"


def _number(value: float) -> str:
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"

"""How a run ends: its exit status and its reports."""

import sys
from pathlib import Path

from rich.console import Console

from conformance.judging import runner
from conformance.reports import badge, html, junit, log, matrix, summary, terminal
from conformance.reports.log import Event

CONFORMANT, NOT_CONFORMANT, BROKEN, NOTHING_COMPARED = 0, 1, 2, 3

PRINTED = {
    "json": "summary.json",
    "jsonl": "log.jsonl",
    "junit": "junit.xml",
    "markdown": "matrix.md",
    "html": "report.html",
}
"""The report that is printed, by format."""


def exit_status(problems: list[str], runs: list[runner.ImplementationRun]) -> int:
    """The exit status of a run; where every case was unsupported, nothing was compared, and nothing is conformant."""
    results = [result for one in runs for result in one.results]
    if problems:
        return BROKEN
    if any(result.counts for result in results):
        return NOT_CONFORMANT
    return CONFORMANT if any(result.status != "unsupported" for result in results) else NOTHING_COMPARED


def report(events: list[Event], folder: Path, form: str, console: Console) -> None:
    """Write every report from the events, and print one of them or the table."""
    parsed = log.parse(events)
    log.write(folder / "log.jsonl", events)
    summary.write(folder / "summary.json", parsed)
    junit.write(folder / "junit.xml", parsed)
    html.write(folder / "report.html", parsed)
    matrix.write(folder / "matrix.md", parsed)
    badge.write(folder / "badge.json", parsed)
    if form == "table":
        terminal.show(parsed, console)
    else:
        sys.stdout.write((folder / PRINTED[form]).read_text(encoding="utf-8"))
        sys.stdout.flush()

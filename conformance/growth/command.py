"""Times every public operation that takes text for hostile texts of n and 8n characters, in both languages.

Nothing may grow faster than n·log n in the text, nor than the product of document and question where both grow. Costs
are seconds of processor time; what looks suspicious is measured again with longer texts before it counts.

Prints a table of the largest ratios, or JSON lines of all measurements where the output is no terminal.

Exit status: 0 nothing grows too fast; 1 something does; 2 something is broken.
"""

import argparse
import dataclasses
import fnmatch
import json
import sys

from conformance.command_line import CommandParser
from conformance.errors import BrokenError
from conformance.growth.measuring import FACTOR, Growth
from conformance.growth.patterns import PATTERNS
from conformance.growth.survey import survey
from conformance.growth.workers import COMMANDS
from conformance.reports.terminal import new_console, new_table

FINE, TOO_FAST, BROKEN = 0, 1, 2


def parser() -> argparse.ArgumentParser:
    """The command line."""
    result = CommandParser("growth", __doc__)
    result.add_argument("--size", type=int, default=1024, help="n: characters of the short text, 64 or more")
    result.add_argument("--operation", default="*", metavar="GLOB", help="only the operations of these names")
    result.add_argument("--pattern", default="*", metavar="GLOB", help="only the patterns of these names")
    result.add_argument("--language", action="append", choices=list(COMMANDS), help="only this one; repeatable")
    result.add_argument("--rows", type=int, default=30, help="how many rows the table has at the most")
    result.add_argument("--format", choices=("table", "json"), help="how the result is printed")
    return result


def show(found: list[Growth], rows: int) -> None:
    """The table of the largest ratios."""
    table = new_table(console := new_console())
    table.title = f"processor time for n and {FACTOR}n characters"
    for heading in ("language", "operation", "pattern", "n", "ms for n", f"ms for {FACTOR}n", "ratio", "allowed", ""):
        table.add_column(heading)
    for growth in sorted(found, key=lambda one: (not one.is_suspect, -one.ratio / one.allowed, one.pattern))[:rows]:
        figures = (
            f"{growth.short * 1e3:.2f}",
            f"{growth.long * 1e3:.2f}",
            f"{growth.ratio:.1f}",
            f"{growth.allowed:.1f}",
        )
        names = (growth.language, growth.operation, growth.pattern, f"{growth.size}")
        table.add_row(*names, *figures, "TOO FAST" if growth.is_suspect else "")
    console.print(table)
    suspects = sum(growth.is_suspect for growth in found)
    console.print(f"{len(found)} measurements, {suspects} grow too fast")


def _line(growth: Growth) -> None:
    shown = {**dataclasses.asdict(growth), "ratio": growth.ratio, "too_fast": growth.is_suspect}
    sys.stdout.write(json.dumps(shown) + "\n")
    sys.stdout.flush()


def _progress(growth: Growth) -> None:
    if sys.stderr.isatty():
        print(f"\r\x1b[K{growth.language}: {growth.operation}", end="", file=sys.stderr, flush=True)


def main(arguments: list[str] | None = None) -> int:
    """Run the command; gives the exit status."""
    options = parser().parse_args(arguments)
    patterns = fnmatch.filter(PATTERNS, options.pattern)
    if options.size < 64 or not patterns:
        print("growth: --size must be at least 64, and --pattern the name of one", file=sys.stderr)
        return BROKEN
    as_table = (options.format or ("table" if sys.stdout.isatty() else "json")) == "table"
    try:
        found = survey(
            options.language or list(COMMANDS),
            lambda name: fnmatch.fnmatch(name, options.operation),
            patterns,
            options.size,
            _progress if as_table else _line,
        )
    except BrokenError as problem:
        print(f"growth: {problem}", file=sys.stderr)
        return BROKEN
    if as_table:
        show(found, options.rows)
    return TOO_FAST if any(growth.is_suspect for growth in found) else FINE

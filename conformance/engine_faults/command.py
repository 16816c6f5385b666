"""Has writers and readers of both languages at work while something happens to the engine of their store.

Nothing acknowledged may be lost, nothing half stored, no answer wrong. Each fault has a server of its own, which is
started and removed. Prints a table, or JSON where the output is no terminal.

Exit status: 0 all is well; 1 something is lost, half stored or wrong; 2 a server cannot be started, or the harness is
broken.
"""

import json
import signal
import sys
from typing import Any

from conformance.command_line import CommandParser
from conformance.engine_faults import oceanbase_faults, opensearch_faults, postgres_faults, postgres_mixed
from conformance.engine_faults.scene import Fault, Outcome, Plan
from conformance.engine_faults.workers import COMMANDS
from conformance.reports.terminal import new_console, new_table

ENGINES: dict[str, dict[str, Fault]] = {
    "postgres": {**postgres_faults.FAULTS, "mixed": postgres_mixed.mixed},
    "opensearch": opensearch_faults.FAULTS,
    "oceanbase": oceanbase_faults.FAULTS,
}
HEADINGS = (
    "engine", "fault", "times", "acknowledged", "refused", "unknown", "reads", "refused", "worst read", "worst write",
    "to green", "wrong",
)  # fmt: skip


def parser() -> CommandParser:
    """The command line."""
    result = CommandParser("engine-faults", __doc__)
    result.add_argument("--engine", action="append", choices=list(ENGINES), help="only this one; repeatable")
    names = sorted({name for faults in ENGINES.values() for name in faults})
    result.add_argument("--fault", action="append", choices=names, help="only this one; repeatable")
    result.add_argument("--language", action="append", choices=list(COMMANDS), help="only this one; repeatable")
    result.add_argument("--times", type=int, default=20, metavar="N", help="how often each happens (default 20)")
    result.add_argument("--seconds", type=float, default=60.0, metavar="N", help="how long a crowd works (default 60)")
    result.add_argument("--writers", type=int, default=8, metavar="N", help="how many write (default 8)")
    result.add_argument("--readers", type=int, default=4, metavar="N", help="how many read (default 4)")
    result.add_argument("--seed", type=int, default=Plan.seed, metavar="N", help="of what is drawn")
    result.add_argument("--format", choices=("table", "json"), help="how the result is printed")
    return result


def main(arguments: list[str] | None = None) -> int:
    """Run the command."""
    options = parser().parse_args(arguments)
    languages = options.language or list(COMMANDS)
    plan = Plan(languages, options.times, options.seconds, options.writers, options.readers, options.seed)
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))  # servers are removed then, too
    found: list[tuple[str, Outcome]] = []
    for engine in options.engine or ENGINES:
        for name, fault in ENGINES[engine].items():
            if options.fault is None or name in options.fault:
                print(f"engine-faults: {engine}: {name}", file=sys.stderr, flush=True)
                found.append((engine, fault(plan)))
    if (options.format or ("table" if sys.stdout.isatty() else "json")) == "json":
        print(json.dumps([as_json(engine, outcome) for engine, outcome in found], indent=2))
    else:
        show(found)
    return 1 if any(outcome.tally.wrong for _, outcome in found) else 0


def as_json(engine: str, outcome: Outcome) -> dict[str, Any]:
    """An outcome as plain data."""
    tally = outcome.tally
    return {
        "engine": engine,
        "fault": outcome.name,
        "times": outcome.times,
        "documents": outcome.documents,
        "acknowledged": tally.acknowledged,
        "refused": tally.refused,
        "unknown": tally.unknown,
        "unknown_stored": tally.unknown_stored,
        "late": tally.late,
        "reads": tally.reads,
        "reads_refused": tally.reads_refused,
        "worst_read_seconds": round(tally.worst_read, 3),
        "worst_write_seconds": round(tally.worst_write, 3),
        "to_green_seconds": round(max(outcome.greens, default=0.0), 3),
        "messages": tally.messages,
        "notes": outcome.notes,
        "wrong": tally.wrong,
    }


def show(found: list[tuple[str, Outcome]]) -> None:
    """The table."""
    table = new_table(console := new_console())
    for heading in HEADINGS:
        table.add_column(heading)
    for engine, outcome in found:
        data = as_json(engine, outcome)
        counts = [str(data[name]) for name in ("acknowledged", "refused", "unknown", "reads", "reads_refused")]
        seconds = [f"{data[f'{name}_seconds']:.2f} s" for name in ("worst_read", "worst_write", "to_green")]
        table.add_row(engine, outcome.name, str(outcome.times), *counts, *seconds, str(len(outcome.tally.wrong)))
    console.print(table)
    for _, outcome in found:
        for what in outcome.tally.wrong:
            console.print(f"{outcome.name}: {what}", style="red", markup=False, soft_wrap=True)

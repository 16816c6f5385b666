"""The command `hybrid-search check`."""

from typing import Any

from hybrid_search.cli.command_line import CommandLine
from hybrid_search.cli.console import Console
from hybrid_search.cli.index_file import IndexFile
from hybrid_search.cli.report import JSON, form, report


def run(line: CommandLine, console: Console) -> int:
    """Read a whole index file and print the problems found in it."""
    with IndexFile(line.arguments[0]) as file:
        findings = file.store.check()
    shown: dict[str, Any] = {"sound": not findings, "findings": findings}
    if form(line.flags.get("format"), console) == JSON:
        report(shown, JSON, console)
    else:
        for finding in findings or ["sound"]:
            console.write(f"{finding}\n")
    return 1 if findings else 0

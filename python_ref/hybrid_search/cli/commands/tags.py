"""The command `hybrid-search tags`."""

from typing import Any

from hybrid_search.cli import filter_flags
from hybrid_search.cli.command_line import CommandLine
from hybrid_search.cli.console import Console
from hybrid_search.cli.index_file import IndexFile
from hybrid_search.cli.usage import UsageError

OPTIONS = ("field", "limit", "smoothing")


def run(line: CommandLine, console: Console) -> int:
    """Print the tags of a question (TAG-1)."""
    if not line.arguments:
        raise UsageError("TEXT is missing")
    options: Any = {name: line.flags[name] for name in OPTIONS}
    if filter_flags.are_given(line.flags):
        options["filters"] = filter_flags.filters_of(line.flags)
    with IndexFile(line.flags["index"]) as file:
        console.write_json(file.index().tags_of_question(line.arguments[0], **options))
    return 0

"""The command `hybrid-search completion`."""

from hybrid_search.base import data_table
from hybrid_search.cli.command_line import CommandLine
from hybrid_search.cli.console import Console


def run(line: CommandLine, console: Console) -> int:
    """Print the completion script of a shell."""
    console.write(data_table.read("completion.json")[line.arguments[0]])
    return 0

"""`hybrid-search completion`."""

from hybrid_search.cli import completion
from hybrid_search.cli.command_line import CommandLine
from hybrid_search.cli.console import Console


def run(line: CommandLine, console: Console) -> int:
    """Print the completion of a shell."""
    console.write({"bash": completion.bash, "zsh": completion.zsh}[line.arguments[0]]())
    return 0

"""The command `hybrid-search export`."""

from typing import Any

from hybrid_search.base import json_writer
from hybrid_search.cli.command_line import CommandLine
from hybrid_search.cli.console import Console
from hybrid_search.cli.index_file import IndexFile
from hybrid_search.cli.whole_file import WholeFile
from hybrid_search.records import record_of


def run(line: CommandLine, console: Console) -> int:
    """Print the documents as records."""
    include = line.flags.get("include", ())
    with IndexFile(line.flags["index"]) as file:

        def write(out: Any) -> None:
            for identifier, _ in file.store.rank([]):
                document = file.store.get(identifier)
                if document is not None:  # else it has been removed meanwhile
                    out.write(json_writer.write(record_of.record(document, include)) + "\n")

        if "output" in line.flags:
            with WholeFile(line.flags["output"]) as output:
                write(output)
        else:
            write(console)
    return 0

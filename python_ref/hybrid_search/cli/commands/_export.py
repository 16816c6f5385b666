"""`hybrid-search export`."""

from typing import Any

from hybrid_search import _json_writer as json_writer
from hybrid_search.cli._command_line import CommandLine
from hybrid_search.cli._console import Console
from hybrid_search.cli._index_file import IndexFile
from hybrid_search.cli._whole_file import WholeFile
from hybrid_search.records import _record_of as record_of


def run(line: CommandLine, console: Console) -> int:
    """Print the documents as records."""
    include = line.flags.get("include", ())
    with IndexFile(line.flags["index"]) as file:

        def write(out: Any) -> None:
            for identifier, _ in file.store.rank([]):
                document = file.store.get(identifier)
                if document is not None:  # else it was removed meanwhile
                    out.write(json_writer.write(record_of.record(document, include)) + "\n")

        if "output" in line.flags:
            with WholeFile(line.flags["output"]) as output:
                write(output)
        else:
            write(console)
    return 0

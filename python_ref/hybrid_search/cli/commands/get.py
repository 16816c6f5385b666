"""The command `hybrid-search get`."""

from hybrid_search.cli import identifier_lines, usage
from hybrid_search.cli.command import PROGRAM
from hybrid_search.cli.command_line import CommandLine
from hybrid_search.cli.console import Console
from hybrid_search.cli.index_file import IndexFile
from hybrid_search.cli.usage import UsageError
from hybrid_search.records import record_of

WHO = f"{PROGRAM} get"


def run(line: CommandLine, console: Console) -> int:
    """Print the records of documents."""
    if not line.arguments:
        raise UsageError("ID is missing: which documents?")
    include = line.flags.get("include", ())
    missing = 0
    with IndexFile(line.flags["index"]) as file:
        for batch in identifier_lines.batches(line.arguments, console):
            found = file.store.get_many(batch, None if "vector" in include else ())
            for identifier, document in zip(batch, found, strict=True):
                if document is not None:
                    console.write_json(record_of.record(document, include))
                else:
                    missing += 1
                    console.complain(WHO, f"there is no document {usage.shown(identifier)}")
    return 1 if missing else 0

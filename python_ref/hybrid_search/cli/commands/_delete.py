"""`hybrid-search delete`."""

from collections.abc import Iterator, Sequence

from hybrid_search.cli._command_line import CommandLine
from hybrid_search.cli._console import Console
from hybrid_search.cli._index_file import IndexFile
from hybrid_search.cli._record_lines import STANDARD_INPUT, InputError
from hybrid_search.cli._report import report
from hybrid_search.cli._usage import UsageError

BATCH = 1000
LONGEST_LINE = 1024 * 1024


def run(line: CommandLine, console: Console) -> int:
    """Remove documents."""
    if not line.arguments:
        raise UsageError("ID is missing: which documents?")
    deleted = 0
    with IndexFile(line.flags["index"], read_only=False) as file:
        batch: list[str] = []
        for identifier in _identifiers(line.arguments, console):
            batch.append(identifier)
            if len(batch) == BATCH:
                deleted += file.store.delete(batch)
                batch = []
        if batch:
            deleted += file.store.delete(batch)
        counts = {"deleted": deleted, "documents": file.store.count()}
    report(counts, line.flags.get("format"), console)
    return 0


def _identifiers(arguments: Sequence[str], console: Console) -> Iterator[str]:
    for argument in arguments:
        if argument != STANDARD_INPUT:
            yield argument
            continue
        number = 0
        while data := console.stdin.readline(LONGEST_LINE + 1):
            number += 1
            try:
                text = data.decode("utf-8").rstrip("\r\n")
            except UnicodeDecodeError:
                raise InputError(f"{STANDARD_INPUT}:{number}: not valid UTF-8") from None
            if len(data) > LONGEST_LINE:
                raise InputError(f"{STANDARD_INPUT}:{number}: the line has more than {LONGEST_LINE} bytes")
            if text:
                yield text

"""`hybrid-search delete`."""

from hybrid_search.cli import _filter_flags as filter_flags
from hybrid_search.cli import _identifier_lines as identifier_lines
from hybrid_search.cli._command_line import CommandLine
from hybrid_search.cli._console import Console
from hybrid_search.cli._index_file import IndexFile
from hybrid_search.cli._report import report
from hybrid_search.cli._usage import UsageError


def run(line: CommandLine, console: Console) -> int:
    """Remove documents."""
    ways = [bool(line.arguments), filter_flags.are_given(line.flags), "all" in line.flags]
    if not any(ways):
        raise UsageError("ID is missing: which documents? --filter removes those that pass")
    if ways.count(True) > 1:
        raise UsageError("ID, --filter and --all exclude each other")
    with IndexFile(line.flags["index"], read_only=False) as file:
        counts = {"deleted": _deleted(line, file, console), "documents": file.store.count()}
    report(counts, line.flags.get("format"), console)
    return 0


def _deleted(line: CommandLine, file: IndexFile, console: Console) -> int:
    if "all" in line.flags:
        return file.index().clear()
    if line.arguments:
        deleted = 0
        for batch in identifier_lines.batches(line.arguments, console):
            deleted += file.store.delete(batch)
        return deleted
    filters = filter_flags.filters_of(line.flags)
    if filters in ({}, []):
        raise UsageError("--filters must hold at least one condition; --all removes all documents")
    return file.index().delete(filters=filters)

"""The command `hybrid-search delete`."""

from hybrid_search.cli import filter_flags, identifier_lines
from hybrid_search.cli.command_line import CommandLine
from hybrid_search.cli.console import Console
from hybrid_search.cli.index_file import IndexFile
from hybrid_search.cli.report import report
from hybrid_search.cli.usage import UsageError


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
    if filters in (None, {}, []):
        raise UsageError("--filters must hold at least one condition; --all removes all documents")
    return file.index().delete(filters=filters)

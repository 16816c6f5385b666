"""The command `hybrid-search copy`."""

from contextlib import ExitStack, closing
from typing import Any

from hybrid_search.base import validation
from hybrid_search.cli import progress_choice
from hybrid_search.cli.command_line import CommandLine
from hybrid_search.cli.console import Console
from hybrid_search.cli.copy_run import CopyRun
from hybrid_search.cli.report import report
from hybrid_search.cli.store_address import StoreAddress
from hybrid_search.cli.usage import UsageError
from hybrid_search.doc_store_adapter.sqlite import file_embedding
from hybrid_search.doc_store_adapter.sqlite.sqlite_doc_store import SqliteDocStore


def run(line: CommandLine, console: Console) -> int:
    """Copy the documents of one store into another."""
    flags = line.flags
    if len(line.arguments) != 2:
        raise UsageError("copy needs two addresses: the source and the target")
    batch_size = validation.integer("--batch-size", flags["batch-size"], 1)
    first, second = map(StoreAddress, line.arguments)
    if first.text == second.text:
        raise UsageError("the source and the target are the same")
    how = flags.get("progress", progress_choice.BAR if console.has_terminal_for_errors else progress_choice.NONE)
    with ExitStack() as opened:
        source = _closed(opened, first.source(flags))
        target = _closed(opened, second.target(flags))
        progress = opened.enter_context(progress_choice.progress(how, console, source.count()))
        counts = CopyRun(source, target, batch_size, progress).run()
        _copy_embedding(source, target)
    report(counts, flags.get("format"), console)
    return 0


def _closed(opened: ExitStack, store: Any) -> Any:
    """Return a store that is closed at the end, if it can be."""
    return opened.enter_context(closing(store)) if hasattr(store, "close") else store


def _copy_embedding(source: Any, target: Any) -> None:
    """Note the embedding of the source, if both are files and the target has no note."""
    if isinstance(source, SqliteDocStore) and isinstance(target, SqliteDocStore):
        note = source.note(file_embedding.NOTE)
        if note is not None and target.note(file_embedding.NOTE) is None:
            target.set_note(file_embedding.NOTE, note)

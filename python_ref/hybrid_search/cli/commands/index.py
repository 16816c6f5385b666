"""The command `hybrid-search index`."""

import os
from collections.abc import Mapping
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from hybrid_search.base import validation
from hybrid_search.base.system_path import system_path
from hybrid_search.chunker.chunker import DEFAULT_SIZE, Chunker
from hybrid_search.cli import embedding_flags, file_lines, mapping_flags, progress_choice, watch_flags
from hybrid_search.cli.command import PROGRAM
from hybrid_search.cli.command_line import CommandLine
from hybrid_search.cli.console import Console
from hybrid_search.cli.file_lines import FileLines
from hybrid_search.cli.index_file import IndexFile
from hybrid_search.cli.index_run import STOP, IndexRun
from hybrid_search.cli.record_lines import RecordLines
from hybrid_search.cli.rejects import Rejects
from hybrid_search.cli.report import report
from hybrid_search.cli.usage import UsageError
from hybrid_search.doc_store_adapter import vector_models
from hybrid_search.embedding.model_names import NONE
from hybrid_search.readers.file_reader import FileReader
from hybrid_search.readers.file_walk import FileWalk
from hybrid_search.records import batch_limits
from hybrid_search.records.document_builder import MOST_WORKERS
from hybrid_search.records.importer import Importer
from hybrid_search.records.record_mapping import REFUSE, RecordMapping

if TYPE_CHECKING:
    from hybrid_search.embedding.embedding import Embedding


def run(line: CommandLine, console: Console) -> int:
    """Store records."""
    flags = line.flags
    if "rejects" in flags and flags["on-error"] == STOP:
        raise UsageError("--rejects needs --on-error skip")
    mapping = mapping_flags.of_flags(flags.get("map", ()))
    batch_size = batch_limits.checked(flags.get("batch-size"), "--batch-size")
    validation.integer("--workers", flags["workers"], 1, MOST_WORKERS)
    walk = watch_flags.walk_of(line) if "watch" in flags else _walk(line)
    reader = None if walk is None else _reader(line, mapping)
    lines = RecordLines(line.arguments, console.stdin) if walk is None or reader is None else FileLines(walk, reader)
    # The reader of files has already applied the mapping.
    mapped = RecordMapping(mapping, flags.get("other-keys", REFUSE)) if walk is None else RecordMapping({}, REFUSE)
    if not os.path.exists(system_path(flags["index"])):
        embedding_flags.choice_of(flags, None).provider()  # a refused choice leaves no new file behind
    with ExitStack() as open_parts:
        changes = None
        if "watch" in flags and walk is not None:  # whatever changes from here on is noticed
            changes = open_parts.enter_context(watch_flags.watching(walk, flags["index"]))
        rejects = open_parts.enter_context(Rejects(flags.get("rejects"), console))
        file = open_parts.enter_context(IndexFile(flags["index"], read_only=False, made=True))
        if "rebuild" in flags:
            file = open_parts.enter_context(file.rebuilding())
        embedding = _chosen(file, flags)
        stops = flags["on-error"] == STOP
        counts = _stored(file, embedding, lines, mapped, rejects, stops, batch_size, flags, console)
        if changes is not None:
            assert walk is not None, "files are watched"
            assert reader is not None, "files are read"
            report(counts, flags.get("format"), console)
            console.flush()
            for _ in changes:
                again = FileLines(walk.again(), reader)
                counts = _stored(file, embedding, again, mapped, rejects, False, batch_size, flags, console)
                report(counts, flags.get("format"), console)
                console.flush()
            return 0
    report(counts, flags.get("format"), console)
    return 0


def _stored(
    file: IndexFile,
    embedding: "Embedding | None",
    lines: RecordLines | FileLines,
    mapped: RecordMapping,
    rejects: Rejects,
    stops: bool,
    batch_size: int | None,
    flags: Mapping[str, Any],
    console: Console,
) -> dict[str, Any]:
    """Store all records; returns the counts."""
    files = lines if isinstance(lines, FileLines) else None
    how = flags.get("progress", progress_choice.BAR if console.has_terminal_for_errors else progress_choice.NONE)
    changed = None if files is None else files.followed(file.store)
    importer = Importer(file.store, embedding, changed=changed, workers=flags["workers"])
    run = IndexRun(importer, mapped, rejects, stops, "rebuild" in flags)
    with progress_choice.progress(how, console, lines.size) as progress:
        run.all(lines, batch_size, progress)
    prune = "prune" in flags or "watch" in flags
    cleaned = {} if files is None else files.cleaned(file.store.delete, prune)
    if files is not None and (skipped := files.skipped()):
        console.complain(PROGRAM, skipped)
    for warning in vector_models.check(file.store, embedding):
        console.complain(PROGRAM, f"warning: {warning}")
    return {**run.counts(), **cleaned, "documents": file.store.count()}


def _walk(line: CommandLine) -> FileWalk | None:
    """Return the files of a command line; `None` if it names only JSON Lines."""
    return FileWalk(line.arguments) if file_lines.are_wanted(line.arguments) else None


def _reader(line: CommandLine, mapping: Mapping[str, str]) -> FileReader:
    flags = line.flags
    chunker = Chunker(flags.get("chunk-size", DEFAULT_SIZE), flags.get("chunk-overlap"))
    return FileReader(chunker, mapping, flags.get("other-keys"))


def _chosen(file: IndexFile, flags: Mapping[str, Any]) -> "Embedding | None":
    """Return the embedding, and note it in a file without a note unless the records have their own vectors.

    The flags replace the note if all documents are replaced, or if the file has no documents.
    """
    from hybrid_search.embedding.embedding import Embedding

    given = embedding_flags.are_given(flags)
    noted = None if given and ("rebuild" in flags or not file.store.count()) else file.noted()
    kept = noted if noted is not None or given else file.choice()
    choice = embedding_flags.choice_of(flags, kept)
    embedding = Embedding.chosen(choice)  # raises before an unusable choice is stored in the file
    vector_models.check(file.store, embedding)
    if noted is None and (kept is None or choice.embed != NONE):
        file.choose(choice)
    return embedding

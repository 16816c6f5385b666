"""The command `hybrid-search index`."""

import os
from collections.abc import Mapping
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from hybrid_search.base import validation
from hybrid_search.chunker.chunker import DEFAULT_SIZE, Chunker
from hybrid_search.cli import embedding_flags, file_lines, mapping_flags, progress_choice
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
    batch_size = validation.integer("--batch-size", flags["batch-size"], 1)
    files = _files(line, mapping)
    lines = RecordLines(line.arguments, console.stdin) if files is None else files
    # The reader of files has already applied the mapping.
    mapped = RecordMapping(mapping, flags.get("other-keys", REFUSE)) if files is None else RecordMapping({}, REFUSE)
    if not os.path.exists(flags["index"]):
        embedding_flags.choice_of(flags, None).provider()  # a refused choice leaves no new file behind
    with ExitStack() as open_parts:
        rejects = open_parts.enter_context(Rejects(flags.get("rejects"), console))
        file = open_parts.enter_context(IndexFile(flags["index"], read_only=False, made=True))
        if "rebuild" in flags:
            file = open_parts.enter_context(file.rebuilding())
        embedding = _chosen(file, flags)
        how = flags.get("progress", progress_choice.BAR if console.has_terminal_for_errors else progress_choice.NONE)
        progress = open_parts.enter_context(progress_choice.progress(how, console, lines.size))
        importer = Importer(file.store, embedding, changed=None if files is None else files.followed(file.store))
        run = IndexRun(importer, mapped, rejects, flags["on-error"] == STOP, "rebuild" in flags)
        run.all(lines, batch_size, progress)
        cleaned = {} if files is None else files.cleaned(file.store.delete, "prune" in flags)
        counts = {**run.counts(), **cleaned, "documents": file.store.count()}
        if files is not None and (skipped := files.skipped()):
            console.complain(PROGRAM, skipped)
        for warning in vector_models.check(file.store, embedding):
            console.complain(PROGRAM, f"warning: {warning}")
    report(counts, flags.get("format"), console)
    return 0


def _files(line: CommandLine, mapping: Mapping[str, str]) -> FileLines | None:
    """Return the files of a command line; `None` if it names only JSON Lines."""
    if not file_lines.are_wanted(line.arguments):
        return None
    flags = line.flags
    chunker = Chunker(flags.get("chunk-size", DEFAULT_SIZE), flags.get("chunk-overlap"))
    return FileLines(FileWalk(line.arguments), FileReader(chunker, mapping, flags.get("other-keys")))


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

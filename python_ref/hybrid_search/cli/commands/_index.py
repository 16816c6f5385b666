"""`hybrid-search index`."""

from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any

from hybrid_search import _validation as validation
from hybrid_search.cli import _progress as progresses
from hybrid_search.cli._command_line import CommandLine
from hybrid_search.cli._console import Console
from hybrid_search.cli._embedding_choice import EmbeddingChoice
from hybrid_search.cli._importer import Importer
from hybrid_search.cli._index_file import IndexFile
from hybrid_search.cli._record_lines import InputError, RecordLine, RecordLines
from hybrid_search.cli._record_mapping import RecordMapping
from hybrid_search.cli._rejects import Rejects
from hybrid_search.cli._report import report
from hybrid_search.cli._usage import UsageError
from hybrid_search.errors import DimensionMismatchError, InvalidInputError

STOP = "stop"


def run(line: CommandLine, console: Console) -> int:
    """Store records."""
    flags = line.flags
    if "rejects" in flags and flags["on-error"] == STOP:
        raise UsageError("--rejects needs --on-error skip")
    mapping = RecordMapping(flags.get("map", ()), flags["other-keys"])
    batch_size = validation.integer("--batch-size", flags["batch-size"], 1)
    lines = RecordLines(line.arguments, console.stdin)
    with IndexFile(flags["index"], read_only=False) as file, ExitStack() as open_parts:
        choice = _chosen(file, flags)
        how = flags.get("progress", progresses.BAR if console.has_terminal_for_errors else progresses.NONE)
        progress = open_parts.enter_context(progresses.progress(how, console, lines.size))
        rejects = open_parts.enter_context(Rejects(flags.get("rejects"), console))
        run = _Run(Importer(file.store, choice.embedding()), mapping, rejects, flags["on-error"] == STOP)
        try:
            for each in lines:
                run.take(each)
                if len(run.batch) == batch_size:
                    run.store()
                    progress.stored(run.counts(), lines.read)
            run.store()
            progress.stored(run.counts(), lines.read)
        except KeyboardInterrupt:
            raise KeyboardInterrupt(f"interrupted; {run.told()}; run it again to go on") from None
        counts = {**run.counts(), "documents": file.store.count()}
    report(counts, flags.get("format"), console)
    return 0


def _chosen(file: IndexFile, flags: Mapping[str, Any]) -> EmbeddingChoice:
    kept = file.choice()
    choice = EmbeddingChoice.of_flags(flags, kept)
    if kept is None:
        choice.embedding()  # refuses what it cannot do before the file holds it
        file.choose(choice)
    return choice


class _Run:
    """The records of one run.

    Args:
        importer: stores them.
        mapping: makes them of what the lines hold.
        rejects: takes those that are passed over.
        stops: whether one that is not accepted ends the run.

    Attributes:
        batch: the lines that are not stored yet, with their records.
    """

    def __init__(self, importer: Importer, mapping: RecordMapping, rejects: Rejects, stops: bool) -> None:
        self._importer = importer
        self._mapping = mapping
        self._rejects = rejects
        self._stops = stops
        self._read = 0
        self.batch: list[tuple[RecordLine, dict[str, Any]]] = []

    def counts(self) -> dict[str, int]:
        """Records so far."""
        done = self._importer
        return {
            "read": self._read,
            "added": done.added,
            "updated": done.updated,
            "unchanged": done.unchanged,
            "rejected": self._rejects.count,
        }

    def told(self) -> str:
        """What is stored, for the message of a run that ends early."""
        done = self._importer
        return f"{done.added + done.updated + done.unchanged} records are stored"

    def take(self, line: RecordLine) -> None:
        """Take a line into the batch.

        Raises:
            InputError: its record is not accepted, and the run stops then; those before it are stored.
        """
        self._read += 1
        try:
            if line.content is None:
                raise InvalidInputError(line.reason)
            record = self._mapping.record(line.content)
            self._importer.check(record)
            self.batch.append((line, record))
        except (InvalidInputError, DimensionMismatchError) as problem:
            if self._stops:
                self.store()
            self._refuse(line, str(problem))

    def store(self) -> None:
        """Store the batch."""
        while self.batch:
            try:
                self._importer.store([record for _, record in self.batch])
                self.batch = []
            except DimensionMismatchError:
                # How many components its vectors have, an embedding may tell only once it has made some.
                if not self._drop_refused():
                    raise

    def _drop_refused(self) -> bool:
        """Take out of the batch what is refused now; whether there was any."""
        kept = []
        refused = []
        for line, record in self.batch:
            try:
                self._importer.check(record)
                kept.append((line, record))
            except DimensionMismatchError as problem:
                refused.append((line, str(problem)))
        if refused and self._stops:
            places = [line for line, _ in self.batch]
            self.batch = self.batch[: places.index(refused[0][0])]
            self.store()
        else:
            self.batch = kept
        for line, reason in refused:
            self._refuse(line, reason)
        return bool(refused)

    def _refuse(self, line: RecordLine, reason: str) -> None:
        if self._stops:
            raise InputError(f"{line.place}: {reason}; {self.told()}")
        self._rejects.add(line, reason)

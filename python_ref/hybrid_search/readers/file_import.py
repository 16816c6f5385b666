"""Reads files into an index, from code (FIL-6)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hybrid_search.errors import DimensionMismatchError, InvalidInputError
from hybrid_search.protocols import Record
from hybrid_search.readers.file_ledger import Delete, FileLedger
from hybrid_search.readers.file_reader import FileReader
from hybrid_search.readers.file_record import FileRecord
from hybrid_search.readers.file_walk import FileWalk, SkippedFile
from hybrid_search.records.batch_limits import BatchLimits
from hybrid_search.records.importer import Importer
from hybrid_search.records.record_writer import Progress

STOP, SKIP = "stop", "skip"
ON_ERROR = (STOP, SKIP)
"""The accepted ways to treat a file, or a record in it, that cannot be read."""


@dataclass(frozen=True)
class AddedFiles:
    """The result of `Index.add_files`.

    Attributes:
        read: the number of files that were read.
        unchanged: the number of read files whose documents are the same as before.
        skipped: the files that were not read, and the records that were not stored, with the reasons.
        added: the number of documents that were added.
        updated: the number of documents that replaced another.
        removed: the number of documents that were removed.
    """

    read: int
    unchanged: int
    skipped: Sequence[SkippedFile]
    added: int
    updated: int
    removed: int


class FileImport:
    """One run over files.

    Args:
        walk: finds the files.
        reader: reads them.
        ledger: tracks them.
        importer: stores their records.
        stops: whether a file or record that cannot be read ends the run.
    """

    def __init__(self, walk: FileWalk, reader: FileReader, ledger: FileLedger, importer: Importer, stops: bool) -> None:
        self._walk = walk
        self._reader = reader
        self._ledger = ledger
        self._importer = importer
        self._stops = stops
        self._refused: list[SkippedFile] = []

    def run(self, batch_size: int | None, progress: Progress | None, delete: Delete, prune: bool) -> AddedFiles:
        """Read all files and store their records, batch by batch.

        Raises:
            InvalidInputError: a file or a record cannot be read or stored, and the run stops then.
        """
        done = 0
        with self._importer.workers() as ahead:
            for batch, ready in ahead.of(self._batches(self._importer.batch_limits(batch_size))):
                self._importer.store(batch, ready)
                done += len(batch)
                if progress is not None:
                    progress(done, -1)
        if progress is not None and done == 0:
            progress(done, -1)
        self._ledger.clean(delete, prune)
        counts = self._ledger.counts
        return AddedFiles(
            read=counts["read"],
            unchanged=counts["unchanged"],
            skipped=[*self._ledger.skipped, *self._refused],
            added=self._importer.added,
            updated=self._importer.updated,
            removed=self._ledger.removed,
        )

    def _batches(self, limits: BatchLimits) -> Iterator[list[Record]]:
        """Return the records of all files in batches; records that were read before an error are returned first."""
        batch: list[Record] = []
        for walked in self._walk.files():
            for file in self._ledger.following(walked.path, self._reader.records(walked)):
                reason = self._reason(file)
                if reason and self._stops:
                    if batch:
                        yield batch
                    raise InvalidInputError(f"{file.place}: {reason}")
                if not reason and file.record is not None:
                    batch.append(file.record)
                    if limits.is_whole_with(file.record):
                        yield batch
                        batch = []
                elif file.number:
                    self._refused.append(SkippedFile(file.place, reason))
        if batch:
            yield batch

    def _reason(self, file: FileRecord) -> str:
        """Return why a record cannot be read or stored; "" if it can."""
        if file.record is not None:
            try:
                self._importer.check(file.record)
            except (InvalidInputError, DimensionMismatchError) as problem:
                return str(problem)
        return file.reason

"""Stores the records of one run of `index` (CUR-5)."""

from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from hybrid_search.cli.file_lines import FileLines
from hybrid_search.cli.progress import Progress
from hybrid_search.cli.record_lines import InputError, RecordLine, RecordLines
from hybrid_search.cli.rejects import Rejects
from hybrid_search.errors import DimensionMismatchError, InvalidInputError
from hybrid_search.records.batch_limits import BatchLimits
from hybrid_search.records.importer import Importer
from hybrid_search.records.record_fields import Ready
from hybrid_search.records.record_mapping import RecordMapping

STOP = "stop"
KEEPING = "any_vectors keeps it"
"""The end of messages about vectors that name an option of `Index` without a flag of its own."""


class IndexRun:
    """The records of one run of `index`.

    Args:
        importer: stores records.
        mapping: makes records from the contents of lines.
        rejects: receives records that are skipped.
        stops: whether an invalid record ends the run.
        rebuilds: whether nothing is stored before the end.
    """

    def __init__(
        self, importer: Importer, mapping: RecordMapping, rejects: Rejects, stops: bool, rebuilds: bool
    ) -> None:
        self._importer = importer
        self._mapping = mapping
        self._rejects = rejects
        self._stops = stops
        self._rebuilds = rebuilds
        self._read = 0
        self._ahead: deque[_ReadBatch] = deque()
        self._batch: list[tuple[RecordLine, dict[str, Any]]] = []
        self._refused: tuple[RecordLine, str] | None = None

    def counts(self) -> dict[str, int]:
        """Return the counts of records so far."""
        return self._counts(self._read, self._rejects.count)

    def all(self, lines: RecordLines | FileLines, batch_size: int | None, progress: Progress) -> None:
        """Store all records of lines, batch by batch.

        Args:
            lines: the lines.
            batch_size: the number of records in a batch, or `None` for the usual limits (IDX-3).
            progress: shows the progress.

        Raises:
            InputError: a record is invalid and the run stops; the records before it are stored.
        """
        try:
            with self._importer.workers() as ahead:
                for _, ready in ahead.of(self._batches(lines, self._importer.batch_limits(batch_size))):
                    batch = self._ahead.popleft()
                    self._batch = batch.records
                    self._store(ready)
                    if batch.is_whole:
                        progress.stored(self._counts(batch.read, batch.rejected), batch.position)
            if self._refused is not None:
                self._refuse(*self._refused)
            progress.stored(self.counts(), lines.read)
        except KeyboardInterrupt:
            raise KeyboardInterrupt(f"interrupted; {self._told()}; run it again to continue") from None

    def _told(self) -> str:
        """Return the number of stored records, for the message of a run that ends early."""
        if self._rebuilds:
            return "nothing has changed"
        done = self._importer
        return f"records stored: {done.added + done.updated + done.unchanged}"

    def _counts(self, read: int, rejected: int) -> dict[str, int]:
        """Return the counts of stored records, with those of records that were read and refused up to some batch."""
        done = self._importer
        return {
            "read": read,
            "added": done.added,
            "updated": done.updated,
            "unchanged": done.unchanged,
            "rejected": rejected,
        }

    def _batches(self, lines: RecordLines | FileLines, limits: BatchLimits) -> Iterator[list[dict[str, Any]]]:
        """Return the records of lines in batches; an invalid record at which the run stops ends them."""
        batch: list[tuple[RecordLine, dict[str, Any]]] = []
        for line in lines:
            self._read += 1
            is_whole = False
            try:
                record = self._record(line)
                batch.append((line, record))
                is_whole = limits.is_whole_with(record)
            except (InvalidInputError, DimensionMismatchError) as problem:
                if self._stops:
                    self._refused = (line, _reason(problem))
                    break
                self._refuse(line, _reason(problem))
            if is_whole:
                self._ahead.append(_ReadBatch(batch, True, self._read, self._rejects.count, lines.read))
                yield [record for _, record in batch]
                batch = []
        if batch:
            self._ahead.append(_ReadBatch(batch, False, self._read, self._rejects.count, lines.read))
            yield [record for _, record in batch]

    def _record(self, line: RecordLine) -> dict[str, Any]:
        """Return the record of a line, if it can be stored."""
        if line.content is None:
            raise InvalidInputError(line.reason)
        record = self._mapping.record(line.content)
        self._importer.check(record)
        return record

    def _store(self, ready: Sequence[Ready] | None = None) -> None:
        """Store the batch; `ready` are the fields of its texts, if they are known."""
        while self._batch:
            try:
                self._importer.store([record for _, record in self._batch], ready)
                self._batch = []
            except DimensionMismatchError:
                ready = None
                # An embedding may know the dimension of its vectors only after making some.
                if not self._drop_refused():
                    raise

    def _drop_refused(self) -> bool:
        """Remove records from the batch that are refused now; return whether there were any."""
        kept = []
        refused = []
        for line, record in self._batch:
            try:
                self._importer.check(record)
                kept.append((line, record))
            except DimensionMismatchError as problem:
                refused.append((line, _reason(problem)))
        if refused and self._stops:
            places = [line for line, _ in self._batch]
            self._batch = self._batch[: places.index(refused[0][0])]
            self._store()
        else:
            self._batch = kept
        for line, reason in refused:
            self._refuse(line, reason)
        return bool(refused)

    def _refuse(self, line: RecordLine, reason: str) -> None:
        if self._stops:
            raise InputError(f"{line.place}: {reason}; {self._told()}")
        self._rejects.add(line, reason)


class _ReadBatch(NamedTuple):
    """A batch that has been read.

    Attributes:
        records: the records with their lines.
        is_whole: whether it has reached a limit of batches.
        read: the number of lines that had been read then.
        rejected: the number of records that had been refused then.
        position: the number of bytes of the input that had been read then, for the progress.
    """

    records: list[tuple[RecordLine, dict[str, Any]]]
    is_whole: bool
    read: int
    rejected: int
    position: int


def _reason(problem: Exception) -> str:
    """Return the problem with a record, with a flag in place of an option that the message names."""
    message = str(problem)
    if not message.endswith(KEEPING):
        return message
    return f"{message.removesuffix(KEEPING)}--embed none in a new file keeps it"

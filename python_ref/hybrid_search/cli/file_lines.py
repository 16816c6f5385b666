"""Reads records from files of all kinds, for a run of `index` (CUR-5, FIL-6)."""

import os
from collections.abc import Iterator, Sequence
from typing import Any

from hybrid_search.base.system_path import system_path
from hybrid_search.cli.record_lines import STANDARD_INPUT, RecordLine
from hybrid_search.cli.usage import UsageError
from hybrid_search.doc_store_adapter.base import DocStoreAdapter
from hybrid_search.readers import file_kinds
from hybrid_search.readers.file_ledger import Delete, FileLedger
from hybrid_search.readers.file_reader import FileReader
from hybrid_search.readers.file_walk import FileWalk
from hybrid_search.records.importer import Changed


class FileLines:
    """The records of files, one after the other.

    Args:
        walk: finds the files.
        reader: reads them.

    Attributes:
        read: the number of bytes of the files that were read.
        size: the number of bytes of all files.
    """

    def __init__(self, walk: FileWalk, reader: FileReader) -> None:
        self._walk = walk
        self._reader = reader
        self._files = list(walk.files())
        self._ledger: FileLedger | None = None
        self.read = 0
        self.size = 0
        for file in self._files:
            self.size += _size(file.path)

    def __iter__(self) -> Iterator[RecordLine]:
        for file in self._files:
            for each in self._followed.following(file.path, self._reader.records(file)):
                yield RecordLine(each.path, each.number, each.record, each.text, each.reason)
            self.read += _size(file.path)

    def followed(self, store: DocStoreAdapter) -> Changed:
        """Track the files in a store; return the function to call with each document that is stored."""
        self._ledger = FileLedger(store, self._walk)
        return self._ledger.changed

    def cleaned(self, delete: Delete, prune: bool) -> dict[str, Any]:
        """Remove the documents that files no longer contain, and return the counts of files."""
        self._followed.clean(delete, prune)
        return {"removed": self._followed.removed, "files": self._followed.counts}

    def skipped(self) -> str:
        """Return the number of files that were skipped without an error, with the reasons; "" without such files."""
        reasons: dict[str, int] = {}
        for file in self._walk.skipped:
            reasons[file.reason] = reasons.get(file.reason, 0) + 1
        shown = ", ".join(f"{reason} ({count})" for reason, count in sorted(reasons.items()))
        return f"skipped {len(self._walk.skipped)} files: {shown}" if shown else ""

    @property
    def _followed(self) -> FileLedger:
        assert self._ledger is not None, "followed comes first"
        return self._ledger


def are_wanted(paths: Sequence[str]) -> bool:
    """Return whether paths name anything other than JSON Lines.

    Raises:
        UsageError: they do, and include standard input.
    """
    others = [path for path in paths if path != STANDARD_INPUT and not _is_json_lines(path)]
    if others and STANDARD_INPUT in paths:
        raise UsageError(f"standard input cannot be read together with {others[0]}")
    return bool(others)


def _is_json_lines(path: str) -> bool:
    if "\0" in path or os.path.isdir(system_path(path)):
        return "\0" in path
    kind = file_kinds.kind_of(path)
    return kind == file_kinds.JSONL or (kind is None and not file_kinds.extension_of(path) and "*" not in path)


def _size(path: str) -> int:
    try:
        return os.stat(system_path(path)).st_size
    except OSError:
        return 0

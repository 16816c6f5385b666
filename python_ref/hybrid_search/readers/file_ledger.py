"""Tracks files, and removes the documents of files that have changed or no longer exist (FIL-6)."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from hybrid_search.doc_store_adapter.base import DocStoreAdapter
from hybrid_search.readers.file_record import FileRecord
from hybrid_search.readers.file_walk import FileWalk, SkippedFile
from hybrid_search.records import selection

PATH_FIELD = "metadata.path"
BATCH = 1024
"""The number of documents that are removed at once."""
NO_TEXT = "it contains no text"

Delete = Callable[[Sequence[str]], int]


class FileLedger:
    """Tracks the files of one run from their records to their documents.

    Args:
        store: the store of the documents.
        walk: finds the files.

    Attributes:
        removed: the number of removed documents.
    """

    def __init__(self, store: DocStoreAdapter, walk: FileWalk) -> None:
        self._store = store
        self._walk = walk
        self._ids: dict[str, set[str]] = {}
        self._paths: dict[str, str] = {}
        self._changed: set[str] = set()
        self._failed: list[SkippedFile] = []
        self._unread: set[str] = set()
        self.removed = 0

    def following(self, path: str, records: Iterable[FileRecord]) -> Iterator[FileRecord]:
        """Return the records of a file as they are read, and track them."""
        ids = self._ids[path] = set()
        for each in records:
            if each.record is not None:
                identifier = str(each.record.get("id"))
                ids.add(identifier)
                self._paths[identifier] = path
            elif each.number == 0:
                self._failed.append(SkippedFile(path, each.reason))
                self._unread.add(path)
            yield each
        if not ids and path not in self._unread:
            self._walk.skipped.append(SkippedFile(path, NO_TEXT))
            self._unread.add(path)

    def changed(self, document: Mapping[str, Any]) -> None:
        """Record that a document was stored."""
        path = self._paths.get(document["id"])
        if path is not None:
            self._changed.add(path)

    def clean(self, delete: Delete, prune: bool) -> None:
        """Remove the documents that files no longer contain.

        Args:
            delete: removes documents by their ids, and returns their number.
            prune: whether to remove the documents of missing files too.
        """
        stored = _counts(self._store)
        for path, ids in self._ids.items():
            own = [identifier for identifier in ids if self._paths[identifier] == path]
            if path not in self._unread and stored.get(path, 0) > len(own):
                self._remove(path, ids, delete)
        for path in stored if prune else ():
            if path not in self._ids and self._walk.covers(path):
                self._remove(path, set(), delete)

    @property
    def skipped(self) -> list[SkippedFile]:
        """The files that were not read, with the reasons."""
        return [*self._walk.skipped, *self._failed]

    @property
    def counts(self) -> dict[str, int]:
        """The numbers of files: read, unchanged among these, and skipped."""
        read = self._ids.keys() - self._unread
        return {"read": len(read), "unchanged": len(read - self._changed), "skipped": len(self.skipped)}

    def _remove(self, path: str, kept: set[str], delete: Delete) -> None:
        filters = selection.read({"doc_id": path, PATH_FIELD: path})
        found = self._store.search(select_fields=[], filters=filters, limit=self._store.count())
        gone = [identifier for identifier in found.ids if identifier not in kept]
        for start in range(0, len(gone), BATCH):
            self.removed += delete(gone[start : start + BATCH])
        if gone:
            self._changed.add(path)


def _counts(store: DocStoreAdapter) -> dict[str, int]:
    """Return the number of documents of each path."""
    filters = selection.read({PATH_FIELD: {"exists": True}})
    aggs = store.search(select_fields=[], filters=filters, limit=0, agg_fields=[PATH_FIELD]).aggs
    return {path: count for path, count in aggs.get(PATH_FIELD, ()) if isinstance(path, str)}

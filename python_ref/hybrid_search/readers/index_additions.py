"""Fills an index with the contents of files (FIL-6, FIL-7)."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hybrid_search.base import validation
from hybrid_search.doc_store_adapter.base import DocStoreAdapter
from hybrid_search.protocols import OtherKeys
from hybrid_search.records import batch_limits
from hybrid_search.records.document_builder import MOST_WORKERS
from hybrid_search.records.record_mapping import OTHER_KEYS
from hybrid_search.records.record_writer import Progress, RecordWriter

if TYPE_CHECKING:  # an index that reads no files loads none of these
    from hybrid_search.chunker.chunker import Chunker
    from hybrid_search.readers.file_import import AddedFiles
    from hybrid_search.readers.file_reader import FileReader
    from hybrid_search.readers.file_walk import FileWalk


class IndexAdditions:
    """The methods of an index that add the contents of files.

    Attributes:
        store: the store of the documents.
    """

    store: DocStoreAdapter
    _writer: RecordWriter
    _path: str | None

    @validation.checked
    def add_files(
        self,
        paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
        *,
        chunker: "Chunker | None" = None,
        mapping: Mapping[str, str] | None = None,
        other_keys: OtherKeys | None = None,
        on_error: str = "stop",
        prune: bool = False,
        batch_size: int | None = None,
        progress: Progress | None = None,
        workers: int = 1,
    ) -> "AddedFiles":
        """Add the documents that files contain, and update those that have changed (FIL-6).

        Texts, Markdown, HTML, PDF and Word documents are cut into chunks; each row of a table is a document, and so is
        each object of JSON. Repeating the call embeds only changed texts.

        Args:
            paths: files, folders, or patterns with `*`, `?` and `**`; a list, or one of them.
            chunker: cuts documents; default: a `Chunker`.
            mapping: the key of a record → the column of a table, or the name in JSON, that contains its value.
            other_keys: what to do with names that records do not have, as for `add`; by default columns of tables are
                moved into `metadata`, and names in JSON are refused.
            on_error: what to do with a file, or a record in it, that cannot be read: "stop" raises an error, "skip"
                skips it.
            prune: whether to remove the documents of files that no longer exist.
            batch_size: as for `add`.
            progress: as for `add`.
            workers: as for `add`.

        Returns:
            The numbers of files and documents, and the files that were skipped, with the reasons.

        Raises:
            InvalidInputError: an argument is not accepted, or a file cannot be read; earlier batches stay stored.
        """
        from hybrid_search.readers.file_import import ON_ERROR, STOP

        walk, reader = _walk(paths), _reader(chunker, mapping, other_keys)
        stops = validation.choice("on_error", on_error, ON_ERROR) == STOP
        batch_size = batch_limits.checked(batch_size)
        workers = validation.integer("workers", workers, 1, MOST_WORKERS)
        return self._read(walk, reader, stops, batch_size, progress, validation.boolean("prune", prune), workers)

    @validation.checked
    def watch_files(
        self,
        paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
        *,
        chunker: "Chunker | None" = None,
        mapping: Mapping[str, str] | None = None,
        other_keys: OtherKeys | None = None,
        batch_size: int | None = None,
        stop: Callable[[], object] | None = None,
    ) -> Iterator["AddedFiles"]:
        """Add the documents that files contain, and do so again whenever files have changed (FIL-7).

        ```python
        for added in index.watch_files("docs/"):
            print(added)
        ```

        Files that cannot be read, for example half-written ones, are skipped; the documents of files that no longer
        exist are removed. Everything is read again after a change, but only changed texts are embedded.

        Args:
            paths: as for `add_files`.
            chunker: as for `add_files`.
            mapping: as for `add_files`.
            other_keys: as for `add_files`.
            batch_size: as for `add`.
            stop: returns whether to stop; it is called at least once a second. Without it the iteration never ends.

        Returns:
            The result of `add_files`, at first and after each change.

        Raises:
            InvalidInputError: an argument is not accepted, or a folder no longer exists.
            ConfigurationError: the package watchfiles is not installed.
        """
        from hybrid_search.readers.file_watch import FileWatch

        walk, reader = _walk(paths), _reader(chunker, mapping, other_keys)
        batch_size = batch_limits.checked(batch_size)
        if stop is not None and not callable(stop):
            raise validation.fail("stop", stop, "a callable")
        watch = FileWatch(walk, self._path, (lambda: False) if stop is None else stop)

        def added() -> Iterator["AddedFiles"]:
            with watch:
                yield self._read(walk, reader, False, batch_size, None, True, 1)
                for _ in watch:
                    yield self._read(walk.again(), reader, False, batch_size, None, True, 1)

        return added()

    def _read(
        self,
        walk: "FileWalk",
        reader: "FileReader",
        stops: bool,
        batch_size: int | None,
        progress: Progress | None,
        prune: bool,
        workers: int,
    ) -> "AddedFiles":
        from hybrid_search.readers.file_import import FileImport
        from hybrid_search.readers.file_ledger import FileLedger

        ledger = FileLedger(self.store, walk)
        run = FileImport(walk, reader, ledger, self._writer.importer(ledger.changed, workers), stops)
        return run.run(batch_size, progress, self._writer.delete, prune)


def _walk(paths: Any) -> "FileWalk":
    from hybrid_search.readers.file_walk import FileWalk

    given = [paths] if isinstance(paths, (str, os.PathLike)) else paths
    if not isinstance(given, Sequence):
        raise validation.fail("paths", paths, "a path, or a list of paths")
    return FileWalk([os.fspath(path) for path in given])


def _reader(chunker: Any, mapping: Any, other_keys: Any) -> "FileReader":
    from hybrid_search.chunker.chunker import Chunker
    from hybrid_search.readers.file_reader import FileReader

    return FileReader(
        chunker=Chunker() if chunker is None else chunker,
        mapping={} if mapping is None else validation.mapping("mapping", mapping),
        other_keys=None if other_keys is None else validation.choice("other_keys", other_keys, OTHER_KEYS),
    )

"""Writes records into a store, batch by batch, each batch whole or not at all (IDX-3, IDX-5)."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from hybrid_search.base import validation
from hybrid_search.base.observation import Observation
from hybrid_search.base.process_lock import ProcessLock
from hybrid_search.doc_store_adapter import vector_models
from hybrid_search.doc_store_adapter.base import DocStoreAdapter
from hybrid_search.embedding.embedding import Embedding
from hybrid_search.errors import InvalidInputError
from hybrid_search.protocols import Record, Records
from hybrid_search.records import batch_limits, record_sources
from hybrid_search.records.batch_limits import BatchLimits
from hybrid_search.records.document_builder import DocumentBuilder
from hybrid_search.records.importer import Changed, Importer
from hybrid_search.records.record_fields import Ready
from hybrid_search.records.record_mapping import OTHER_KEYS, REFUSE, RecordMapping

Progress = Callable[[int, int], None]
Document = Mapping[str, Any]
Write = Callable[[Sequence[Record], int, Sequence[Ready] | None], int]
"""Writes a batch, given the place of its first record among all records, and the fields of its texts if they are known;
returns the number of changed documents."""

OPTIONS = ("batch_size", "progress", "other_keys")
_PLACE_IN_BATCH = re.compile(r"\Adocuments\[(\d+)\]")


class RecordWriter:
    """Adds, changes, replaces and removes documents.

    An update computes documents from the stored ones, then stores them. One lock is held while documents are stored or
    removed, but never while something is computed or a model is called. If documents have changed in the meantime,
    their update is computed again.

    Args:
        store: contains the documents.
        documents: makes the documents.
        embedding: computes their vectors; the name of its model is stored (DOC-7).
        observation: receives an event for each batch (OBS-1).
        any_vectors: as for `Index`.
    """

    def __init__(
        self,
        store: DocStoreAdapter,
        documents: DocumentBuilder,
        embedding: Embedding | None,
        observation: Observation,
        any_vectors: bool = False,
    ) -> None:
        self._store = store
        self._documents = documents
        self._embedding = embedding
        self._observation = observation
        self._any_vectors = any_vectors
        self._writing = ProcessLock()

    def add(
        self, records: Records, batch_size: int | None, progress: Progress | None, other_keys: str, workers: int
    ) -> int:
        """See `Index.add`."""
        return self._write("add", self._add, records, batch_size, progress, other_keys, workers)

    def update(self, records: Records, batch_size: int | None, progress: Progress | None, other_keys: str) -> int:
        """See `Index.update`."""
        return self._write("update", self._update, records, batch_size, progress, other_keys, 1)

    def upsert(
        self, records: Records, batch_size: int | None, progress: Progress | None, other_keys: str, workers: int
    ) -> int:
        """See `Index.upsert`."""
        return self._write("upsert", self._upsert, records, batch_size, progress, other_keys, workers)

    def delete(self, ids: Sequence[str]) -> int:
        """See `Index.delete`."""
        with self._writing.mutex:
            return self._store.delete(ids)

    def importer(self, changed: Changed, workers: int) -> Importer:
        """Return an importer, which stores records that may be stored already."""
        return Importer(self._store, self._embedding, self._documents, changed, self._any_vectors, workers)

    def _write(
        self,
        event: str,
        write: Write,
        records: Records,
        batch_size: int | None,
        progress: Progress | None,
        other_keys: str,
        workers: int,
    ) -> int:
        limits = self._documents.batch_limits(batch_limits.checked(batch_size))
        if progress is not None and not callable(progress):
            raise validation.fail("progress", progress, "a callable")
        other_keys = validation.choice("other_keys", other_keys, OTHER_KEYS)
        source, total = record_sources.read(records)
        done = written = 0
        with self._documents.workers(workers) as ahead:
            for batch, ready in ahead.of(_batches(_mapped(source, other_keys), limits)):
                with self._observation.measure(event, documents=len(batch)):
                    written += write(batch, done, ready)
                done += len(batch)
                if progress is not None:
                    progress(done, total)
        return written

    def _add(self, records: Sequence[Record], first: int, ready: Sequence[Ready] | None) -> int:
        documents = self._documents.build_many(records, first, ready=ready)
        with self._writing.mutex:
            return self._placed(self._store.insert, records, documents, first)

    def _upsert(self, records: Sequence[Record], first: int, ready: Sequence[Ready] | None) -> int:
        documents = self._documents.build_many(records, first, ready=ready)
        with self._writing.mutex:
            return self._placed(self._store.upsert, records, documents, first)

    def _update(self, records: Sequence[Record], first: int, ready: Sequence[Ready] | None) -> int:
        while True:
            seen = _Seen(self._store)
            documents = self._documents.changes(records, seen.get, first)
            with self._writing.mutex:
                if seen.is_current():
                    return self._placed(self._store.update, records, documents, first)

    def _placed(
        self,
        write: Callable[[Sequence[Document]], int],
        records: Sequence[Record],
        documents: Sequence[Document],
        first: int,
    ) -> int:
        """Write a batch; errors name records by their places among all given records."""
        brought = [record.get("vector") is not None for record in records]
        claims = vector_models.claim(self._store, self._embedding, documents, brought, self._any_vectors)
        try:
            written = write(documents)
        except InvalidInputError as error:
            message = _PLACE_IN_BATCH.sub(lambda found: f"records[{first + int(found.group(1))}]", str(error))
            raise InvalidInputError(message.replace("; use insert or upsert", "; use add or upsert")) from None
        vector_models.claim_again(self._store, claims)
        return written


class _Seen:
    """The documents that an update has read; reports whether they are still the same."""

    def __init__(self, store: DocStoreAdapter) -> None:
        self._store = store
        self._generation = store.generation
        self._documents: dict[str, dict[str, Any] | None] = {}

    def get(self, identifier: str) -> dict[str, Any] | None:
        self._documents[identifier] = document = self._store.get(identifier)
        return document

    def is_current(self) -> bool:
        if self._store.generation == self._generation:
            return True
        return all(self._store.get(identifier) == document for identifier, document in self._documents.items())


def _mapped(records: Iterable[Record], other_keys: str) -> Iterable[Record]:
    """Return the records with their keys mapped to those of records."""
    if other_keys == REFUSE:
        return records
    mapping = RecordMapping({}, other_keys)
    return (mapping.record(validation.mapping(f"records[{index}]", each)) for index, each in enumerate(records))


def _batches(records: Iterable[Record], limits: BatchLimits) -> Iterator[list[Record]]:
    batch: list[Record] = []
    for record in records:
        batch.append(record)
        if limits.is_whole_with(record):
            yield batch
            batch = []
    if batch:
        yield batch

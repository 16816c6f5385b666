"""The document store that has all its content in memory (DOC-1 … DOC-4)."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from hybrid_search.base import validation
from hybrid_search.base.kernels import kernel
from hybrid_search.base.process_lock import ProcessLock
from hybrid_search.doc_store_adapter import vector_models
from hybrid_search.doc_store_adapter.documents import batch
from hybrid_search.doc_store_adapter.documents.stored_document import StoredDocument
from hybrid_search.doc_store_adapter.snapshot.bm25 import Bm25
from hybrid_search.doc_store_adapter.snapshot.snapshot_store import SnapshotStore
from hybrid_search.doc_store_adapter.snapshot.store_snapshot import StoreSnapshot


class MemoryDocStore(SnapshotStore):
    """Documents in memory, with an inverted index for each token and keyword field and an index for each vector field.

    The store is safe to use from several threads: every method sees a whole batch or nothing of it. Readers take no
    lock and never wait. A writer builds a new snapshot while others read the current one, and publishes it by one
    assignment. A batch that is interrupted at any point therefore changes nothing. A child process that is forked while
    another thread writes has the store as it was before that batch, and may read and write its own copy.

    The BM25 statistics of a field cover all documents that have the field, even if it is empty; they do not depend on
    filters, on the order of insertion, or on deleted documents.

    Args:
        bm25: "okapi" (as `rank_bm25.BM25Okapi`) or "lucene".
        kernels: "plain" or "fast", see `kernels.choice`.

    Raises:
        InvalidInputError: another value of `bm25` or `kernels`, or an unknown option.
    """

    @validation.known_options(("bm25", "kernels"))
    def __init__(self, bm25: str = "okapi", kernels: str | None = None) -> None:
        self._writing = ProcessLock()
        self._snapshot = StoreSnapshot(kernel("document_index", kernels)(Bm25.of(bm25)))

    def insert(self, documents: Sequence[Mapping[str, Any]]) -> int:
        """See `DocStoreAdapter.insert`."""
        accepted = batch.accept(documents)
        with self._writing.mutex:
            batch.check_new(accepted, self._snapshot.holds)
            self._publish([], accepted)
        return len(accepted)

    def update(self, documents: Sequence[Mapping[str, Any]]) -> int:
        """See `DocStoreAdapter.update`."""
        accepted = batch.accept(documents)
        with self._writing.mutex:
            changes = batch.changes(accepted, self._snapshot.stored)
            self._publish([document.identifier for document in changes], changes)
        return len(changes)

    def upsert(self, documents: Sequence[Mapping[str, Any]]) -> int:
        """See `DocStoreAdapter.upsert`."""
        accepted = batch.accept(documents)
        with self._writing.mutex:
            changes = batch.replacements(accepted, self._snapshot.stored)
            replaced = [document.identifier for document in changes if self._snapshot.holds(document.identifier)]
            self._publish(replaced, changes)
        return len(changes)

    def delete(self, identifiers: Sequence[str]) -> int:
        """See `DocStoreAdapter.delete`."""
        checked = validation.texts("identifiers", identifiers)
        with self._writing.mutex:
            removed = [identifier for identifier in dict.fromkeys(checked) if self._snapshot.holds(identifier)]
            self._publish(removed, [])
        return len(removed)

    def get(self, identifier: str) -> dict[str, Any] | None:
        """See `DocStoreAdapter.get`."""
        return self._snapshot.get(validation.text("identifier", identifier))

    def count(self) -> int:
        """See `DocStoreAdapter.count`."""
        return self._snapshot.count

    @property
    def generation(self) -> int:
        """The number of batches that have changed the content."""
        return self._snapshot.generation

    def health(self) -> dict[str, Any]:
        """See `DocStoreAdapter.health`."""
        snapshot = self._snapshot
        return {"status": "green", "documents": snapshot.count, "generation": snapshot.generation}

    def stats(self) -> dict[str, Any]:
        """See `DocStoreAdapter.stats`; reads all documents."""
        return self._snapshot.stats()

    def vector_fields(self) -> dict[str, dict[str, Any]]:
        """See `DocStoreAdapter.vector_fields`."""
        return self._snapshot.vector_fields()

    def keep_vector_model(self, field: str, model: str | None, origin: str = "index") -> None:
        """See `DocStoreAdapter.keep_vector_model`."""
        with self._writing.mutex:
            snapshot = self._snapshot
            kept = vector_models.keep(snapshot.sources, field, model, origin, snapshot.holds_vectors)
            if kept is not None:
                self._snapshot = snapshot.with_source(field, kept)

    def _in_one_state(self) -> AbstractContextManager[StoreSnapshot]:
        return nullcontext(self._snapshot)

    def _publish(self, removed: Sequence[str], added: Sequence[StoredDocument]) -> None:
        if removed or added:
            self._snapshot = self._snapshot.changed(removed, added)

"""The base class of stores whose documents are in the tables of a database (SQL-1 … SQL-5, PG-1 … PG-5)."""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Generic, Protocol, Self, TypeVar

from hybrid_search.base import validation
from hybrid_search.doc_store_adapter import vector_models
from hybrid_search.doc_store_adapter.documents import batch
from hybrid_search.doc_store_adapter.documents.stored_document import StoredDocument
from hybrid_search.doc_store_adapter.snapshot.snapshot_store import SnapshotStore
from hybrid_search.doc_store_adapter.snapshot.store_snapshot import StoreSnapshot
from hybrid_search.doc_store_adapter.tables.document_changes import Batch
from hybrid_search.doc_store_adapter.tables.document_states import DocumentTables

Become = Callable[[Sequence[StoredDocument], batch.Stored], list[StoredDocument]]
"""Returns the new form of given documents, considering the stored ones."""


class StoreTables(DocumentTables, Protocol):
    """The tables as a transaction sees them."""

    @property
    def generation(self) -> int:
        """The number of batches that have changed something."""
        ...

    @property
    def count(self) -> int:
        """The number of documents."""
        ...

    def sources(self) -> dict[str, vector_models.VectorSource]:
        """Return the stored sources of vector fields."""
        ...

    def vector_counts(self) -> dict[str, int]:
        """Return vector field → the number of documents that have it."""
        ...

    def holds_vectors(self, name: str) -> bool:
        """Return whether a document has a vector in a field."""
        ...

    def numbers_of(self, identifiers: Iterable[str]) -> dict[str, int]:
        """Return the ids and numbers of those documents that are stored."""
        ...

    def stored_at(self, numbers: Sequence[int]) -> list[StoredDocument]:
        """Return documents by their numbers."""
        ...


class TableWriter(Protocol):
    """Changes tables in a transaction."""

    def write(self, batch: Batch, numbers: Mapping[str, int]) -> None:
        """Write a batch.

        Args:
            batch: each document before and after the change.
            numbers: the ids and numbers of the stored documents.
        """
        ...

    def keep_source(self, field: str, source: vector_models.VectorSource) -> None:
        """Store the source of a field's vectors."""
        ...


TablesOfStore = TypeVar("TablesOfStore", bound=StoreTables)


class TableStore(SnapshotStore, Generic[TablesOfStore]):
    """A store in which each batch and each read is one transaction.

    Args:
        documents: returns the documents in each state of the tables: `DocumentStates`, or its fast form.
    """

    def __init__(self, documents: Any) -> None:
        self._documents = documents

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @abstractmethod
    def close(self) -> None:
        """Release the resources of the store; all other methods then raise `DocStoreError`."""

    def insert(self, documents: Sequence[Mapping[str, Any]]) -> int:
        """See `DocStoreAdapter.insert`."""
        return self._change(documents, _additions)

    def update(self, documents: Sequence[Mapping[str, Any]]) -> int:
        """See `DocStoreAdapter.update`."""
        return self._change(documents, batch.changes)

    def upsert(self, documents: Sequence[Mapping[str, Any]]) -> int:
        """See `DocStoreAdapter.upsert`."""
        return self._change(documents, batch.replacements)

    def delete(self, identifiers: Sequence[str]) -> int:
        """See `DocStoreAdapter.delete`."""
        checked = validation.texts("identifiers", identifiers)
        return self._write(checked, lambda stored: [(document, None) for document in stored.values()])

    def get(self, identifier: str) -> dict[str, Any] | None:
        """See `DocStoreAdapter.get`."""
        validation.text("identifier", identifier)
        with self._reading() as tables:
            for document in tables.stored_at(list(tables.numbers_of([identifier]).values())):
                return {**document.fields, **document.vectors}
            return None

    def count(self) -> int:
        """See `DocStoreAdapter.count`."""
        with self._reading() as tables:
            return tables.count

    @property
    def generation(self) -> int:
        """The number of batches that have changed something since the tables were created."""
        with self._reading() as tables:
            return tables.generation

    def health(self) -> dict[str, Any]:
        """See `DocStoreAdapter.health`."""
        with self._reading() as tables:
            return {"status": "green", "documents": tables.count, "generation": tables.generation}

    def stats(self) -> dict[str, Any]:
        """See `DocStoreAdapter.stats`; reads all documents."""
        with self._reading() as tables:
            return StoreSnapshot(self._documents.state(tables), tables.generation, tables.sources()).stats()

    def vector_fields(self) -> dict[str, dict[str, Any]]:
        """See `DocStoreAdapter.vector_fields`."""
        with self._reading() as tables:
            return vector_models.described(tables.vector_counts(), tables.sources(), tables.count)

    def keep_vector_model(self, field: str, model: str | None, origin: str = "index") -> None:
        """See `DocStoreAdapter.keep_vector_model`."""
        with self._reading() as seen:
            if vector_models.keep(seen.sources(), field, model, origin, seen.holds_vectors) is None:
                return
        with self._writing() as tables:
            kept = vector_models.keep(tables.sources(), field, model, origin, tables.holds_vectors)
            if kept is not None:
                self._writer(tables).keep_source(field, kept)

    @abstractmethod
    def _reading(self) -> AbstractContextManager[TablesOfStore]:
        """Yield the tables in one state."""

    @abstractmethod
    def _writing(self) -> AbstractContextManager[TablesOfStore]:
        """Yield the tables in their latest state; all changes are committed when the block ends without an error."""

    @abstractmethod
    def _writer(self, tables: TablesOfStore) -> TableWriter:
        """Return the writer of the tables."""

    def _numbers_in_batch(self, tables: TablesOfStore, identifiers: Sequence[str]) -> dict[str, int]:
        """Return the ids and numbers of those documents that are stored, before a batch is written."""
        return tables.numbers_of(identifiers)

    @contextmanager
    def _in_one_state(self) -> Iterator[StoreSnapshot]:
        with self._reading() as tables:
            documents = self._documents.state(tables)
            yield StoreSnapshot(
                documents,
                tables.generation,
                counted=lambda: self._counted_vectors(tables),
                facts=self._vector_facts(tables),
            )

    def _counted_vectors(self, _tables: TablesOfStore) -> Mapping[str, int]:
        """Return vector field → the number of documents that have it, if a search may rely on it (FUS-5)."""
        return {}

    def _vector_facts(self, _tables: TablesOfStore) -> Callable[[], vector_models.Fields] | None:
        """Return what returns the facts about each vector field, if they are read once for each state anyway."""
        return None

    def _change(self, documents: Sequence[Mapping[str, Any]], become: Become) -> int:
        accepted = batch.accept(documents)

        def changes(stored: Mapping[str, StoredDocument]) -> Batch:
            changed = become(accepted, stored.get)
            return [(stored.get(document.identifier), document) for document in changed]

        return self._write([document.identifier for document in accepted], changes)

    def _write(self, identifiers: Sequence[str], changes: Callable[[Mapping[str, StoredDocument]], Batch]) -> int:
        """Make and write a batch from the stored documents with these ids; return its number of documents."""
        with self._writing() as tables:
            numbers = self._numbers_in_batch(tables, identifiers)
            found = changes({document.identifier: document for document in tables.stored_at(list(numbers.values()))})
            if found:
                self._writer(tables).write(found, numbers)
            return len(found)


def _additions(accepted: Sequence[StoredDocument], stored: batch.Stored) -> list[StoredDocument]:
    batch.check_new(accepted, lambda identifier: stored(identifier) is not None)
    return list(accepted)

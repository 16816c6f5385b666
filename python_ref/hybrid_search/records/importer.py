"""Stores records, some of which may be stored already: changed ones replace documents, unchanged ones are skipped."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hybrid_search.base import json_writer
from hybrid_search.doc_store_adapter import vector_models
from hybrid_search.doc_store_adapter.base import DocStoreAdapter
from hybrid_search.embedding.embedding import Embedding
from hybrid_search.records.batch_limits import BatchLimits
from hybrid_search.records.document_builder import DocumentBuilder, StoredDocument
from hybrid_search.records.record_fields import Ready

if TYPE_CHECKING:
    from hybrid_search.records.text_workers import TextWorkers

Changed = Callable[[StoredDocument], None]


class Importer:
    """Stores batches of records as if they were stored one after another.

    Args:
        store: the store of the documents.
        embedding: makes their vectors; `None`: only vectors of records are stored.
        documents: makes the documents; by default a builder with that embedding.
        changed: called with each document that is stored.
        any_vectors: as for `Index`.
        workers: as for `Index.add`.

    Attributes:
        added: the number of new records.
        updated: the number of records that replaced a document.
        unchanged: the number of records that were stored already, unchanged.
    """

    def __init__(
        self,
        store: DocStoreAdapter,
        embedding: Embedding | None,
        documents: DocumentBuilder | None = None,
        changed: Changed | None = None,
        any_vectors: bool = False,
        workers: int = 1,
    ) -> None:
        self._store = store
        self._embedding = embedding
        self._builder = DocumentBuilder(embedding=embedding) if documents is None else documents
        self._changed = changed
        self._any_vectors = any_vectors
        self._workers = workers
        self.added = self.updated = self.unchanged = 0

    def check(self, record: Mapping[str, Any]) -> None:
        """Refuse a record that cannot be stored.

        Raises:
            InvalidInputError: it cannot be stored.
            DimensionMismatchError: it cannot be stored because of its vector.
        """
        self._builder.check("record", record)

    def batch_limits(self, size: int | None) -> BatchLimits:
        """Return the limits of batches of records (IDX-3); `size` is the number of records, or `None`."""
        return self._builder.batch_limits(size)

    def workers(self) -> "TextWorkers":
        """Return the processes that cut the texts of batches into tokens before they are stored."""
        # Until the dimension of vectors is known, records can be checked only after all earlier batches are embedded.
        is_known = self._embedding is None or self._embedding.dimension is not None
        return self._builder.workers(self._workers if is_known else 1)

    def store(self, records: Sequence[Mapping[str, Any]], ready: Sequence[Ready] | None = None) -> None:
        """Store a batch.

        Args:
            records: the batch.
            ready: the fields of its texts, if they are known.
        """
        batch = _Batch(self._store)
        for document in self._builder.build_many(records, wanted=batch.wants, ready=ready):
            batch.documents[document["id"]] = document
        documents = list(batch.documents.values())
        brought = [document["id"] in batch.with_vectors for document in documents]
        claims = vector_models.claim(self._store, self._embedding, documents, brought, self._any_vectors)
        self._store.upsert(documents)
        vector_models.claim_again(self._store, claims)
        if self._changed is not None:
            for document in documents:
                self._changed(document)
        self.added += batch.added
        self.updated += batch.updated
        self.unchanged += batch.unchanged


class _Batch:
    """The changes of a batch.

    Attributes:
        documents: the documents to store, by id.
        with_vectors: the ids of the documents whose records bring a vector.
    """

    def __init__(self, store: DocStoreAdapter) -> None:
        self._store = store
        self.documents: dict[str, StoredDocument] = {}
        self.with_vectors: set[str] = set()
        self.added = self.updated = self.unchanged = 0

    def wants(self, document: StoredDocument) -> bool:
        """Return whether a document differs from the stored one, before it has a computed vector."""
        identifier = document["id"]
        known = self.documents.get(identifier)
        if known is None:
            known = self._store.get(identifier)
        if known is not None and _same(known, document):
            self.unchanged += 1
            return False
        self.documents[identifier] = dict(document)
        (self.with_vectors.add if any(map(_is_vector, document)) else self.with_vectors.discard)(identifier)
        if known is None:
            self.added += 1
        else:
            self.updated += 1
        return True


def _same(known: StoredDocument, document: StoredDocument) -> bool:
    """Return whether the fields are equal; a vector counts only if the record has one."""
    return _text(known, document) == _text(document, document)


def _text(fields: StoredDocument, document: StoredDocument) -> str:
    kept = {name: value for name, value in fields.items() if name in document or not _is_vector(name)}
    return json_writer.write(dict(sorted(kept.items())))


def _is_vector(name: str) -> bool:
    return name.endswith("_vec")

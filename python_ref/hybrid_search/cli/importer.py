"""Stores records that may be stored already: what has changed replaces what there was, what has not is passed over."""

from collections.abc import Mapping, Sequence
from typing import Any

from hybrid_search.base import json_writer
from hybrid_search.doc_store_adapter import vector_models
from hybrid_search.doc_store_adapter.base import DocStoreAdapter
from hybrid_search.embedding.embedding import Embedding
from hybrid_search.records.document_builder import DocumentBuilder, StoredDocument


class Importer:
    """Stores batches of records, each as if one record were stored after the other.

    Args:
        store: where they are stored.
        embedding: makes their vectors, none: nothing does.

    Attributes:
        added: how many records were new.
        updated: how many replaced a document.
        unchanged: how many were stored already, just so.
    """

    def __init__(self, store: DocStoreAdapter, embedding: Embedding | None) -> None:
        self._store = store
        self._embedding = embedding
        self._builder = DocumentBuilder(embedding=embedding)
        self.added = self.updated = self.unchanged = 0

    def check(self, record: Mapping[str, Any]) -> None:
        """Refuse a record that cannot be stored.

        Raises:
            InvalidInputError: it cannot.
            DimensionMismatchError: it cannot, for its vector.
        """
        self._builder.check("record", record)

    def store(self, records: Sequence[Mapping[str, Any]]) -> None:
        """Store a batch."""
        batch = _Batch(self._store)
        for document in self._builder.build_many(records, wanted=batch.wants):
            batch.documents[document["id"]] = document
        documents = list(batch.documents.values())
        brought = [document["id"] in batch.with_vectors for document in documents]
        vector_models.claim(self._store, self._embedding, documents, brought)
        self._store.upsert(documents)
        self.added += batch.added
        self.updated += batch.updated
        self.unchanged += batch.unchanged


class _Batch:
    """What a batch changes.

    Attributes:
        documents: what is to be stored, by id.
        with_vectors: the ids of those whose records bring a vector.
    """

    def __init__(self, store: DocStoreAdapter) -> None:
        self._store = store
        self.documents: dict[str, StoredDocument] = {}
        self.with_vectors: set[str] = set()
        self.added = self.updated = self.unchanged = 0

    def wants(self, document: StoredDocument) -> bool:
        """Whether a document differs from what there is; asked before it has the vector that an embedding makes."""
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
    """Whether the fields are the same; a vector counts only where the document brings one."""
    return _text(known, document) == _text(document, document)


def _text(fields: StoredDocument, document: StoredDocument) -> str:
    kept = {name: value for name, value in fields.items() if name in document or not _is_vector(name)}
    return json_writer.write(dict(sorted(kept.items())))


def _is_vector(name: str) -> bool:
    return name.startswith("q_") and name.endswith("_vec")

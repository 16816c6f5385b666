"""An index as a document store and as a retriever of Haystack; Python only, the extra `haystack`.

```python
from haystack import Document
from hybrid_search.integrations.haystack import HybridSearchDocumentStore, HybridSearchRetriever

store = HybridSearchDocumentStore(path="handbook.hsx")
store.write_documents([Document(content="MISRA C++ rule 6-2-1: no assignment in sub-expressions")])
print(HybridSearchRetriever(store).run("rule 6-2-1")["documents"])
```
"""

import asyncio
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hybrid_search.base import validation
from hybrid_search.errors import ConfigurationError, InvalidInputError
from hybrid_search.index import Index
from hybrid_search.integrations import packages, record_parts

try:
    from haystack import Document, component, default_from_dict, default_to_dict
    from haystack.document_stores.errors import DuplicateDocumentError
    from haystack.document_stores.types import DuplicatePolicy, FilterPolicy
    from haystack.document_stores.types.filter_policy import apply_filter_policy
except ImportError as problem:
    raise packages.missing("hybrid_search.integrations.haystack", "haystack-ai", "haystack") from problem

from hybrid_search.integrations.haystack_filters import META, from_filters, to_filters

__all__ = ["HybridSearchDocumentStore", "HybridSearchRetriever", "from_filters", "to_filters"]

_KINDS = {bool: "boolean", int: "int", float: "float", str: "text", list: "list", dict: "dict"}


class HybridSearchDocumentStore:
    """An index as a document store: an index file, an index in memory, or an index of your own.

    `content`, `meta`, `embedding` and `id` are stored. Documents with a `blob` or a `sparse_embedding` are refused.

    Args:
        path: the index file; a missing file is created.
        index: the index, instead of a path; a store that has one cannot be serialized.
        options: other options of `Index`, plain data if the store is to be serialized.
        record_keys: the keys of `meta` that are stored as keys of the record, such as "title", which has three times
            the weight of the content.

    Raises:
        InvalidInputError: an argument is not acceptable.

    Attributes:
        index: the index.
    """

    def __init__(
        self,
        path: str | None = None,
        index: Index | None = None,
        options: dict[str, Any] | None = None,
        record_keys: Sequence[str] = (),
    ) -> None:
        if index is not None and (path is not None or options):
            raise InvalidInputError("index excludes path and options")
        if index is not None and not isinstance(index, Index):
            raise validation.fail("index", index, "an Index")
        self._path = None if path is None else os.fspath(path)
        self._options = dict(options or {})
        self._was_given = index is not None
        self._record_keys = record_parts.record_keys(list(record_keys))
        self.index = Index(path=self._path, **self._options) if index is None else index

    def to_dict(self) -> dict[str, Any]:
        """Return the store as plain data.

        Raises:
            ConfigurationError: the store was made with an `index`.
        """
        if self._was_given:
            raise ConfigurationError("a store that was made with an index cannot be serialized; pass a path")
        given = {"path": self._path, "options": self._options, "record_keys": list(self._record_keys)}
        plain: dict[str, Any] = default_to_dict(self, **given)
        return plain

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "HybridSearchDocumentStore":
        """Return the store of plain data."""
        made: HybridSearchDocumentStore = default_from_dict(cls, data)
        return made

    def count_documents(self) -> int:
        """Return the number of documents."""
        return self.index.count()

    def filter_documents(self, filters: dict[str, Any] | None = None) -> list[Document]:
        """Return the documents that match filters, ordered by id.

        Args:
            filters: filters of Haystack; default: all documents.
        """
        return list(self._each(filters, ("vector",)))

    def write_documents(self, documents: list[Document], policy: DuplicatePolicy = DuplicatePolicy.NONE) -> int:
        """Store documents.

        Args:
            documents: the documents.
            policy: the treatment of ids that are already stored: `FAIL` (the default), `SKIP` or `OVERWRITE`.

        Returns:
            The number of written documents.

        Raises:
            InvalidInputError: a document cannot be stored.
            DuplicateDocumentError: the policy is `FAIL`, and an id is already stored; nothing is written.
        """
        if not isinstance(documents, list):
            raise validation.fail("documents", documents, "a list of documents")
        records = {}
        for place, document in enumerate(documents):
            record = self._record(f"documents[{place}]", document)
            if policy is DuplicatePolicy.OVERWRITE or record["id"] not in records:
                records[record["id"]] = record
            elif policy is not DuplicatePolicy.SKIP:
                raise DuplicateDocumentError(f"documents[{place}] has the id of an earlier document: {record['id']}")
        if policy is DuplicatePolicy.OVERWRITE:
            self.index.upsert(records.values())
            return len(documents)
        known = self.index.get_many(list(records))
        stored = {identifier for identifier, record in zip(records, known, strict=True) if record is not None}
        if stored and policy is not DuplicatePolicy.SKIP:
            raise DuplicateDocumentError(f"a document with this id is stored already: {min(stored)}")
        return self.index.add([record for identifier, record in records.items() if identifier not in stored])

    def delete_documents(self, document_ids: list[str]) -> None:
        """Remove documents by their ids; ids that are not stored are skipped."""
        self.index.delete(document_ids)

    def delete_all_documents(self) -> None:
        """Remove all documents."""
        self.index.clear()

    def delete_by_filter(self, filters: dict[str, Any]) -> int:
        """Remove the documents that match filters, and return their number."""
        return self.index.delete(filters=to_filters(filters))

    def update_by_filter(self, filters: dict[str, Any], meta: dict[str, Any]) -> int:
        """Set keys of `meta` in the documents that match filters, and return their number."""
        changes = []
        for document in self._each(filters):
            record = record_parts.record(document.id, "", {**document.meta, **meta}, self._record_keys)
            changes.append({key: value for key, value in record.items() if key != "content"})
        self.index.update(changes)
        return len(changes)

    def count_documents_by_filter(self, filters: dict[str, Any]) -> int:
        """Return the number of documents that match filters."""
        return self.index.count(filters=to_filters(filters))

    def count_unique_metadata_by_filter(
        self, filters: dict[str, Any], metadata_fields: Sequence[str]
    ) -> dict[str, int]:
        """Return the number of different values of each field in the documents that match filters."""
        return {name: len(self._distinct(name, filters)) for name in metadata_fields}

    def get_metadata_fields_info(self) -> dict[str, dict[str, str]]:
        """Return the type of each field of `meta`."""
        found: dict[str, dict[str, str]] = {}
        for document in self._each(None):
            for name, value in document.meta.items():
                found.setdefault(name, {"type": _KINDS.get(type(value), "text")})
        return found

    def get_metadata_field_min_max(self, metadata_field: str) -> dict[str, Any]:
        """Return the lowest and the highest value of a field under `min` and `max`; `None` if there are no values."""
        values = self._distinct(metadata_field, None)
        numbers = [one for one in values if isinstance(one, (int, float)) and not isinstance(one, bool)]
        compared: list[Any] = numbers or [one for one in values if isinstance(one, str)]
        return {"min": min(compared, default=None), "max": max(compared, default=None)}

    def get_metadata_field_unique_values(
        self,
        metadata_field: str,
        search_term: str | None = None,
        from_: int = 0,
        size: int | None = 10,
        filters: dict[str, Any] | None = None,
    ) -> tuple[list[Any], int]:
        """Return some of the different values of a field, ordered by their texts, and the number of all.

        Args:
            metadata_field: the name of the field.
            search_term: a text that must occur in a value; upper and lower case do not matter.
            from_: the number of values to skip.
            size: the maximum number of values to return; `None` returns all.
            filters: filters of Haystack that the documents must match.
        """
        values = self._distinct(metadata_field, filters)
        if search_term is not None:
            values = [value for value in values if search_term.casefold() in str(value).casefold()]
        values = sorted(values, key=lambda value: (str(value), type(value).__name__))
        return values[from_ : None if size is None else from_ + size], len(values)

    def search(
        self,
        query: str = "",
        query_embedding: list[float] | None = None,
        filters: dict[str, Any] | None = None,
        top_k: int = 10,
        **options: Any,
    ) -> list[Document]:
        """Return the best documents of a hybrid search, with their scores.

        Args:
            query: the question.
            query_embedding: its embedding; by default the one of the index's own embedding, or only the full text is
                searched.
            filters: filters of Haystack.
            top_k: the number of documents.
            options: options of `Index.search`.
        """
        page = self.index.search(
            query, vector=query_embedding, filters=to_filters(filters), limit=top_k, **{"include": (), **options}
        )
        return [self._document(hit.to_dict()) for hit in page]

    async def count_documents_async(self) -> int:
        """Return the number of documents."""
        return await asyncio.to_thread(self.count_documents)

    async def filter_documents_async(self, filters: dict[str, Any] | None = None) -> list[Document]:
        """Return the documents that match filters; see `filter_documents`."""
        return await asyncio.to_thread(self.filter_documents, filters)

    async def write_documents_async(
        self, documents: list[Document], policy: DuplicatePolicy = DuplicatePolicy.NONE
    ) -> int:
        """Store documents; see `write_documents`."""
        return await asyncio.to_thread(self.write_documents, documents, policy)

    async def delete_documents_async(self, document_ids: list[str]) -> None:
        """Remove documents by their ids; see `delete_documents`."""
        await asyncio.to_thread(self.delete_documents, document_ids)

    async def delete_all_documents_async(self) -> None:
        """Remove all documents."""
        await asyncio.to_thread(self.delete_all_documents)

    async def delete_by_filter_async(self, filters: dict[str, Any]) -> int:
        """Remove the documents that match filters; see `delete_by_filter`."""
        return await asyncio.to_thread(self.delete_by_filter, filters)

    async def update_by_filter_async(self, filters: dict[str, Any], meta: dict[str, Any]) -> int:
        """Set keys of `meta`; see `update_by_filter`."""
        return await asyncio.to_thread(self.update_by_filter, filters, meta)

    async def count_documents_by_filter_async(self, filters: dict[str, Any]) -> int:
        """Return the number of documents that match filters."""
        return await asyncio.to_thread(self.count_documents_by_filter, filters)

    def _each(self, filters: Mapping[str, Any] | None, include: Sequence[str] = ()) -> Iterator[Document]:
        for hit in self.index.each(match_all=True, filters=to_filters(filters), include=include):
            yield self._document(hit.to_dict())

    def _distinct(self, name: str, filters: Mapping[str, Any] | None) -> list[Any]:
        """Return the different values of a field; 1, 1.0, "1" and true are different values."""
        found: dict[tuple[type, Any], Any] = {}
        for document in self._each(filters):
            value = document.meta.get(name.removeprefix(META))
            for one in value if isinstance(value, list) else [value]:
                if one is not None and not isinstance(one, dict):
                    found.setdefault((type(one), one), one)
        return list(found.values())

    def _record(self, place: str, document: Any) -> dict[str, Any]:
        if not isinstance(document, Document):
            raise validation.fail(place, document, "a Document of Haystack")
        if document.blob is not None or document.sparse_embedding is not None:
            raise InvalidInputError(f"{place} must have neither a blob nor a sparse_embedding")
        content = validation.text(f"{place}.content", document.content)
        record = record_parts.record(document.id, content, document.meta, self._record_keys)
        return record if document.embedding is None else {**record, "vector": document.embedding}

    def _document(self, plain: Mapping[str, Any]) -> Document:
        return Document(
            id=plain["id"],
            content=plain["content"],
            meta=record_parts.metadata(plain),
            embedding=plain.get("vector"),
            score=plain.get("score"),
        )


@component
class HybridSearchRetriever:
    """Retrieves the documents of a question from a `HybridSearchDocumentStore` by hybrid search.

    Args:
        document_store: the store.
        filters: filters of Haystack for each search.
        top_k: the number of documents.
        filter_policy: whether the filters of a run replace `filters` or are merged with them.
        options: options of `Index.search` for each search, plain data if the component is to be serialized.

    Raises:
        InvalidInputError: an argument is not acceptable.
    """

    def __init__(
        self,
        document_store: HybridSearchDocumentStore,
        filters: dict[str, Any] | None = None,
        top_k: int = 10,
        filter_policy: FilterPolicy = FilterPolicy.REPLACE,
        options: dict[str, Any] | None = None,
    ) -> None:
        if not isinstance(document_store, HybridSearchDocumentStore):
            raise validation.fail("document_store", document_store, "a HybridSearchDocumentStore")
        self.document_store = document_store
        self.filters = filters
        self.top_k = validation.integer("top_k", top_k, 1)
        self.filter_policy = filter_policy
        self.options = dict(options or {})

    def to_dict(self) -> dict[str, Any]:
        """Return the component as plain data."""
        plain: dict[str, Any] = default_to_dict(
            self,
            document_store=self.document_store.to_dict(),
            filters=self.filters,
            top_k=self.top_k,
            filter_policy=self.filter_policy.value,
            options=self.options,
        )
        return plain

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "HybridSearchRetriever":
        """Return the component of plain data."""
        given = dict(data["init_parameters"])
        given["document_store"] = HybridSearchDocumentStore.from_dict(given["document_store"])
        given["filter_policy"] = FilterPolicy.from_str(given.get("filter_policy", "replace"))
        made: HybridSearchRetriever = default_from_dict(cls, {**data, "init_parameters": given})
        return made

    @component.output_types(documents=list[Document])
    def run(
        self,
        query: str,
        query_embedding: list[float] | None = None,
        filters: dict[str, Any] | None = None,
        top_k: int | None = None,
    ) -> dict[str, list[Document]]:
        """Return the best documents of a question under `documents`.

        Args:
            query: the question.
            query_embedding: its embedding, if the documents were embedded by a component of Haystack.
            filters: filters of Haystack for this search.
            top_k: the number of documents of this search.
        """
        wanted = apply_filter_policy(self.filter_policy, self.filters, filters)
        found = self.document_store.search(
            query, query_embedding, wanted, self.top_k if top_k is None else top_k, **self.options
        )
        return {"documents": found}

    @component.output_types(documents=list[Document])
    async def run_async(
        self,
        query: str,
        query_embedding: list[float] | None = None,
        filters: dict[str, Any] | None = None,
        top_k: int | None = None,
    ) -> dict[str, list[Document]]:
        """Return the best documents of a question; see `run`."""
        return await asyncio.to_thread(self.run, query, query_embedding, filters, top_k)

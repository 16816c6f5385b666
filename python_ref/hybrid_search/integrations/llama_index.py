"""An index as a vector store and as a retriever of LlamaIndex; Python only, the extra `llama-index`.

```python
from llama_index.core import VectorStoreIndex
from hybrid_search.integrations.llama_index import HybridSearchVectorStore

store = HybridSearchVectorStore()
index = VectorStoreIndex.from_vector_store(store, embed_model=embed_model)
retriever = index.as_retriever(vector_store_query_mode="hybrid")
```
"""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from hybrid_search.base import validation
from hybrid_search.errors import InvalidInputError
from hybrid_search.index import Index
from hybrid_search.integrations import packages, record_parts
from hybrid_search.search.hit import Hit

try:
    from llama_index.core.bridge.pydantic import PrivateAttr
    from llama_index.core.retrievers import BaseRetriever
    from llama_index.core.schema import (
        BaseNode,
        MetadataMode,
        NodeRelationship,
        NodeWithScore,
        QueryBundle,
        RelatedNodeInfo,
        TextNode,
    )
    from llama_index.core.vector_stores.types import (
        BasePydanticVectorStore,
        MetadataFilters,
        VectorStoreQuery,
        VectorStoreQueryMode,
        VectorStoreQueryResult,
    )
    from llama_index.core.vector_stores.utils import metadata_dict_to_node, node_to_metadata_dict
except ImportError as problem:
    raise packages.missing("hybrid_search.integrations.llama_index", "llama-index-core", "llama-index") from problem

from hybrid_search.integrations.llama_index_filters import from_filters, to_filters

__all__ = ["HybridSearchRetriever", "HybridSearchVectorStore", "from_filters", "to_filters"]

_NODE = "_node_content"
_TEXT_MODES = (VectorStoreQueryMode.TEXT_SEARCH, VectorStoreQueryMode.SPARSE)
_MODES = (VectorStoreQueryMode.DEFAULT, VectorStoreQueryMode.HYBRID, *_TEXT_MODES)


class HybridSearchVectorStore(BasePydanticVectorStore):
    """An index as a vector store: nodes are stored with their text, metadata, relationships and embedding.

    LlamaIndex embeds nodes and questions, so the index needs no embedding. The mode "default" compares embeddings,
    "hybrid" fuses the full text and the embeddings, "text_search" and "sparse" search the full text; other modes are
    refused. In the mode "default" similarities are cosines, in the others scores of the search.

    Args:
        index: the index; default: a new one in memory.
        record_keys: keys of metadata that are stored as keys of the record, such as "title", which has three times the
            weight of the content.
        options: options of `Index.search` for each query.

    Raises:
        InvalidInputError: an argument is not acceptable.
    """

    stores_text: bool = True
    is_embedding_query: bool = True
    flat_metadata: bool = False

    _index: Index = PrivateAttr()
    _record_keys: tuple[str, ...] = PrivateAttr()
    _options: dict[str, Any] = PrivateAttr()

    def __init__(
        self,
        index: Index | None = None,
        record_keys: Sequence[str] = (),
        options: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(stores_text=True)
        if index is not None and not isinstance(index, Index):
            raise validation.fail("index", index, "an Index")
        self._index = Index() if index is None else index
        self._record_keys = record_parts.record_keys(list(record_keys))
        self._options = dict(options or {})

    @classmethod
    def class_name(cls) -> str:
        """Return the name of the class, for LlamaIndex."""
        return "HybridSearchVectorStore"

    @property
    def client(self) -> Index:
        """The index."""
        return self._index

    def add(self, nodes: Sequence[BaseNode], **options: Any) -> list[str]:
        """Store nodes, or replace those whose ids are stored, and return their ids.

        Args:
            nodes: the nodes, with their embeddings.
            options: options of `Index.upsert`, such as `batch_size`.
        """
        self._index.upsert([self._record(node) for node in nodes], **options)
        return [node.node_id for node in nodes]

    def delete(self, ref_doc_id: str, **unknown: Any) -> None:
        """Remove all nodes of a document."""
        validation.known("option", unknown, ("ref_doc_id",))
        self._index.delete(filters={"doc_id": ref_doc_id})

    def get_nodes(self, node_ids: list[str] | None = None, filters: MetadataFilters | None = None) -> list[BaseNode]:
        """Return nodes by their ids, by filters or by both, ordered by id; without both all nodes."""
        wanted = _filters(filters, node_ids)
        return [_node(hit.to_dict()) for hit in self._index.each(match_all=True, filters=wanted, include=("vector",))]

    def delete_nodes(
        self, node_ids: list[str] | None = None, filters: MetadataFilters | None = None, **unknown: Any
    ) -> None:
        """Remove nodes by their ids, by filters or by both.

        Raises:
            InvalidInputError: neither is given; use `clear` to remove all nodes.
        """
        validation.known("option", unknown, ("node_ids", "filters"))
        wanted = _filters(filters, node_ids)
        if not wanted:
            raise InvalidInputError("delete_nodes needs node_ids or filters; clear removes all nodes")
        self._index.delete(filters=wanted)

    def clear(self) -> None:
        """Remove all nodes."""
        self._index.clear()

    def query(self, query: VectorStoreQuery, **options: Any) -> VectorStoreQueryResult:
        """Return the best nodes of a query.

        Args:
            query: the query; its `alpha` (0 for full text, 1 for embeddings) selects a weighted sum in the mode
                "hybrid".
            options: options of `Index.search`.

        Raises:
            InvalidInputError: the mode is not supported, a filter has no translation, or the embedding is missing.
        """
        mode = VectorStoreQueryMode(query.mode)
        if mode not in _MODES:
            raise InvalidInputError(f"mode must be one of {', '.join(one.value for one in _MODES)}, not {mode.value}")
        if mode not in _TEXT_MODES and query.query_embedding is None:
            raise InvalidInputError(f"a query in the mode {mode.value} needs a query_embedding")
        asked: dict[str, Any] = {"limit": query.similarity_top_k}
        # LlamaIndex passes an empty list if there is no condition.
        asked["filters"] = _filters(query.filters, query.node_ids or None, query.doc_ids or None)
        if mode not in _TEXT_MODES:
            asked["vector"] = query.query_embedding
        if mode == VectorStoreQueryMode.HYBRID:
            asked["limit"] = query.hybrid_top_k or query.similarity_top_k
            if query.alpha is not None:
                alpha = validation.number("alpha", query.alpha, 0.0, 1.0)
                asked.update(fusion="weighted_sum", weights=f"{1.0 - alpha},{alpha}")
        question = "" if mode == VectorStoreQueryMode.DEFAULT else query.query_str or ""
        hits = self._index.search(question, **{**asked, **self._options, **options}).hits
        return VectorStoreQueryResult(
            nodes=[_node(hit.to_dict()) for hit in hits],
            similarities=[_similarity(hit, mode) for hit in hits],
            ids=[hit.id for hit in hits],
        )

    async def async_add(self, nodes: Sequence[BaseNode], **options: Any) -> list[str]:
        """Store nodes; see `add`."""
        return await asyncio.to_thread(self.add, nodes, **options)

    async def adelete(self, ref_doc_id: str, **unknown: Any) -> None:
        """Remove all nodes of a document."""
        await asyncio.to_thread(self.delete, ref_doc_id, **unknown)

    async def aget_nodes(
        self, node_ids: list[str] | None = None, filters: MetadataFilters | None = None
    ) -> list[BaseNode]:
        """Return nodes; see `get_nodes`."""
        return await asyncio.to_thread(self.get_nodes, node_ids, filters)

    async def adelete_nodes(
        self, node_ids: list[str] | None = None, filters: MetadataFilters | None = None, **unknown: Any
    ) -> None:
        """Remove nodes; see `delete_nodes`."""
        await asyncio.to_thread(self.delete_nodes, node_ids, filters, **unknown)

    async def aclear(self) -> None:
        """Remove all nodes."""
        await asyncio.to_thread(self.clear)

    async def aquery(self, query: VectorStoreQuery, **options: Any) -> VectorStoreQueryResult:
        """Return the best nodes of a query; see `query`."""
        return await asyncio.to_thread(self.query, query, **options)

    def _record(self, node: BaseNode) -> dict[str, Any]:
        metadata = {**node_to_metadata_dict(node, remove_text=True, flat_metadata=False)}
        content = node.get_content(metadata_mode=MetadataMode.NONE)
        record = record_parts.record(node.node_id, content, metadata, self._record_keys)
        if node.ref_doc_id is not None:
            record["doc_id"] = node.ref_doc_id
        if node.embedding is not None:
            record["vector"] = node.embedding
        return record


class HybridSearchRetriever(BaseRetriever):
    """An index as a retriever: the nodes of a question, best first, with the scores of a hybrid search.

    The index embeds the question itself. It may have been filled by any program.

    Args:
        index: the index.
        similarity_top_k: the number of nodes.
        filters: filters of LlamaIndex for each search.
        options: options of `Index.search` for each search.

    Raises:
        InvalidInputError: an argument is not acceptable.
    """

    def __init__(
        self,
        index: Index,
        similarity_top_k: int = 10,
        filters: MetadataFilters | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        if not isinstance(index, Index):
            raise validation.fail("index", index, "an Index")
        self._index = index
        self._asked = {
            "limit": validation.integer("similarity_top_k", similarity_top_k, 1),
            "filters": to_filters(filters),
            **(options or {}),
        }
        super().__init__()

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        page = self._index.search(query_bundle.query_str, **self._asked)
        return [NodeWithScore(node=_node(hit.to_dict()), score=hit.score) for hit in page]

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return await asyncio.to_thread(self._retrieve, query_bundle)


def _filters(
    filters: MetadataFilters | None, node_ids: Sequence[str] | None, doc_ids: Sequence[str] | None = None
) -> dict[str, Any]:
    found = to_filters(filters)
    if node_ids is not None:
        found = {"all": [found, {"id": list(node_ids)}]} if found else {"id": list(node_ids)}
    if doc_ids is not None:
        found = {"all": [found, {"doc_id": list(doc_ids)}]} if found else {"doc_id": list(doc_ids)}
    return found


def _similarity(hit: Hit, mode: VectorStoreQueryMode) -> float:
    if mode == VectorStoreQueryMode.DEFAULT and hit.scores.cosine is not None:
        return hit.scores.cosine
    return float(hit.score or 0.0)


def _node(plain: Mapping[str, Any]) -> BaseNode:
    """Return the node that was stored, or a text node of a record that is not from LlamaIndex."""
    stored = plain.get("metadata") or {}
    if _NODE in stored:
        node = metadata_dict_to_node(dict(stored), text=plain["content"])
    else:
        metadata = record_parts.metadata(plain)
        document = metadata.pop("doc_id", None)
        related = {} if document is None else {NodeRelationship.SOURCE: RelatedNodeInfo(node_id=document)}
        node = TextNode(id_=plain["id"], text=plain["content"], metadata=metadata, relationships=related)
    if "vector" in plain:
        node.embedding = plain["vector"]
    return node

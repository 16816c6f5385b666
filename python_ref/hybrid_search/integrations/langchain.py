"""An index as a vector store and as a retriever of LangChain; Python only, the extra `langchain`.

```python
from hybrid_search import Index
from hybrid_search.integrations.langchain import HybridSearchRetriever

retriever = HybridSearchRetriever(index=Index.open("handbook.hsx"), k=5)
documents = retriever.invoke("rule 6-2-1")
```
"""

import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from hybrid_search.base import validation
from hybrid_search.errors import InvalidInputError
from hybrid_search.index import Index
from hybrid_search.integrations import filter_tree, packages, record_parts
from hybrid_search.integrations.filter_tree import FieldComparison, FieldOperation, FilterTree
from hybrid_search.protocols import FilterData, Vector
from hybrid_search.retriever.field_words import ATTRIBUTES
from hybrid_search.search.hit import Hit

try:
    from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
    from langchain_core.documents import Document
    from langchain_core.embeddings import Embeddings
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.runnables import run_in_executor
    from langchain_core.structured_query import (
        Comparator,
        Comparison,
        FilterDirective,
        Operation,
        Operator,
        StructuredQuery,
        Visitor,
    )
    from langchain_core.vectorstores import VectorStore
    from langchain_core.vectorstores.utils import maximal_marginal_relevance
    from pydantic import Field
except ImportError as problem:
    raise packages.missing("hybrid_search.integrations.langchain", "langchain-core", "langchain") from problem

__all__ = [
    "HybridSearchRetriever",
    "HybridSearchTranslator",
    "HybridSearchVectorStore",
    "from_filters",
    "to_filters",
]

SCORE = "relevance_score"
"""The key of metadata in which a retriever returns the score of a document."""

_COMPARATORS = {
    "eq": Comparator.EQ,
    "ne": Comparator.NE,
    "gt": Comparator.GT,
    "gte": Comparator.GTE,
    "lt": Comparator.LT,
    "lte": Comparator.LTE,
    "in": Comparator.IN,
    "nin": Comparator.NIN,
}
_PATTERNS = {"contains": "%{}%", "starts_with": "{}%", "ends_with": "%{}"}
_WILD = frozenset("%_")
_OF_COMPARATORS = {**{value: name for name, value in _COMPARATORS.items()}, Comparator.CONTAIN: "eq"}
_OPERATORS = {"and": Operator.AND, "or": Operator.OR, "not": Operator.NOT}


def to_filters(directive: FilterDirective) -> dict[str, Any]:
    """Return the filters of a search that are equivalent to a structured filter of LangChain.

    Its attributes are those of `metadata`. `contain` matches a list that has the value as a member. `like` matches a
    text by a pattern that has `%` only at its beginning or its end.

    Args:
        directive: a `Comparison` or an `Operation` of `langchain_core.structured_query`.

    Raises:
        InvalidInputError: there is no equivalent filter: another pattern of `like`, or another kind of directive.
    """
    return filter_tree.to_filters(_tree(directive))


def from_filters(filters: FilterData) -> FilterDirective | None:
    """Return filters of a search as a structured filter of LangChain; `None` for filters without a condition.

    Args:
        filters: filters on `metadata`, as for `Index.search`.

    Raises:
        InvalidInputError: the filters are not acceptable, or LangChain has no equivalent filter: `exists`, null, or
            another field than `metadata`.
    """
    tree = filter_tree.of_filters(filters)
    return None if tree is None else _directive(tree)


class HybridSearchTranslator(Visitor):
    """Translates the structured queries of LangChain's `SelfQueryRetriever` (`structured_query_translator`)."""

    allowed_operators = tuple(Operator)
    allowed_comparators = tuple(Comparator)

    def visit_operation(self, operation: Operation) -> dict[str, Any]:
        """Return the filters of an operation; see `to_filters`."""
        return to_filters(operation)

    def visit_comparison(self, comparison: Comparison) -> dict[str, Any]:
        """Return the filters of a comparison; see `to_filters`."""
        return to_filters(comparison)

    def visit_structured_query(self, structured_query: StructuredQuery) -> tuple[str, dict[str, Any]]:
        """Return the question, and the keyword arguments of `HybridSearchVectorStore.search`."""
        if structured_query.filter is None:
            return structured_query.query, {}
        return structured_query.query, {"filter": to_filters(structured_query.filter)}


class HybridSearchVectorStore(VectorStore):
    """An index as a vector store: texts are added with the index's embedding, and every search is hybrid.

    `filter` is the filters of `Index.search` as data, or a structured filter of LangChain. Other keyword arguments of a
    search are options of `Index.search`.

    Args:
        index: the index; default: a new one in memory with `embedding`.
        embedding: the embeddings of LangChain that `embeddings` returns; a new index embeds with them.
        record_keys: keys of metadata that are stored as keys of the record, such as "title", which has three times
            the weight of the content.

    Raises:
        InvalidInputError: an argument is not acceptable.
    """

    def __init__(
        self,
        index: Index | None = None,
        *,
        embedding: Embeddings | None = None,
        record_keys: Sequence[str] = (),
    ) -> None:
        self.index = Index(embedding=embedding) if index is None else _index(index)
        self._embeddings = embedding
        self._record_keys = record_parts.record_keys(record_keys)

    @property
    def embeddings(self) -> Embeddings | None:
        """The given embeddings."""
        return self._embeddings

    @classmethod
    def from_texts(
        cls,
        texts: list[str],
        embedding: Embeddings,
        metadatas: list[dict[str, Any]] | None = None,
        *,
        ids: list[str] | None = None,
        record_keys: Sequence[str] = (),
        **options: Any,
    ) -> "HybridSearchVectorStore":
        """Return a store with texts.

        Args:
            texts: the texts.
            embedding: embeds them and the questions.
            metadatas: the metadata of each.
            ids: the id of each; default: a new UUID.
            record_keys: as for the class.
            options: options of `Index`, such as `path`.
        """
        store = cls(Index(embedding=embedding, **options), embedding=embedding, record_keys=record_keys)
        store.add_texts(texts, metadatas, ids=ids)
        return store

    def add_texts(
        self,
        texts: Iterable[str],
        metadatas: list[dict[str, Any]] | None = None,
        *,
        ids: Sequence[str | None] | None = None,
        **options: Any,
    ) -> list[str]:
        """Add texts, or replace those whose ids are stored.

        Args:
            texts: the texts.
            metadatas: the metadata of each.
            ids: the id of each; `None` makes a new UUID.
            options: options of `Index.upsert`, such as `batch_size`.

        Returns:
            The ids.

        Raises:
            InvalidInputError: the lists differ in length, or a text or its metadata cannot be stored.
        """
        contents = list(texts)
        given = _as_many("metadatas", metadatas, len(contents)) or [{}] * len(contents)
        names = _as_many("ids", ids, len(contents)) or [None] * len(contents)
        identifiers = [str(uuid.uuid4()) if name is None else name for name in names]
        parts = zip(identifiers, contents, given, strict=True)
        self.index.upsert([record_parts.record(*part, self._record_keys) for part in parts], **options)
        return identifiers

    def delete(self, ids: list[str] | None = None, **unknown: Any) -> bool:
        """Remove documents by their ids, or all documents without ids. Ids that are not stored are skipped."""
        validation.known("option", unknown, ("ids",))
        if ids is None:
            self.index.clear()
        else:
            self.index.delete(ids)
        return True

    def get_by_ids(self, ids: Sequence[str], /) -> list[Document]:
        """Return the documents with these ids; ids that are not stored are skipped."""
        return [_of_plain(record) for record in self.index.get_many(ids) if record is not None]

    def similarity_search(self, query: str, k: int = 4, **options: Any) -> list[Document]:
        """Return the best documents of a hybrid search.

        Args:
            query: the question.
            k: the number of documents.
            options: `filter`, and options of `Index.search`.
        """
        return [_of_hit(hit) for hit in _hits(self.index, query, k, options)]

    def similarity_search_with_score(self, query: str, k: int = 4, **options: Any) -> list[tuple[Document, float]]:
        """Return the best documents with their scores, 0 to 1 with the default options; higher is better."""
        return [(_of_hit(hit), float(hit.score or 0.0)) for hit in _hits(self.index, query, k, options)]

    def similarity_search_by_vector(self, embedding: list[float], k: int = 4, **options: Any) -> list[Document]:
        """Return the documents whose vectors are nearest to a vector."""
        return self.similarity_search("", k, vector=embedding, **options)

    def max_marginal_relevance_search(
        self, query: str, k: int = 4, fetch_k: int = 20, lambda_mult: float = 0.5, **options: Any
    ) -> list[Document]:
        """Return documents that are relevant and different from each other.

        Args:
            query: the question.
            k: the number of documents.
            fetch_k: the number of the best documents of the search from which they are selected.
            lambda_mult: 1 for the most relevant, 0 for the most different documents.
            options: `filter`, and options of `Index.search`.

        Raises:
            InvalidInputError: the store was made without `embedding`.
        """
        if self._embeddings is None:
            raise InvalidInputError("max_marginal_relevance_search needs the argument embedding of the store")
        vector = self._embeddings.embed_query(query)
        return self._diverse(query, vector, k, fetch_k, lambda_mult, options)

    def max_marginal_relevance_search_by_vector(
        self, embedding: list[float], k: int = 4, fetch_k: int = 20, lambda_mult: float = 0.5, **options: Any
    ) -> list[Document]:
        """Return documents whose vectors are near to a vector and different from each other."""
        return self._diverse("", embedding, k, fetch_k, lambda_mult, options)

    def _select_relevance_score_fn(self) -> Callable[[float], float]:
        return float  # scores are relevances already

    def _diverse(
        self, query: str, vector: Vector, k: int, fetch_k: int, lambda_mult: float, options: Mapping[str, Any]
    ) -> list[Document]:
        hits = _hits(self.index, query, fetch_k, {**options, "vector": vector, "include": ("vector",)})
        hits = [hit for hit in hits if hit.vector is not None]
        vectors = [list(hit.vector or ()) for hit in hits]
        places = maximal_marginal_relevance(np.array(vector), vectors, lambda_mult, k) if hits else []
        return [_of_hit(hits[place]) for place in places]


class HybridSearchRetriever(BaseRetriever):
    """An index as a retriever: the documents of a question, best first.

    The metadata of a document has the other keys of its record, such as `title` and `doc_id`, and its score as
    `relevance_score`.

    Attributes:
        index: the index.
        k: the number of documents.
        filter: the filters of each search, as data or as a structured filter of LangChain.
        options: options of `Index.search` for each search.
    """

    index: Index
    k: int = 4
    filter: Any = None
    options: dict[str, Any] = Field(default_factory=dict)

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, **options: Any
    ) -> list[Document]:
        wanted = {"filter": self.filter, **self.options, **options}
        hits = _hits(self.index, query, wanted.pop("k", self.k), wanted)
        return [_of_hit(hit, {SCORE: hit.score}) for hit in hits]

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun, **options: Any
    ) -> list[Document]:
        found: list[Document] = await run_in_executor(
            None, self._get_relevant_documents, query, run_manager=run_manager.get_sync(), **options
        )
        return found


def _index(value: Any) -> Index:
    if not isinstance(value, Index):
        raise validation.fail("index", value, "an Index")
    return value


def _as_many(name: str, given: Sequence[Any] | None, count: int) -> list[Any] | None:
    if given is None:
        return None
    if len(given) != count:
        raise InvalidInputError(f"{name} must have as many members as texts, {count}, not {len(given)}")
    return list(given)


def _hits(index: Index, query: str, k: int, options: Mapping[str, Any]) -> list[Hit]:
    asked = dict(options)
    wanted = asked.pop("filter", None)
    if wanted is not None:
        asked["filters"] = to_filters(wanted) if isinstance(wanted, FilterDirective) else wanted
    return list(index.search(query, limit=k, **asked))


def _of_hit(hit: Hit, more: Mapping[str, Any] | None = None) -> Document:
    return _of_plain(hit.to_dict(), more)


def _of_plain(plain: Mapping[str, Any], more: Mapping[str, Any] | None = None) -> Document:
    metadata = {**record_parts.metadata(plain), **(more or {})}
    return Document(id=plain["id"], page_content=plain["content"], metadata=metadata)


def _tree(directive: Any) -> FilterTree:
    if isinstance(directive, Operation):
        return FieldOperation(directive.operator.value, [_tree(argument) for argument in directive.arguments])
    if not isinstance(directive, Comparison):
        raise validation.fail("filter", directive, "filters as data, a Comparison or an Operation of LangChain")
    field, value = ATTRIBUTES + directive.attribute, directive.value
    if directive.comparator is Comparator.LIKE:
        return _like(field, value)
    return FieldComparison(field, _OF_COMPARATORS[directive.comparator], value)


def _like(field: str, pattern: Any) -> FieldComparison:
    """Return the condition of an SQL pattern whose wildcards are only at its ends."""
    text = validation.text(f"the pattern of {field}", pattern)
    part = text.removeprefix("%").removesuffix("%")
    if not part or part == text or _WILD.intersection(part):
        raise validation.fail(f"the pattern of {field}", text, "a text with % at its beginning or at its end alone")
    operator = "ends_with" if not text.endswith("%") else "contains" if text.startswith("%") else "starts_with"
    return FieldComparison(field, operator, part)


def _directive(tree: FilterTree) -> FilterDirective:
    if isinstance(tree, FieldOperation):
        return Operation(
            operator=_OPERATORS[tree.operator], arguments=[_directive(condition) for condition in tree.conditions]
        )
    name = filter_tree.attribute(tree.field, "LangChain")
    if tree.operator in _PATTERNS and not _WILD.intersection(tree.value):
        return Comparison(comparator=Comparator.LIKE, attribute=name, value=_PATTERNS[tree.operator].format(tree.value))
    if tree.operator not in _COMPARATORS:
        raise filter_tree.untranslatable(tree, "LangChain")
    return Comparison(comparator=_COMPARATORS[tree.operator], attribute=name, value=tree.value)

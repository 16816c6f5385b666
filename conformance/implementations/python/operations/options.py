"""Operations on the options of calls: what a call says to one that it does not have (ERR-1)."""

from collections.abc import Callable
from typing import Any

from conformance.implementations.python.registry import Trace, operation
from hybrid_search.adapter_kit import FusionExpr, SearchResult
from hybrid_search.doc_store_adapter.memory.memory_doc_store import MemoryDocStore
from hybrid_search.fusion.fusion import Fusion
from hybrid_search.fusion.fusion_methods import METHODS
from hybrid_search.index import Index
from hybrid_search.post_processor.post_processor import PostProcessor
from hybrid_search.query_builder.builder import QueryBuilder
from hybrid_search.records.document_builder import DocumentBuilder
from hybrid_search.reranker.partial_rerank import FUSIONS
from hybrid_search.reranker.reranker import Reranker
from hybrid_search.retriever.profiles import CHOICES
from hybrid_search.retriever.retriever import Retriever
from hybrid_search.text.keyword_cache import KeywordCache
from hybrid_search.text.segmenter import Segmenter


def scores(_query: str, texts: list[str]) -> list[float]:
    """A model."""
    return [0.0] * len(texts)


NOTHING = SearchResult(0, [], {})
CALLS: dict[str, Callable[..., Any]] = {
    "Index.new": Index,
    "Index.add": lambda **options: Index().add([], **options),
    "Index.search": lambda **options: Index().search("q", **options),
    "Index.each": lambda **options: list(Index().each("q", **options)),
    "Index.similar": lambda **options: Index().similar("1", **options),
    "Retriever.new": lambda **options: Retriever(MemoryDocStore(), QueryBuilder(), **options),
    "Reranker.new": lambda **options: Reranker(QueryBuilder(), **options),
    "Reranker.rerank_by_hybrid": lambda **options: Reranker(QueryBuilder()).rerank_by_hybrid(NOTHING, "q", **options),
    "Reranker.rerank_by_model": lambda **options: Reranker(QueryBuilder()).rerank_by_model(
        scores, NOTHING, "q", **options
    ),
    "Fusion.weighted_sum": lambda **options: Fusion.weighted_sum([], [], **options),
    "Fusion.rrf": lambda **options: Fusion.rrf([], **options),
    "Fusion.fuse": lambda **options: Fusion.fuse(FusionExpr("rrf", 1, {}), [], **options),
    "PostProcessor.new": lambda **options: PostProcessor("weighted_score", **options),
    "Segmenter.new": Segmenter,
    "DocumentBuilder.new": DocumentBuilder,
    "KeywordCache.extract": lambda **options: KeywordCache().extract("q", **options),
}


@operation("options.refused")
def refused(params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """What a call says to options it does not have; `null` if it takes them."""
    CALLS[params["call"]](**given)
    return None


@operation("options.choices")
def choices(params: dict[str, Any], _given: Any, _trace: Trace) -> Any:
    """The values that an option accepts, in the order of messages."""
    registered = {"fusion": tuple(METHODS), "rerank_fusion": FUSIONS}
    return list(registered.get(params["option"], CHOICES[params["option"]]))

"""The options of a search, and their defaults (CUR-1)."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Literal, TypedDict

from hybrid_search.protocols import FilterData, OrderBy, RerankSource, Rewrite, Vector

# options:begin: made by `bin/conformance make options`
SEARCH_DEFAULTS: Mapping[str, Any] = MappingProxyType(
    {
        "vector": None,
        "limit": 10,
        "page": None,
        "cursor": None,
        "candidates": 1024,
        "min_score": 0.0,
        "min_cosine": None,
        "vector_similarity_weight": 0.3,
        "rerank_model": None,
        "rank_feature": None,
        "rank_feature_recall": False,
        "rewrite": None,
        "filters": None,
        "order_by": None,
        "match_all": False,
        "highlight": False,
        "fragments": None,
        "facets": None,
        "facet_limit": 100,
        "explain": False,
        "include": (),
        "context": 0,
        "parents": None,
        "collapse": None,
        "diversity": 0.0,
        "fold_duplicates": None,
        "profile": "balanced",
        "text_leg": "bm25f",
        "fusion": "auto",
        "weights": "0.05,0.95",
        "rrf_k": 60,
        "ranking": "fused",
        "fail_open": True,
        "rerank_timeout": 30.0,
        "on_index_change": "continue",
        "rerank_top_k": 64,
        "rerank_fusion": "replace",
        "rerank_weight": 0.8,
        "rerank_batch_size": None,
    }
)
"""Every option of `Index.search` with its default."""

ONCE = ("vector", "page", "cursor")
"""Those that an `Index` does not take as defaults."""


class IndexOptions(TypedDict, total=False):
    """The defaults of the searches of an `Index`: see `Index.search`."""

    limit: int
    candidates: int
    min_score: float
    min_cosine: float | None
    vector_similarity_weight: float
    rerank_model: RerankSource | str | None
    rank_feature: Mapping[str, float] | None
    rank_feature_recall: bool
    rewrite: Rewrite | None
    filters: FilterData | None
    order_by: OrderBy | None
    match_all: bool
    highlight: bool
    fragments: Mapping[str, Any] | None
    facets: Sequence[str] | None
    facet_limit: int
    explain: bool
    include: Sequence[str]
    context: int
    parents: Literal["mean", "max"] | None
    collapse: str | None
    diversity: float
    fold_duplicates: float | None
    profile: Literal["balanced", "ragflow", "dify"]
    text_leg: Literal["tree", "bm25f"]
    fusion: Literal["weighted_sum", "rrf", "auto", "min_max"]
    weights: str
    rrf_k: float
    ranking: Literal["rerank", "fused"]
    fail_open: bool
    rerank_timeout: float
    on_index_change: Literal["continue", "error"]
    rerank_top_k: int
    rerank_fusion: Literal["replace", "linear"]
    rerank_weight: float
    rerank_batch_size: int | None


class SearchOptions(IndexOptions, total=False):
    """The keyword options of `Index.search`."""

    vector: Vector | None
    page: int | str | None
    cursor: str | None


# options:end

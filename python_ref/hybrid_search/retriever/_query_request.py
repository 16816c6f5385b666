"""What one page of a walk by cursor asks for, checked and with its defaults filled in (CUR-1)."""

import dataclasses
from collections.abc import Mapping
from typing import Any, Literal, TypedDict

from hybrid_search import _validation as validation
from hybrid_search.protocols import RerankSource
from hybrid_search.reranker.partial_rerank import PartialRerank
from hybrid_search.retriever import _profiles as profiles
from hybrid_search.retriever._cursor import fingerprint
from hybrid_search.retriever._request import DEFAULTS, PageOptions, RankingOptions, RetrievalRequest

# options:begin: made by `bin/conformance make options`
QUERY_DEFAULTS: dict[str, Any] = {
    "similarity_threshold": 0.2,
    "vector_similarity_weight": 0.3,
    "rerank_model": None,
    "rank_feature": None,
    "filters": None,
    "order_by": None,
    "match_all": False,
    "highlight": False,
    "facets": None,
    "facet_limit": 100,
    "explain": False,
    "profile": "ragflow",
    "text_leg": "tree",
    "fusion": "weighted_sum",
    "weights": "0.05,0.95",
    "rrf_k": 60,
    "ranking": "rerank",
    "fail_open": True,
    "rerank_timeout": 30.0,
    "limit": 10,
    "cursor": None,
    "budget": 1024,
    "on_index_change": "continue",
    "rerank_top_k": 64,
    "rerank_fusion": "replace",
    "rerank_weight": 0.8,
    "rerank_batch_size": None,
}
"""Every option of `Retriever.query` with its default."""


class WalkOptions(TypedDict, total=False):
    """What `Retriever.query` alone takes, and the constructor."""

    limit: int
    budget: int
    on_index_change: Literal["continue", "error"]
    rerank_top_k: int
    rerank_fusion: Literal["replace", "linear"]
    rerank_weight: float
    rerank_batch_size: int | None


class QueryOptions(RankingOptions, WalkOptions, total=False):
    """The keyword options of `Retriever.query` and `Index.query`.

    Attributes:
        similarity_threshold: the lowest similarity shown; where candidates are reranked also the lowest cosine the
            dense leg gives, and none is too low where `vector_similarity_weight` is 0 (RET-4).
        vector_similarity_weight: the share of the vector in the similarity of a rerank, 0 to 1; the rest is the text's
            (RNK-1).
        rerank_model: an object with `similarity(query, texts)`, or a callable, used instead of the vectors; `query`
            asks it for the first `rerank_top_k` (RNK-3).
        rank_feature: tags of the query, name → number, to meet the documents' tags in a rerank (RNK-5).
        filters: which documents count at all, as data: `{"metadata.lang": "zh", "page_rank": {"gte": 2}}` (RET-8).
        order_by: orders the candidates in the place of their similarity: a name, `{"metadata.year": "desc"}`, or a list
            of these and of `[name, "asc" or "desc"]` pairs (RET-8).
        match_all: whether all documents within the filters are shown, without a question (RET-9).
        highlight: whether chunks carry their text with the matches in `<em>` (DOC-4).
        facets: names whose values are counted over all results, those on other pages among them (RET-9).
        facet_limit: how many values a facet shows at the most, 1 to 10000 (RET-9).
        explain: whether the result carries every part of every score (RET-5).
        profile: the defaults of `text_leg`, `fusion`, `ranking` and `similarity_threshold` under one name: "balanced"
            (the default of an `Index`), "ragflow" (RAGFlow's ranking, the default of a `Retriever`) or "dify" (Dify's
            fusion by ranks) (RET-10).
        text_leg: the query of the text leg: "tree" (RAGFlow's query) or "bm25f" (the question's tokens in all fields at
            once) (QRY-11).
        fusion: the method that fuses the text leg and the dense leg: "weighted_sum", "rrf", "auto" or "min_max"
            (FUS-1).
        weights: the weights of the text and the dense leg in a weighted sum, "t,d" (FUS-1).
        rrf_k: k of reciprocal rank fusion, at least 0 (FUS-2).
        ranking: the order of the candidates: "rerank" (reranked by tokens and vectors) or "fused" (the order of their
            fusion) (RET-10).
        fail_open: whether a failing rerank model is a warning (true) or an error (RNK-7).
        rerank_timeout: seconds a rerank model may take (RNK-7).
        limit: results on a page, at least 1; the cap `max_results` counts too (CUR-1).
        cursor: the `next_cursor` of the page before; none: the first page (CUR-3).
        budget: how many candidates are ranked at the most, at least 1; the cap `max_results` counts too (CUR-1).
        on_index_change: what a walk does after the index has changed since its first page: "continue" (it goes on) or
            "error" (it raises an `InvalidCursorError`) (CUR-3).
        rerank_top_k: how many of the best candidates the rerank model is asked for, at least 0 (RNK-8).
        rerank_fusion: the score of a result that the rerank model has scored: "replace" (the model's score) or "linear"
            (a weighted sum of the model's score and the similarity) (RNK-8).
        rerank_weight: the model's share where both count, 0 to 1 (RNK-8).
        rerank_batch_size: how many texts the model gets at once, at least 1; none: all (RNK-8).
    """

    cursor: str | None


# options:end


class RetrieverOptions(RankingOptions, PageOptions, WalkOptions, total=False):
    """The options that a `Retriever` and an `Index` take as defaults: see `RetrievalOptions` and `QueryOptions`."""


@dataclasses.dataclass(frozen=True)
class QueryRequest:
    """A question with all options checked; see `QueryOptions` for what each means.

    Attributes:
        retrieval: what recall and the first stage are asked for: without the model, the budget the effective one.
        model: the rerank model, none without.
        limit: the effective number of results on a page.
        cursor: the cursor as given, none for the first page.
        refuses_changes: whether a changed index is an error.
        max_results: the cap.
        beyond_cap: whether the budget was cut by the cap.
        partial: reranks the head by the model, none without a model, or where the walk has lost it.
        rerank: what decides that rerank besides the model.
    """

    retrieval: RetrievalRequest
    model: RerankSource | None
    limit: int
    cursor: Any
    refuses_changes: bool
    max_results: int
    beyond_cap: bool
    partial: PartialRerank | None
    rerank: Mapping[str, Any]

    @classmethod
    def build(cls, question: Any, options: Mapping[str, Any], max_results: int) -> "QueryRequest":
        """Check a question and its options.

        Raises:
            InvalidInputError: an unknown option or a value that is not accepted; the message names it.
        """
        validation.known("option", options, tuple(QUERY_DEFAULTS))
        given = profiles.filled(QUERY_DEFAULTS, options)
        budget = validation.integer("budget", given["budget"], 1)
        shared = {name: value for name, value in given.items() if name in DEFAULTS}
        retrieval = RetrievalRequest.build(question, {**shared, "topk": min(budget, max_results)}, 1024)
        limit = validation.integer("limit", given["limit"], 1)
        changes = validation.choice("on_index_change", given["on_index_change"], profiles.CHOICES["on_index_change"])
        partial = _partial(retrieval, given)
        return cls(
            retrieval=retrieval.without_model(),
            model=retrieval.rerank_model,
            limit=min(limit, max_results),
            cursor=given["cursor"],
            refuses_changes=changes == "error",
            max_results=max_results,
            beyond_cap=budget > max_results,
            partial=None if retrieval.rerank_model is None else partial,
            rerank={
                "rerank_top_k": int(given["rerank_top_k"]),
                "rerank_fusion": given["rerank_fusion"],
                "rerank_weight": float(given["rerank_weight"]),
            },
        )

    @property
    def budget(self) -> int:
        """How many candidates are ranked at the most."""
        return self.retrieval.topk

    def without_model(self) -> "QueryRequest":
        """The same request for a walk that a failing model has left."""
        return dataclasses.replace(self, partial=None)

    def fingerprint(self, model_failed: bool = False) -> str:
        """What tells requests apart: 16 hex digits (CUR-3).

        Args:
            model_failed: whether the walk goes on without the model, because it failed on an earlier page.
        """
        asked: dict[str, Any] = {
            "question": self.retrieval.question,
            "filters": self.retrieval.filters,
            "order_by": self.retrieval.order_by,
            "match_all": self.retrieval.match_all,
        }
        return fingerprint(asked if self.retrieval.match_all else {**asked, **self._of_ranking(model_failed)})

    def _of_ranking(self, model_failed: bool) -> dict[str, Any]:
        request = self.retrieval
        return {
            "budget": request.topk,
            "similarity_threshold": request.similarity_threshold,
            "vector_similarity_weight": request.vector_similarity_weight,
            "rank_feature": request.rank_feature,
            "fusion": {"method": request.fusion.method, **request.fusion.params},
            "rerank": None if self.model is None else {**self.rerank, "failed": model_failed},
            **({} if request.text_leg == "tree" else {"text_leg": request.text_leg}),
            **({"ranking": request.ranking} if request.is_fused else {}),
        }


def _partial(retrieval: RetrievalRequest, given: Mapping[str, Any]) -> PartialRerank:
    """The rerank of the head; without a model one that is never asked, so that its options are checked all the same."""
    return PartialRerank(
        _no_model if retrieval.rerank_model is None else retrieval.rerank_model,
        rerank_top_k=given["rerank_top_k"],
        rerank_fusion=given["rerank_fusion"],
        rerank_weight=given["rerank_weight"],
        rerank_batch_size=given["rerank_batch_size"],
        fail_open=retrieval.fail_open,
        rerank_timeout=retrieval.rerank_timeout,
    )


def _no_model(_query: str, texts: list[str]) -> list[float]:
    return [0.0] * len(texts)

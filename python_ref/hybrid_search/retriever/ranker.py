"""Ranks candidates by their fusion, by tokens and vectors, or by a model (RET-4, RET-10)."""

from hybrid_search.base.observation import Observation
from hybrid_search.doc_store_adapter.base import DocStoreAdapter
from hybrid_search.doc_store_adapter.search_result import SearchResult
from hybrid_search.query_builder.builder import QueryBuilder
from hybrid_search.reranker.outcome import RerankOutcome
from hybrid_search.reranker.partial_rerank import PartialRerank
from hybrid_search.reranker.reranker import Reranker
from hybrid_search.retriever.page import RankedBlock
from hybrid_search.retriever.recall import Recalled
from hybrid_search.retriever.request import RetrievalRequest


class Ranker:
    """Ranks blocks of candidates; stateless between calls.

    Args:
        store: the store of the candidates.
        query_builder: reads questions.
        kernels: "plain" or "fast", for the reranker.
        observation: receives an event for each block (OBS-1).
    """

    def __init__(
        self, store: DocStoreAdapter, query_builder: QueryBuilder, kernels: str | None, observation: Observation
    ) -> None:
        self._store = store
        self._reranker = Reranker(query_builder, kernels)
        self._observation = observation

    def rank(self, request: RetrievalRequest, recalled: Recalled, first: int = 0) -> RankedBlock:
        """Rerank a block of candidates and return those that reach the threshold, in the order of ORD-1 (RET-4).

        Candidates that are ordered by fields, or with `match_all`, stay in the order of recall (RET-8, RET-9).

        Args:
            request: the request.
            recalled: the block.
            first: the position of its first candidate among all.
        """
        with self._observation.measure("rerank", candidates=len(recalled.result.ids)) as event:
            ranked = self._ranked(request, recalled, first)
            event.update(shown=len(ranked.order), formula=ranked.outcome.formula)
            return ranked

    def score(self, request: RetrievalRequest, recalled: Recalled, first: int = 0) -> RankedBlock:
        """Return a block with its scores, in the order of recall, without a threshold; arguments as for `rank`."""
        with self._observation.measure("rerank", candidates=len(recalled.result.ids)) as event:
            outcome = self._rerank(request, recalled, first)
            event.update(shown=len(outcome.ids), formula=outcome.formula)
            return RankedBlock(recalled, outcome, tuple(range(len(outcome.ids))), first)

    def _ranked(self, request: RetrievalRequest, recalled: Recalled, first: int) -> RankedBlock:
        outcome = self._rerank(request, recalled, first)
        as_recalled = request.match_all or bool(request.order_by)
        order = list(range(len(outcome.ids)))
        if not as_recalled:
            order = outcome.order()
        if request.has_threshold:
            order = [index for index in order if outcome.similarity[index] >= request.similarity_threshold]
        return RankedBlock(recalled, outcome, tuple(order), first)

    def _rerank(self, request: RetrievalRequest, recalled: Recalled, first: int) -> RerankOutcome:
        result = recalled.result
        if request.match_all or self._store.fuses_scores:
            return RerankOutcome.of_store_scores(result)
        if request.is_fused:
            return self._fused(request, result, first)
        if request.rerank_model is not None and result.ids:
            return self._reranker.rerank_by_model(
                request.rerank_model,
                result,
                request.question,
                tkweight=request.tkweight,
                vtweight=request.vtweight,
                rank_feature=request.rank_feature,
                fail_open=request.fail_open,
                rerank_timeout=request.rerank_timeout,
                keywords=recalled.keywords,
            )
        return self._reranker.rerank_by_hybrid(
            result,
            request.question,
            tkweight=request.tkweight,
            vtweight=request.vtweight,
            rank_feature=request.rank_feature,
            keywords=recalled.keywords,
        )

    @staticmethod
    def _fused(request: RetrievalRequest, result: SearchResult, first: int) -> RerankOutcome:
        """Return the scores of the fusion; a model reranks the head of the first block (RET-10)."""
        outcome = RerankOutcome.of_fusion(result)
        if request.rerank_model is None or first > 0:
            return outcome
        partial = PartialRerank(
            request.rerank_model, fail_open=request.fail_open, rerank_timeout=request.rerank_timeout
        )
        return outcome.with_model(partial.rerank_result(request.question, result, outcome.stage1_scores))

"""Recall, rerank, filter, paginate (RET-1 … RET-6)."""

import time
from collections.abc import Iterator, Mapping
from typing import Any, Unpack

from hybrid_search import characters, ordering, validation
from hybrid_search.doc_store_adapter.base import DocStoreAdapter
from hybrid_search.embedding.embedding import Embedding
from hybrid_search.query_builder.builder import QueryBuilder
from hybrid_search.reranker.reranker import Reranker, RerankOutcome
from hybrid_search.retriever.explain import explanation
from hybrid_search.retriever.page import RankedBlock
from hybrid_search.retriever.recall import Recall, Recalled
from hybrid_search.retriever.request import DEFAULTS, RetrievalOptions, RetrievalRequest
from hybrid_search.retriever.result import RetrievalResult
from hybrid_search.retriever.window import Window


class Retriever:
    """Answers questions from a store, page by page.

    A retriever holds no state between calls and may be used by several threads at once, as far as its store, its
    embedding and its rerank model may.

    Args:
        store: the documents.
        query_builder: makes text queries and knows the tokenizer.
        embedding: makes query vectors; without one only the text leg runs.
        max_page_size: the largest page that may be asked for, at least 1.
        kernels: "plain" or "fast", for the reranker; see `kernels.choice`.
        options: defaults of `retrieve`, see `RetrievalOptions`.
    """

    def __init__(
        self,
        store: DocStoreAdapter,
        query_builder: QueryBuilder,
        embedding: Embedding | None = None,
        *,
        max_page_size: int = 1024,
        kernels: str | None = None,
        **options: Unpack[RetrievalOptions],
    ) -> None:
        self._store = store
        self._recall = Recall(store, query_builder, embedding)
        self._reranker = Reranker(query_builder, kernels)
        self._query_builder = query_builder
        self._max_page_size = validation.integer("max_page_size", max_page_size, 1)
        validation.known("option", options, tuple(DEFAULTS))
        self._options: Mapping[str, Any] = dict(options)
        self._request("", {})

    def retrieve(self, question: str, **options: Unpack[RetrievalOptions]) -> RetrievalResult:
        """One page of answers.

        Args:
            question: what is looked for; an empty or blank one has an empty answer (RET-6). It has at most as many
                code points as the query builder's `max_question_length` says.
            options: see `RetrievalOptions`.

        Raises:
            InvalidInputError: an option that is unknown or not accepted, or a question that is too long.
            EmbeddingError: the embedding failed.
            RerankError: the rerank model failed and `fail_open` is false.
        """
        started = time.perf_counter()
        request = self._request(question, options)
        if _blank(request.question):
            return _empty(request.page, started)
        window = self._window(request)
        recalled = self._recall.search(request, window.first, window.size)
        recall_done = time.perf_counter()
        ranked = self.rank(request, recalled)
        return self._page(request, recalled, ranked, window, (started, recall_done, time.perf_counter()))

    def each_page(self, question: str, **options: Unpack[RetrievalOptions]) -> Iterator[RetrievalResult]:
        """All pages from `page` on, while there may be more: the same pages as `retrieve` gives one by one.

        Recall runs once and each block is reranked once, so a whole walk costs little more than its first page.
        """
        request = self._request(question, options)
        return self._pages(request)

    def rank(self, request: RetrievalRequest, recalled: Recalled) -> RankedBlock:
        """Rerank one block of candidates and keep what passes the threshold, in the order of ORD-1 (RET-4)."""
        outcome = self._rerank(request, recalled)
        order = ordering.rank_indexes(list(outcome.ids), list(outcome.similarity))
        if request.vector_similarity_weight != 0.0:
            order = [index for index in order if outcome.similarity[index] >= request.similarity_threshold]
        return RankedBlock(recalled, outcome, tuple(order))

    def _pages(self, request: RetrievalRequest) -> Iterator[RetrievalResult]:
        started = time.perf_counter()
        if _blank(request.question):
            yield _empty(request.page, started)
            return
        recalled = self._recall.search(request, 0, request.topk)
        recall_done = time.perf_counter()
        first = -1
        while True:
            window = self._window(request)
            if window.first != first:
                first = window.first
                ranked = self.rank(request, recalled.block(first, window.size))
            clocks = (started, recall_done, time.perf_counter())
            page = self._page(request, recalled, ranked, window, clocks)
            yield page
            if not page.has_more:
                return
            request = request.on_page(request.page + 1)
            started = recall_done = time.perf_counter()

    def _request(self, question: Any, options: Mapping[str, Any]) -> RetrievalRequest:
        accepted = self._query_builder.accept_question(question)
        return RetrievalRequest.build(accepted, {**self._options, **options}, self._max_page_size)

    @staticmethod
    def _window(request: RetrievalRequest) -> Window:
        return Window.of(request.page, request.page_size, request.topk, request.rerank_model is not None)

    def _rerank(self, request: RetrievalRequest, recalled: Recalled) -> RerankOutcome:
        result = recalled.result
        if self._store.fuses_scores:
            return RerankOutcome.of_store_scores(result)
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
    def _page(
        request: RetrievalRequest,
        recalled: Recalled,
        ranked: RankedBlock,
        window: Window,
        clocks: tuple[float, float, float],
    ) -> RetrievalResult:
        total = recalled.result.total
        shown = ranked.order[window.begin : window.end]
        started, recall_done, rerank_done = clocks
        return RetrievalResult(
            total=total,
            window_total=len(ranked.order),
            chunks=tuple(ranked.chunk(index, request.highlight) for index in shown),
            doc_aggs=ranked.document_counts() if request.aggs else (),
            page=request.page,
            has_more=window.has_more(len(ranked.order), total),
            timings={
                "recall": (recall_done - started) * 1000.0,
                "rerank": (rerank_done - recall_done) * 1000.0,
                "total": (time.perf_counter() - started) * 1000.0,
            },
            warnings=ranked.outcome.warnings,
            explain=explanation(request, recalled, ranked, shown, window) if request.explain else None,
        )


def _blank(question: str) -> bool:
    return not characters.strip(question.replace("\x00", " "))


def _empty(page: int, started: float) -> RetrievalResult:
    total = (time.perf_counter() - started) * 1000.0
    return RetrievalResult(
        total=0,
        window_total=0,
        chunks=(),
        doc_aggs=(),
        page=page,
        has_more=False,
        timings={"recall": 0.0, "rerank": 0.0, "total": total},
    )

"""Recall, rerank, filter, paginate (RET-1 … RET-9); walks by cursor (CUR-1 … CUR-4)."""

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Unpack

from hybrid_search import _collaborators as collaborators
from hybrid_search import _validation as validation
from hybrid_search._observation import Observation, Observer
from hybrid_search.doc_store_adapter import _source as store_source
from hybrid_search.doc_store_adapter.base import DocStoreAdapter
from hybrid_search.doc_store_adapter.search_result import SearchResult
from hybrid_search.embedding import _source as embedding_source
from hybrid_search.embedding.embedding import Embedding
from hybrid_search.errors import InvalidInputError
from hybrid_search.protocols import Embedder
from hybrid_search.query_builder.builder import QueryBuilder
from hybrid_search.reranker.partial_rerank import PartialRerank
from hybrid_search.reranker.reranker import Reranker, RerankOutcome
from hybrid_search.retriever import _filter_warnings as filter_warnings
from hybrid_search.retriever._explain import explanation
from hybrid_search.retriever._facets import counts, facets
from hybrid_search.retriever._page import RankedBlock
from hybrid_search.retriever._page_entries import FullPages, PageEntries, WindowPages
from hybrid_search.retriever._query_pages import QueryPages
from hybrid_search.retriever._query_request import QueryOptions, QueryRequest, RetrieverOptions
from hybrid_search.retriever._recall import FetchedCandidates, Recall, Recalled
from hybrid_search.retriever._request import RetrievalOptions, RetrievalRequest
from hybrid_search.retriever._retriever_settings import RetrieverSettings
from hybrid_search.retriever._window import Window
from hybrid_search.retriever.query_result import QueryHit, QueryResult
from hybrid_search.retriever.ranking_cache import RankingCache
from hybrid_search.retriever.result import RetrievalResult


class Retriever:
    """Answers questions from a store, page by page.

    A retriever holds no state between calls and may be used by several threads at once, as far as its store, its
    embedding and its rerank model may.

    Args:
        store: the documents.
        query_builder: makes text queries and knows the tokenizer.
        embedding: makes query vectors; without one only the text leg runs.
        max_page_size: the largest page that may be asked for, at least 1.
        max_results: the cap of `query`: so many candidates are ranked, and results shown over all pages, at the most;
            at least 1 (CUR-1).
        cursor_secret: what cursors are signed with, bytes or a text; none: they are not (CUR-3).
        ranking_cache: keeps rankings between the pages of a walk (CUR-7); none: each page ranks anew.
        kernels: "plain" or "fast", for the reranker; see `kernels.choice`.
        any_vectors: whether a store is accepted all of whose vectors are of another dimension than the embedding's.
        observer: called with the name and the data of each event (OBS-1).
        options: defaults of `retrieve` and `query`, see `RetrievalOptions` and `QueryOptions`.
    """

    def __init__(
        self,
        store: DocStoreAdapter,
        query_builder: QueryBuilder,
        embedding: Embedding | Embedder | None = None,
        *,
        max_page_size: int = 1024,
        max_results: int = 1024,
        cursor_secret: bytes | str | None = None,
        ranking_cache: RankingCache | None = None,
        kernels: str | None = None,
        any_vectors: bool = False,
        observer: Observation | Observer | None = None,
        **options: Unpack[RetrieverOptions],
    ) -> None:
        self._observation = Observation.of(observer)
        self._store = store_source.accept("store", store)
        collaborators.instance("query_builder", query_builder, QueryBuilder, "a QueryBuilder")
        embedding = embedding_source.accept("embedding", embedding)
        self._settings = RetrieverSettings.of(max_page_size, max_results, cursor_secret, ranking_cache, options)
        any_vectors = validation.boolean("any_vectors", any_vectors)
        self._reranker = Reranker(query_builder, kernels)
        self._query_builder = query_builder
        self.ranking_cache = ranking_cache
        self._request("", {})
        self._query_request("", {})
        self._recall = Recall(store, query_builder, embedding, self._observation, any_vectors)
        self._query_pages = QueryPages(store, self._recall, self.rank, self._settings.codec, ranking_cache)

    def retrieve(self, question: str = "", **options: Unpack[RetrievalOptions]) -> RetrievalResult:
        """One page of answers.

        Args:
            question: what is looked for; an empty or blank one has an empty answer (RET-6), unless `match_all` is true.
                It has at most as many code points as the query builder's `max_question_length` says.
            options: see `RetrievalOptions`.

        Raises:
            InvalidInputError: an option that is unknown or not accepted, or a question that is too long.
            EmbeddingError: the embedding failed.
            RerankError: the rerank model failed and `fail_open` is false.
        """
        with self._observation.measure("search") as event:
            result = self._retrieve(question, options)
            event.update(page=result.page, total=result.total, shown=len(result.chunks))
            return result

    def _retrieve(self, question: str, options: Mapping[str, Any]) -> RetrievalResult:
        started = time.perf_counter()
        request = self._request(question, options)
        if request.is_blank:
            return _empty(request, started)
        candidates = self._recall.candidates(request)
        return self._page(request, candidates, self._paging(request, candidates), started, 0.0)

    def each_page(self, question: str = "", **options: Unpack[RetrievalOptions]) -> Iterator[RetrievalResult]:
        """All pages from `page` on, while there is more: the same pages as `retrieve` gives one by one.

        Recall runs once and each block is reranked once, so a whole walk costs little more than its first page. With
        `match_all` documents are read block by block, however many there are.
        """
        request = self._request(question, options)
        return self._pages(request)

    def query(self, question: str = "", **options: Unpack[QueryOptions]) -> QueryResult:
        """One page of a walk by cursor: the first one, or the one after the page whose `next_cursor` is given.

        All candidates within `budget` are in one order, whatever the limit (CUR-2). Each page ranks them anew unless
        there is a `ranking_cache`. With `match_all` documents are read page by page, however many there are.

        Args:
            question: as for `retrieve`.
            options: see `QueryOptions`; all but `limit`, `cursor` and what is merely shown must stay the same.

        Raises:
            InvalidCursorError: the cursor is malformed, of another version, forged, or of another request.
            InvalidInputError: an option that is unknown or not accepted, or a question that is too long.
            EmbeddingError: the embedding failed.
            RerankError: the rerank model failed and `fail_open` is false.
        """
        with self._observation.measure("query") as event:
            page = self._query_pages.page(self._query_request(question, options))
            event.update(position=page.paging.position, shown=page.paging.returned)
            return page

    def each_result(self, question: str = "", **options: Unpack[QueryOptions]) -> Iterator[QueryHit]:
        """All results of a walk one after another, from `cursor` on: those of all pages of `query`, ranked once.

        With `match_all` they are read `limit` at a time.
        """
        return self._query_pages.each_result(self._query_request(question, options))

    def rank(self, request: RetrievalRequest, recalled: Recalled, first: int = 0) -> RankedBlock:
        """Rerank one block of candidates and keep what passes the threshold, in the order of ORD-1 (RET-4).

        Candidates that are ordered by fields, or all that there are, stay in the order of recall (RET-8, RET-9).

        Args:
            request: what is asked for.
            recalled: the block.
            first: the place of its first candidate among all.
        """
        with self._observation.measure("rerank", candidates=len(recalled.result.ids)) as event:
            ranked = self._ranked(request, recalled, first)
            event.update(shown=len(ranked.order), formula=ranked.outcome.formula)
            return ranked

    def _ranked(self, request: RetrievalRequest, recalled: Recalled, first: int) -> RankedBlock:
        outcome = self._rerank(request, recalled, first)
        as_recalled = request.match_all or bool(request.order_by)
        order = list(range(len(outcome.ids)))
        if not as_recalled:
            order = outcome.order()
        if request.has_threshold:
            order = [index for index in order if outcome.similarity[index] >= request.similarity_threshold]
        return RankedBlock(recalled, outcome, tuple(order), first)

    def _pages(self, request: RetrievalRequest) -> Iterator[RetrievalResult]:
        started = time.perf_counter()
        if request.is_blank:
            yield _empty(request, started)
            return
        candidates = self._recall.candidates(request)
        if not request.match_all:
            candidates.fetch_all()
        paging = self._paging(request, candidates)
        recalled_before = 0.0
        while True:
            page = self._page(request, candidates, paging, started, recalled_before)
            yield page
            if not page.has_more:
                return
            request = request.on_page(request.page + 1)
            started, recalled_before = time.perf_counter(), candidates.seconds

    def _paging(self, request: RetrievalRequest, candidates: FetchedCandidates) -> WindowPages | FullPages:
        def rank(recalled: Recalled, first: int) -> RankedBlock:
            return self.rank(request, recalled, first)

        if not request.full_pages or request.match_all:
            return WindowPages(candidates, rank)
        of_store = self._store.fuses_scores
        passes_all = request.passes_all and not (of_store and request.has_threshold)
        asks_model = request.rerank_model is not None and not request.is_fused and not of_store
        ranks_all = request.exact_total or not (passes_all or asks_model)
        return FullPages(candidates, rank, ranks_all, passes_all)

    def _request(self, question: Any, options: Mapping[str, Any]) -> RetrievalRequest:
        accepted = self._query_builder.accept_question(question)
        request = self._settings.request(accepted, options, self._store.exact_text)
        self._check_text_leg(request)
        return request

    def _query_request(self, question: Any, options: Mapping[str, Any]) -> QueryRequest:
        accepted = self._query_builder.accept_question(question)
        request = self._settings.query_request(accepted, options, self._store.exact_text)
        self._check_text_leg(request.retrieval)
        return request

    def _check_text_leg(self, request: RetrievalRequest) -> None:
        if request.text_leg == "bm25f" and not self._store.exact_text:
            raise InvalidInputError(
                'text_leg "bm25f" needs a store whose text scores are exact; take profile "ragflow" or "dify"'
            )

    @staticmethod
    def _window(request: RetrievalRequest) -> Window:
        return Window.of(request.page, request.page_size, request.topk, request.rerank_model is not None)

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
        """The scores of the fusion; a model reranks the head of the first block (RET-10)."""
        outcome = RerankOutcome.of_fusion(result)
        if request.rerank_model is None or first > 0:
            return outcome
        partial = PartialRerank(
            request.rerank_model, fail_open=request.fail_open, rerank_timeout=request.rerank_timeout
        )
        return outcome.with_model(partial.rerank_result(request.question, result, outcome.stage1_scores))

    def _page(
        self,
        request: RetrievalRequest,
        candidates: FetchedCandidates,
        paging: WindowPages | FullPages,
        started: float,
        recalled_before: float,
    ) -> RetrievalResult:
        """The page a request is for; the clock was started then, recall had taken so long before."""
        window = self._window(request)
        entries = paging.page(window)
        warnings = entries.ranked.warnings
        if candidates.total == 0:
            warnings = (*warnings, *filter_warnings.warnings(self._store, request.filters))
        recall = candidates.seconds - recalled_before
        rerank = time.perf_counter() - started - recall
        return RetrievalResult(
            total=entries.total,
            window_total=entries.window_total,
            chunks=tuple(entry.chunk(request.highlight) for entry in entries.shown),
            doc_aggs=entries.ranked.document_counts if request.aggs else (),
            page=request.page,
            has_more=entries.has_more,
            timings=_timings(recall, rerank, started),
            warnings=(*candidates.warnings, *warnings),
            explain=explanation(request, candidates.latest, entries, window) if request.explain else None,
            page_size=request.page_size,
            total_is_lower_bound=entries.total_is_lower_bound,
            total_is_upper_bound=entries.total_is_upper_bound,
            full_pages=request.full_pages,
            facets=facets(request, _counts(request, candidates, entries)),
        )


def _counts(
    request: RetrievalRequest, candidates: FetchedCandidates, entries: PageEntries
) -> Mapping[str, Sequence[tuple[Any, int]]]:
    """What facets count: the same set as the total."""
    if request.facets is None or entries.counted is None:
        return candidates.latest.result.aggs
    return counts(request, [entry.fields for entry in entries.counted])


def _timings(recall: float, rerank: float, started: float) -> dict[str, float]:
    """Milliseconds, from seconds and the clock when it began."""
    total = time.perf_counter() - started
    return {"recall": recall * 1000.0, "rerank": rerank * 1000.0, "total": total * 1000.0}


def _empty(request: RetrievalRequest, started: float) -> RetrievalResult:
    return RetrievalResult(
        total=0,
        window_total=0,
        chunks=(),
        doc_aggs=(),
        page=request.page,
        has_more=False,
        timings=_timings(0.0, 0.0, started),
        page_size=request.page_size,
        full_pages=request.full_pages,
        facets=facets(request, {}),
    )

"""Runs a retrieval: recall, rerank, filter, paginate (RET-1 … RET-9)."""

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Unpack

from hybrid_search.base import object_checks, validation
from hybrid_search.base.observation import Observation, Observer
from hybrid_search.doc_store_adapter import store_argument
from hybrid_search.doc_store_adapter.base import DocStoreAdapter
from hybrid_search.embedding import embedding_argument
from hybrid_search.embedding.embedding import Embedding
from hybrid_search.protocols import Embedder
from hybrid_search.query_builder.builder import QueryBuilder
from hybrid_search.retriever import filter_warnings
from hybrid_search.retriever.explain import explanation
from hybrid_search.retriever.facets import counts, facets
from hybrid_search.retriever.page import RankedBlock
from hybrid_search.retriever.page_entries import FullPages, PageEntries, WindowPages
from hybrid_search.retriever.ranker import Ranker
from hybrid_search.retriever.recall import FetchedCandidates, Recall, Recalled
from hybrid_search.retriever.request import RetrievalOptions, RetrievalRequest
from hybrid_search.retriever.result import RetrievalResult
from hybrid_search.retriever.retriever_settings import RetrieverSettings
from hybrid_search.retriever.window import Window


class Retriever:
    """Answers questions from a store, page by page.

    Stateless between calls, and safe to share between threads as far as its store, its embedding and its rerank model
    are.

    Args:
        store: the documents.
        query_builder: makes text queries and provides the tokenizer.
        embedding: makes query vectors; without one only the text leg runs.
        max_page_size: the largest accepted page size, at least 1.
        kernels: "plain" or "fast", for the reranker; see `kernels.choice`.
        any_vectors: whether to accept a store all of whose vectors have another dimension than the embedding's.
        observer: called with the name and the data of each event (OBS-1).
        options: defaults of `retrieve`, see `RetrievalOptions`.
    """

    def __init__(
        self,
        store: DocStoreAdapter,
        query_builder: QueryBuilder,
        embedding: Embedding | Embedder | None = None,
        *,
        max_page_size: int = 1024,
        kernels: str | None = None,
        any_vectors: bool = False,
        observer: Observation | Observer | None = None,
        **options: Unpack[RetrievalOptions],
    ) -> None:
        self._observation = Observation.of(observer)
        self._store = store_argument.accept("store", store)
        object_checks.instance("query_builder", query_builder, QueryBuilder, "a QueryBuilder")
        embedding = embedding_argument.accept("embedding", embedding)
        self._settings = RetrieverSettings.of(max_page_size, options)
        any_vectors = validation.boolean("any_vectors", any_vectors)
        self._ranker = Ranker(store, query_builder, kernels, self._observation)
        self._query_builder = query_builder
        self._request("", {})
        self._recall = Recall(store, query_builder, embedding, self._observation, any_vectors)

    def retrieve(self, question: str = "", **options: Unpack[RetrievalOptions]) -> RetrievalResult:
        """Return one page of hits.

        Args:
            question: the text to search for. A blank one has an empty result (RET-6), unless `match_all` is true. Its
                length is at most the query builder's `max_question_length`, in code points.
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
        """Yield all pages from `page` on, up to the last: the same pages that `retrieve` returns one by one.

        Recall runs once and each block is reranked once, so a whole walk costs little more than its first page. With
        `match_all`, documents are read block by block.
        """
        request = self._request(question, options)
        return self._pages(request)

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
            return self._ranker.rank(request, recalled, first)

        if not request.full_pages or request.match_all:
            return WindowPages(candidates, rank)
        of_store = self._store.fuses_scores
        passes_all = request.passes_all and not (of_store and request.has_threshold)
        asks_model = request.rerank_model is not None and not request.is_fused and not of_store
        ranks_all = request.exact_total or not (passes_all or asks_model)
        return FullPages(candidates, rank, ranks_all, passes_all)

    def _request(self, question: Any, options: Mapping[str, Any]) -> RetrievalRequest:
        accepted = self._query_builder.accept_question(question)
        request = self._settings.request(accepted, options, self._store.supports_bm25f)
        request.check_store(self._store.supports_bm25f)
        return request

    @staticmethod
    def _window(request: RetrievalRequest) -> Window:
        return Window.of(request.page, request.page_size, request.topk, request.rerank_model is not None)

    def _page(
        self,
        request: RetrievalRequest,
        candidates: FetchedCandidates,
        paging: WindowPages | FullPages,
        started: float,
        recalled_before: float,
    ) -> RetrievalResult:
        """Return the page of a request.

        Args:
            request: the request.
            candidates: its candidates.
            paging: cuts them into pages.
            started: the time of the start, on the performance clock.
            recalled_before: the seconds of recall before that.
        """
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
    """Return the counts of the facets, over the same entries as the total."""
    if request.facets is None or entries.counted is None:
        return candidates.latest.result.aggs
    return counts(request, [entry.fields for entry in entries.counted])


def _timings(recall: float, rerank: float, started: float) -> dict[str, float]:
    """Return milliseconds, from seconds and the time of the start."""
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

"""Operations of the retriever (RET-1 … RET-7): one page, and walks over all pages for several page sizes."""

import time
from functools import partial
from typing import Any

from conformance.implementations.python import corpora, stores
from conformance.implementations.python.meanwhile import Meanwhile
from conformance.implementations.python.registry import Trace, operation
from hybrid_search.base.observation import Observation
from hybrid_search.doc_store_adapter.memory.memory_doc_store import MemoryDocStore
from hybrid_search.doc_store_adapter.search_result import SearchResult
from hybrid_search.embedding.embedding import Embedding
from hybrid_search.embedding.hashing import HashingEmbedder
from hybrid_search.query_builder.builder import QueryBuilder
from hybrid_search.query_builder.expressions import MatchBm25fExpr, MatchTextExpr
from hybrid_search.query_builder.synonyms import Synonyms
from hybrid_search.records.document_builder import DocumentBuilder
from hybrid_search.retriever.ranker import Ranker
from hybrid_search.retriever.recall import Recall
from hybrid_search.retriever.request import RetrievalRequest
from hybrid_search.retriever.result import RetrievalResult
from hybrid_search.retriever.retriever import Retriever
from hybrid_search.retriever.window import Window

MAX_PAGE_SIZE = 1024
MOST_FETCHED_AGAIN = 8


@operation("retriever.window")
def window(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """The size of the block that is reranked together."""
    return Window.length(params["page_size"], params["top"], params["with_model"])


@operation("retriever.retrieve", {"options": {}})
def retrieve(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """One page, without its timings."""
    setting = _Setting(given)
    options = setting.options(params["options"])
    result = setting.retriever.retrieve(given["question"], **options)
    setting.record(trace, given["question"], options)
    trace.stage("page", [chunk.chunk_id for chunk in result.chunks])
    plain = result.to_dict()
    del plain["timings"]
    return plain


@operation("retriever.pages", {"options": {}})
def pages(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """For each page size the blocks' rankings joined, and its pages; some are fetched again one by one (CNF-7)."""
    setting = _Setting(given)
    options = setting.options(params["options"])
    question = given["question"]
    setting.record(trace, question, options)
    return [_page_table(setting, question, options, page_size) for page_size in params["page_sizes"]]


@operation("retriever.full_pages", {"options": {}})
def full_pages(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """For each page size what `pages` tells, of pages without gaps, and what each page says of all (RET-7)."""
    setting = _Setting(given)
    options = {**setting.options(params["options"]), "full_pages": True}
    setting.record(trace, given["question"], options)
    return [_full_page_table(setting, given["question"], options, page_size) for page_size in params["page_sizes"]]


@operation("retriever.scored_pages", {"options": {}})
def scored_pages(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """For each page size the pages over candidates that a store has scored by itself: no text, no vector is read."""
    setting = _Setting(given)
    options = setting.options(params["options"])
    trace.stage("fuse", given["candidates"])
    return [_page_table(setting, "any", options, page_size) for page_size in params["page_sizes"]]


@operation("retriever.changing", {"options": {}, "each": False})
def changing(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """The pages of one call over a store that changes between its searches (RET-3, RET-7).

    `made` is the number of records: `d000`, `d001`, …, all with one content where they are `alike`. `meanwhile` takes
    pairs of a number and a change, which is made before the search of that number: `add` that many records from a
    number on, then `delete` ids. With `each` all pages are asked for, else one.
    """
    alike = given.get("alike", False)
    setting = _Setting({"records": _made(0, given["made"], alike), **given})
    setting.change(given["meanwhile"], alike)
    options = setting.options(params["options"])
    retriever, question = setting.retriever, given["question"]
    pages = retriever.each_page(question, **options) if params["each"] else [retriever.retrieve(question, **options)]
    return [_scored(page, trace) for page in pages]


def _scored(page: RetrievalResult, trace: Trace) -> dict[str, Any]:
    """A page without its texts and timings."""
    trace.stage("page", [chunk.chunk_id for chunk in page.chunks])
    plain = {name: value for name, value in page.to_dict().items() if name != "timings"}
    return {**plain, "chunks": [[chunk.chunk_id, chunk.similarity] for chunk in page.chunks]}


def _made(first: int, count: int, alike: bool) -> list[dict[str, Any]]:
    """Records of their numbers alone."""
    return [
        {
            "id": f"d{number:03d}",
            "content": "red wine" if alike else "red " * (9 - number % 7) + "wine " * (1 + number // 16),
        }
        for number in range(first, first + count)
    ]


def _page_table(setting: "_Setting", question: str, options: dict[str, Any], page_size: int) -> dict[str, Any]:
    walked = list(setting.retriever.each_page(question, **{**options, "page_size": page_size}))
    again = walked[:: -(-len(walked) // MOST_FETCHED_AGAIN)]
    single = [
        setting.retriever.retrieve(question, **{**options, "page_size": page_size, "page": page.page}) for page in again
    ]
    return {
        "page_size": page_size,
        "full": [chunk.chunk_id for chunk in setting.blocks(question, options, page_size)],
        "pages": [[chunk.chunk_id for chunk in page.chunks] for page in walked],
        "similarity": [chunk.similarity for page in walked for chunk in page.chunks],
        "window_totals": [page.window_total for page in walked],
        "has_more": [page.has_more for page in walked],
        "same": [page.chunks for page in again] == [page.chunks for page in single],
    }


def _full_page_table(setting: "_Setting", question: str, options: dict[str, Any], page_size: int) -> dict[str, Any]:
    walked = list(setting.retriever.each_page(question, **{**options, "page_size": page_size}))
    return {
        **_page_table(setting, question, options, page_size),
        "totals": [page.total for page in walked],
        "total_is_lower_bound": [page.total_is_lower_bound for page in walked],
        "page_counts": [page.pages for page in walked],
        "doc_aggs": [[list(entry.values()) for entry in page.doc_aggs] for page in walked[-1:]],
    }


class _ScoredStore(MemoryDocStore):
    """A store that fuses by itself: every search finds the first `topn` of these candidates, in this order."""

    def __init__(self, candidates: list[tuple[str, float]]) -> None:
        super().__init__()
        self._candidates = candidates

    @property
    def fuses_scores(self) -> bool:
        """Always."""
        return True

    def search(
        self, *_arguments: Any, match_exprs: Any = (), limit: int = 10, offset: int = 0, **_options: Any
    ) -> SearchResult:
        """The candidates from `offset` on."""
        candidates = self._candidates[: match_exprs[0].topn]
        found = candidates[offset : offset + limit]
        return SearchResult(
            total=len(candidates),
            ids=[identifier for identifier, _ in found],
            fields={identifier: {} for identifier, _ in found},
            scores=dict(found),
        )


class _Setting:
    """The store, the embedding and the model that a case describes."""

    def __init__(self, given: Any) -> None:
        if "corpus" in given:
            corpus = corpora.load(given["corpus"])
            self._store, embedding = corpus.store(), corpus.embedding() if given.get("dense", True) else None
        elif "candidates" in given:
            self._store, embedding = _ScoredStore([(name, float(score)) for name, score in given["candidates"]]), None
        else:
            self._store = stores.store()
            embedding = _embedding(given)
            self._store.insert(DocumentBuilder(embedding=embedding, any_vectors=True).build_many(given["records"]))
            if "fields" in given:
                self._store.update(given["fields"])
        synonyms = Synonyms(dictionary=given["synonyms"]) if "synonyms" in given else None
        self._query_builder = QueryBuilder(synonyms=synonyms, fields=given.get("query_fields"))
        self._embedding = embedding
        self._model = given.get("model")
        self.retriever = Retriever(self._store, self._query_builder, embedding, max_page_size=MAX_PAGE_SIZE)
        self._ranker = Ranker(self._store, self._query_builder, None, Observation())

    def options(self, options: dict[str, Any]) -> dict[str, Any]:
        """The case's options with its model."""
        return options if self._model is None else {**options, "rerank_model": _model(self._model)}

    def change(self, changes: list[Any], alike: bool) -> None:
        """Make changes between the reads of the retriever."""
        Meanwhile(self._store).arm({number: partial(self._make, change, alike) for number, change in changes})

    def _make(self, change: dict[str, Any], alike: bool) -> None:
        if "add" in change:
            first, count = change["add"]
            self._store.insert(DocumentBuilder(embedding=self._embedding).build_many(_made(first, count, alike)))
        self._store.delete(change.get("delete", []))

    def record(self, trace: Trace, question: str, options: dict[str, Any]) -> None:
        """The stages of recall."""
        request = RetrievalRequest.build(question, options, MAX_PAGE_SIZE)
        text: MatchTextExpr | MatchBm25fExpr | None
        if request.text_leg == "bm25f":
            text = self._query_builder.build_bm25f_query(question)
            trace.stage("tokenise", [] if text is None else list(text.tokens))
        else:
            text, keywords = self._query_builder.build_text_query(question, min_match=request.min_match)
            trace.stage("tokenise", keywords)
        if text is not None:
            trace.stage("text leg rank", self._store.rank([text.with_topn(request.depth)], request.filters))
        if self._embedding is not None and question:
            dense = self._embedding.match_dense(question, topk=request.depth, similarity=request.similarity)
            trace.stage("dense leg rank", self._store.rank([dense], request.filters))
        recalled = Recall(self._store, self._query_builder, self._embedding).search(request, 0, request.topk)
        trace.stage("fuse", [[identifier, recalled.result.scores[identifier]] for identifier in recalled.result.ids])

    def blocks(self, question: str, options: dict[str, Any], page_size: int) -> list[Any]:
        """What the blocks show joined: each fetched whole, as one page of the size of its window."""
        request = RetrievalRequest.build(question, {**options, "page_size": page_size}, MAX_PAGE_SIZE)
        size = Window.length(page_size, request.topk, request.rerank_model is not None)
        recalled = Recall(self._store, self._query_builder, self._embedding).search(request, 0, request.topk)
        chunks: list[Any] = []
        for first in range(0, len(recalled.result.ids), size):
            ranked = self._ranker.rank(request, recalled.block(first, size), first)
            chunks.extend(ranked.chunk(index, highlight=False) for index in ranked.order)
        return chunks


def _embedding(given: Any) -> Embedding | None:
    if "query_vector" in given:
        vector = given["query_vector"]
        return Embedding(lambda texts: [vector for _ in texts])
    if "dimension" in given:
        return Embedding(HashingEmbedder(dimension=given["dimension"]))
    return None


def _model(described: dict[str, Any]) -> Any:
    """A rerank model that answers as the case says: with scores, by length, late, or not at all."""

    def similarity(query: str, texts: list[str]) -> Any:
        if "raises" in described:
            raise RuntimeError(described["raises"])
        if "sleeps" in described:
            time.sleep(described["sleeps"])
        if "scores" in described:
            return described["scores"]
        return [len(text) / 100.0 for text in texts]

    return similarity

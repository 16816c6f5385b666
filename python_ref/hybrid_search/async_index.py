"""The front door for asyncio (ASY-2); Python only."""

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from types import TracebackType
from typing import Any, Literal, Self, TypeVar, Unpack

from hybrid_search.base import validation
from hybrid_search.base.known_names import KnownClassNames, KnownNames
from hybrid_search.concurrency.async_additions import AsyncAdditions
from hybrid_search.concurrency.async_calls import Workers
from hybrid_search.concurrency.async_providers import embedding_provider, rerank_model, rewrite
from hybrid_search.concurrency.async_tags import AsyncTags
from hybrid_search.doc_store_adapter.base import DocStoreAdapter
from hybrid_search.embedding.embedding_argument import NOT_GIVEN, NotGiven, given
from hybrid_search.index import OPTIONS, Index
from hybrid_search.protocols import FilterData, OrderBy, RerankSource, Rewrite, Vector
from hybrid_search.records.beir_collection import BeirCollection
from hybrid_search.search.cited_answer import CitedAnswer
from hybrid_search.search.citer import MARK
from hybrid_search.search.hit import Hit
from hybrid_search.search.index_searches import OPTIONS_OF_SEARCH, list_of_questions
from hybrid_search.search.page import Page
from hybrid_search.search.search_options import SearchOptions

Item = TypeVar("Item")
Progress = Callable[[int, int], Awaitable[None] | None]


class AsyncIndex(AsyncAdditions, AsyncTags, KnownNames, metaclass=KnownClassNames):
    """An `Index` whose methods are awaited, and whose providers may be: the same answers, and the loop is not blocked.

    ```python
    async def embed(texts: list[str]) -> list[list[float]]:
        return await client.embed(texts)

    index = AsyncIndex(embedding=embed)
    await index.add([{"id": "1", "content": "MISRA C++ rule 6-2-1: no assignment in sub-expressions"}])
    for hit in await index.search("rule 6-2-1"):
        print(hit.score, hit.content)
    ```

    An `Index` does the work in a thread. A coroutine of a provider (embedding, rerank model) is awaited on the loop of
    the call that needs it; a plain provider is called in a thread. May be used by several loops and tasks at once.

    A search that is cancelled ends at once. A provider call that it awaits is cancelled, and the result of its
    computation is dropped. `add`, `update`, `upsert` and `delete` that are cancelled end when they have stopped.
    Nothing is stored or removed after that, but whole batches that were stored before remain.

    Args:
        embedding: as for `Index`; its functions may be coroutine functions.
        rerank_model: as for `Index.search`, and its functions may be coroutine functions too; used if a search names no
            other. The option `rewrite` may be a coroutine function as well.
        threads: the number of calls that may compute at the same time, at least 1. More of them mean more threads that
            compete with the loop for the interpreter.
        max_calls: the number of calls that may be in progress at the same time, at least 1; further calls wait for one
            to end. Each has a thread, which sleeps while it waits for a provider.
        options: the other arguments of `Index`.

    Raises:
        InvalidInputError: an argument is not acceptable, or unknown.
    """

    @validation.taking(("threads", "max_calls", *OPTIONS))
    def __init__(
        self,
        *,
        embedding: Any = NOT_GIVEN,
        rerank_model: Any = None,
        threads: int = 2,
        max_calls: int = 128,
        **options: Any,
    ) -> None:
        self._workers = Workers(
            validation.integer("threads", threads, 1), validation.integer("max_calls", max_calls, 1)
        )
        given = _awaited({**options, "rerank_model": rerank_model})
        if embedding is not NOT_GIVEN:
            given["embedding"] = embedding_provider(embedding)
        self._index: Index = Index(**given)
        self._has_file = "path" in options

    @classmethod
    @validation.taking(("threads", "max_calls", *OPTIONS))
    def open(cls, path: str | os.PathLike[str], **options: Any) -> "AsyncIndex":
        """Return an index whose documents are in a file; see `Index.open`."""
        if path is None:
            raise validation.fail("path", path, "the path of a file")
        return cls(path=path, **options)

    @classmethod
    @validation.taking(("threads", "max_calls", *OPTIONS))
    async def from_beir(cls, folder: str | os.PathLike[str], **options: Any) -> "AsyncIndex":
        """Return an index with the documents of a collection in the form of BEIR; see `Index.from_beir`."""
        records = BeirCollection(folder).records()
        index = cls(**options)
        try:
            await index.upsert(records)
        except BaseException:
            await index.aclose()
            raise
        return index

    @property
    def store(self) -> DocStoreAdapter:
        """The store of the documents."""
        return self._index.store

    @validation.checked
    async def delete(
        self, ids: Iterable[str | int] | str | int | None = None, *, filters: FilterData | None = None
    ) -> int:
        """Remove documents by their ids, or all that pass filters; see `Index.delete`."""
        return await self._workers.run(partial(self._index.delete, ids, filters=filters), settled=True)

    @validation.checked
    async def clear(self) -> int:
        """Remove all documents; see `Index.clear`."""
        return await self._workers.run(self._index.clear, settled=True)

    @validation.checked
    async def get(self, id: str | int, *, include: Sequence[str] = ()) -> dict[str, Any] | None:  # noqa: A002
        """Return the record of a document, `None` if it is not stored; see `Index.get`."""
        return await self._workers.run(partial(self._index.get, id, include=include))

    @validation.checked
    async def get_many(self, ids: Iterable[str | int], *, include: Sequence[str] = ()) -> list[dict[str, Any] | None]:
        """Return the records of documents; see `Index.get_many`."""
        return await self._workers.run(partial(self._index.get_many, ids, include=include))

    @validation.checked
    async def exists(self, id: str | int) -> bool:  # noqa: A002
        """Return whether a document is stored."""
        return await self._workers.run(partial(self._index.exists, id))

    @validation.checked
    async def count(self, *, filters: FilterData | None = None) -> int:
        """Return the number of documents, or of those that pass filters; see `Index.count`."""
        return await self._workers.run(partial(self._index.count, filters=filters))

    async def stats(self) -> dict[str, Any]:
        """Return the statistics of the index as plain data; see `DocStoreAdapter.stats`."""
        return await self._workers.run(self._index.stats)

    # search:begin: made by `bin/conformance make options`
    @validation.checked
    async def search(
        self,
        question: str = "",
        *,
        vector: Vector | NotGiven | None = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        page: int | str | NotGiven | None = NOT_GIVEN,
        cursor: str | NotGiven | None = NOT_GIVEN,
        candidates: int | NotGiven = NOT_GIVEN,
        min_score: float | NotGiven = NOT_GIVEN,
        min_cosine: float | NotGiven | None = NOT_GIVEN,
        vector_similarity_weight: float | NotGiven = NOT_GIVEN,
        rerank_model: RerankSource | str | NotGiven | None = NOT_GIVEN,
        rank_feature: Mapping[str, float] | NotGiven | None = NOT_GIVEN,
        rank_feature_recall: bool | NotGiven = NOT_GIVEN,
        rewrite: Rewrite | NotGiven | None = NOT_GIVEN,
        filters: FilterData | NotGiven | None = NOT_GIVEN,
        order_by: OrderBy | NotGiven | None = NOT_GIVEN,
        match_all: bool | NotGiven = NOT_GIVEN,
        highlight: bool | NotGiven = NOT_GIVEN,
        fragments: Mapping[str, Any] | NotGiven | None = NOT_GIVEN,
        facets: Sequence[str] | NotGiven | None = NOT_GIVEN,
        facet_limit: int | NotGiven = NOT_GIVEN,
        explain: bool | NotGiven = NOT_GIVEN,
        include: Sequence[str] | NotGiven = NOT_GIVEN,
        context: int | NotGiven = NOT_GIVEN,
        parents: Literal["mean", "max"] | NotGiven | None = NOT_GIVEN,
        collapse: str | NotGiven | None = NOT_GIVEN,
        diversity: float | NotGiven = NOT_GIVEN,
        fold_duplicates: float | NotGiven | None = NOT_GIVEN,
        profile: Literal["balanced", "ragflow", "dify"] | NotGiven = NOT_GIVEN,
        text_leg: Literal["tree", "bm25f"] | NotGiven = NOT_GIVEN,
        fusion: Literal["weighted_sum", "rrf", "auto", "min_max"] | NotGiven = NOT_GIVEN,
        weights: str | NotGiven = NOT_GIVEN,
        rrf_k: float | NotGiven = NOT_GIVEN,
        ranking: Literal["rerank", "fused"] | NotGiven = NOT_GIVEN,
        fail_open: bool | NotGiven = NOT_GIVEN,
        rerank_timeout: float | NotGiven = NOT_GIVEN,
        on_index_change: Literal["continue", "error"] | NotGiven = NOT_GIVEN,
        rerank_top_k: int | NotGiven = NOT_GIVEN,
        rerank_fusion: Literal["replace", "linear"] | NotGiven = NOT_GIVEN,
        rerank_weight: float | NotGiven = NOT_GIVEN,
        rerank_batch_size: int | NotGiven | None = NOT_GIVEN,
    ) -> Page:
        """Return one page of hits: by number, or after the page whose `next_cursor` is given (CUR-1 … CUR-4).

        All candidates are in one order; both ways lead through it. Options that are not given are those of the index.

        Args:
            question: any text; a blank one finds nothing, unless there is a `vector` or `match_all`.
            vector: a query vector; with a question both legs run, without one only the dense leg; default `None`.
            limit: the number of hits on a page, at least 1 and at most `max_results`; default `10`.
            page: the number of the page, from 1; null, or anything but a number of 1 or more, is the first page;
                default `None`.
            cursor: the `next_cursor` of the previous page, instead of a page number; default `None`.
            candidates: the maximum number of candidates of each leg and of their fusion, and so of ranked documents; at
                least 1 and at most `max_results`; default `1024`.
            min_score: the lowest score of a hit; scores are relative to the best candidate; default `0.0`.
            min_cosine: the lowest cosine of a hit with the question, -1 to 1; documents without a vector are omitted;
                default `None`.
            vector_similarity_weight: the share of the vector in the similarity of a rerank, 0 to 1; the rest is the
                share of the text; default `0.3`.
            rerank_model: an object with `similarity(query, texts)`, a callable, or the name of a model such as
                "fastembed"; it scores the first `rerank_top_k` candidates; default `None`.
            rank_feature: tags of the query, name → number; a rerank compares them with the documents' tags; default
                `None`.
            rank_feature_recall: whether `rank_feature` counts in recall too, so that a page rank or a tag may bring a
                candidate in; default `False`.
            rewrite: a callable that may change the question and add filters before the search, by a language model for
                example; it is given the question; default `None`.
            filters: the conditions that documents must satisfy, as data: `{"metadata.lang": "zh", "page_rank": {"gte":
                2}}`; default `None`.
            order_by: the fields that order the candidates instead of their similarity: `[name, "asc" or "desc"]` pairs,
                one name, or an object of names and directions; default `None`.
            match_all: whether to return all documents that satisfy the filters, without a question; default `False`.
            highlight: whether hits contain their content with the matches in `<em>`; default `False`.
            fragments: pieces of the texts of hits with the matches marked: an object with `fields`, `tags`, `size` and
                `count`, each optional; default `None`.
            facets: the names whose values are counted over all hits of all pages; default `None`.
            facet_limit: the maximum number of values in a facet, 1 to 10000; default `100`.
            explain: whether the result contains every part of every score; default `False`.
            include: additional parts of the hits: "vector", "tokens"; default `()`.
            context: the number of neighbours on each side that a hit has as `context`, 0 to 10; default `0`.
            parents: the score of a parent that replaces its children: "mean" (the mean of its children's scores) or
                "max" (the highest of its children's scores); default `None`.
            collapse: the name whose values make groups; only the best hit of each is returned; default `None`.
            diversity: the weight of the similarity to better hits in the order of the best 100, 0 to 1; default `0.0`.
            fold_duplicates: the similarity, 0.5 to 1, at which a hit is folded into a better one; default `None`.
            profile: the name of a set of defaults for `text_leg`, `fusion`, `ranking` and `min_score`: "balanced" (the
                default), "ragflow" (RAGFlow's ranking) or "dify" (Dify's fusion by ranks); default `"balanced"`.
            text_leg: the query of the text leg: "tree" (RAGFlow's query) or "bm25f" (the question's tokens in all
                fields at once); default `"bm25f"`.
            fusion: the method that fuses the text leg and the dense leg: "weighted_sum", "rrf", "auto" or "min_max";
                default `"auto"`.
            weights: the weights of the text leg and the dense leg in a weighted sum, "t,d"; default `"0.05,0.95"`.
            rrf_k: the constant k of reciprocal rank fusion, at least 0; default `60`.
            ranking: the order of the candidates: "rerank" (a rerank by tokens and vectors) or "fused" (the order of the
                fusion); default `"fused"`.
            fail_open: whether a failing rerank model causes a warning (true) or an error; default `True`.
            rerank_timeout: the number of seconds for a rerank model; default `30.0`.
            on_index_change: the reaction to a change of the index after the first page of a walk: "continue" (the walk
                continues) or "error" (the walk fails with an `InvalidCursorError`); default `"continue"`.
            rerank_top_k: the number of best candidates that the rerank model scores, at least 0; default `64`.
            rerank_fusion: the score of a result that the rerank model has scored: "replace" (the model's score) or
                "linear" (a weighted sum of the model's score and the similarity); default `"replace"`.
            rerank_weight: the weight of the model's score in a weighted sum, 0 to 1; default `0.8`.
            rerank_batch_size: the maximum number of texts in one call of the model, at least 1; null puts all into one
                call; default `None`.

        Raises:
            InvalidInputError: an option is unknown or not accepted, or the question is too long.
            InvalidCursorError: the cursor is malformed, of another version, forged, or of another request.
            EmbeddingError: the embedding failed.
            RerankError: the rerank model failed and `fail_open` is false.
        """
        options = {
            "vector": vector,
            "limit": limit,
            "page": page,
            "cursor": cursor,
            "candidates": candidates,
            "min_score": min_score,
            "min_cosine": min_cosine,
            "vector_similarity_weight": vector_similarity_weight,
            "rerank_model": rerank_model,
            "rank_feature": rank_feature,
            "rank_feature_recall": rank_feature_recall,
            "rewrite": rewrite,
            "filters": filters,
            "order_by": order_by,
            "match_all": match_all,
            "highlight": highlight,
            "fragments": fragments,
            "facets": facets,
            "facet_limit": facet_limit,
            "explain": explain,
            "include": include,
            "context": context,
            "parents": parents,
            "collapse": collapse,
            "diversity": diversity,
            "fold_duplicates": fold_duplicates,
            "profile": profile,
            "text_leg": text_leg,
            "fusion": fusion,
            "weights": weights,
            "rrf_k": rrf_k,
            "ranking": ranking,
            "fail_open": fail_open,
            "rerank_timeout": rerank_timeout,
            "on_index_change": on_index_change,
            "rerank_top_k": rerank_top_k,
            "rerank_fusion": rerank_fusion,
            "rerank_weight": rerank_weight,
            "rerank_batch_size": rerank_batch_size,
        }
        return await self._workers.run(partial(self._index.search, question, **_awaited(options)))

    # search:end

    @validation.taking(OPTIONS_OF_SEARCH)
    async def search_many(self, questions: Iterable[str], **options: Unpack[SearchOptions]) -> list[Page]:
        """Return the first page of each question, all of them searched at the same time; see `Index.search_many`."""
        asked = [self.search(question, **options) for question in list_of_questions(questions)]
        return list(await asyncio.gather(*asked))

    @validation.taking(OPTIONS_OF_SEARCH)
    async def similar(self, id: str | int, **options: Unpack[SearchOptions]) -> Page:  # noqa: A002
        """Return the documents that are most similar to a stored one; see `Index.similar`."""
        return await self._workers.run(partial(self._index.similar, id, **_awaited(options)))

    @validation.checked
    async def cite(
        self,
        answer: str,
        hits: Page | Sequence[Hit | Mapping[str, Any] | str | int],
        *,
        mark: str = MARK,
        vector_similarity_weight: float = 0.9,
    ) -> CitedAnswer:
        """Find the sources of each sentence of an answer among hits; see `Index.cite`."""
        options: Any = {"mark": mark, "vector_similarity_weight": vector_similarity_weight}
        return await self._workers.run(partial(self._index.cite, answer, hits, **options))

    @validation.taking(OPTIONS_OF_SEARCH)
    def each(self, question: str = "", **options: Unpack[SearchOptions]) -> AsyncIterator[Hit]:
        """Return all hits one after another; see `Index.each`.

        Raises:
            InvalidInputError: at once, an option that is unknown or not accepted, or a question that is too long.
        """
        return self._drawn(self._index.each(question, **_awaited(options)))

    async def aclose(self) -> None:
        """Let the threads end; calls in progress are not disturbed, and later calls start new threads.

        A file that the index opened by its `path` is closed.
        """
        if self._has_file:
            await self._workers.run(self._index.close, settled=True)
        self._workers.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.aclose()

    async def _drawn(self, items: Iterator[Item]) -> AsyncIterator[Item]:
        while (item := await self._workers.run(partial(next, items, None))) is not None:
            yield item


def _awaited(options: Any) -> Any:
    """Return the given options, with a rerank model and a rewrite that may have to be awaited."""
    awaited = {"rerank_model": rerank_model, "rewrite": rewrite}
    options = given(options)
    return {**options, **{name: of(options[name]) for name, of in awaited.items() if name in options}}

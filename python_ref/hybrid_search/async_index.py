"""The front door for asyncio (ASY-2); Python only."""

from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Iterator, Sequence
from functools import partial
from types import TracebackType
from typing import Any, Self, TypeVar, Unpack

from hybrid_search import _validation as validation
from hybrid_search._async_calls import AsyncCall, Workers
from hybrid_search._async_providers import embedding_provider, rerank_model
from hybrid_search.doc_store_adapter.base import DocStoreAdapter
from hybrid_search.embedding._source import NOT_GIVEN
from hybrid_search.index import OPTIONS, Index
from hybrid_search.protocols import OtherKeys, Record, Records
from hybrid_search.records._record_writer import OPTIONS as WRITE_OPTIONS
from hybrid_search.retriever._query_request import QueryOptions
from hybrid_search.retriever._request import RetrievalOptions
from hybrid_search.retriever.query_result import QueryHit, QueryResult
from hybrid_search.retriever.result import RetrievalResult

Item = TypeVar("Item")
Progress = Callable[[int, int], Awaitable[None] | None]


class AsyncIndex:
    """An `Index` whose methods are awaited, and whose providers may be: the same answers, and the loop stays free.

    ```python
    async def embed(texts: list[str]) -> list[list[float]]:
        return await client.embed(texts)

    index = AsyncIndex(embedding=embed)
    await index.add([{"id": "1", "content": "MISRA C++ rule 6-2-1: no assignment in sub-expressions"}])
    for chunk in (await index.search("rule 6-2-1")).chunks:
        print(chunk.similarity, chunk.content_with_weight)
    ```

    An `Index` does the work in a thread. A coroutine of a provider (embedding, rerank model) is awaited on the loop of
    the call that needs it; a plain provider is called in a thread. May be used by several loops and tasks at once.

    A search that is cancelled ends at once: what it awaits is cancelled, and what it computes comes to nothing. `add`,
    `update`, `upsert` and `delete` that are cancelled end when they have stopped: nothing is stored or removed any
    more, but whole batches that were stored before stay.

    Args:
        embedding: as for `Index`; its functions may be coroutine functions.
        rerank_model: as for `Index.search`, likewise; used where a search names no other.
        workers: how many calls compute at the same time, at least 1. More of them mean more threads that compete with
            the loop for the interpreter.
        max_calls: how many calls may be under way at the same time, at least 1; further ones wait for one to end. Each
            has a thread, which sleeps while it waits for a provider.
        options: the other arguments of `Index`.

    Raises:
        InvalidInputError: an argument is not acceptable, or unknown.
    """

    def __init__(
        self,
        *,
        embedding: Any = NOT_GIVEN,
        rerank_model: Any = None,
        workers: int = 2,
        max_calls: int = 128,
        **options: Any,
    ) -> None:
        validation.known("option", options, ("workers", "max_calls", *OPTIONS))
        self._workers = Workers(
            validation.integer("workers", workers, 1), validation.integer("max_calls", max_calls, 1)
        )
        given = {**options, **_for_retrieval({"rerank_model": rerank_model})}
        if embedding is not NOT_GIVEN:
            given["embedding"] = embedding_provider(embedding)
        self._index = Index(**given)
        self._has_file = "path" in options

    @property
    def store(self) -> DocStoreAdapter:
        """Where the documents are."""
        return self._index.store

    async def add(
        self,
        records: Records | AsyncIterable[Record],
        *,
        batch_size: int = 256,
        progress: Progress | None = None,
        other_keys: OtherKeys = "refuse",
        **unknown: Unpack[validation.NoOptions],
    ) -> int:
        """Add documents, batch by batch; a batch is stored whole or not at all.

        Args:
            records: as for `Index.add`, read in a thread; or an asynchronous stream, read on the loop.
            batch_size: records embedded and stored at once, at least 1.
            progress: as for `Index.add`, called on the loop; may be a coroutine function.
            other_keys: as for `Index.add`.
            unknown: refused.

        Returns:
            How many were added.

        Raises:
            InvalidInputError: as `Index.add`.
            EmbeddingError: the embedding failed.
        """
        validation.known("option", unknown, WRITE_OPTIONS)
        return await self._write(self._index.add, records, batch_size, progress, other_keys)

    async def update(
        self,
        records: Records | AsyncIterable[Record],
        *,
        batch_size: int = 256,
        progress: Progress | None = None,
        other_keys: OtherKeys = "refuse",
    ) -> int:
        """Change stored documents, batch by batch; see `Index.update`, and `add` for the arguments."""
        return await self._write(self._index.update, records, batch_size, progress, other_keys)

    async def upsert(
        self,
        records: Records | AsyncIterable[Record],
        *,
        batch_size: int = 256,
        progress: Progress | None = None,
        other_keys: OtherKeys = "refuse",
    ) -> int:
        """Add documents, or replace stored ones as a whole, batch by batch; see `Index.upsert`, and `add`."""
        return await self._write(self._index.upsert, records, batch_size, progress, other_keys)

    async def delete(self, ids: Sequence[str]) -> int:
        """Remove documents by id; ids that are not there are passed over. Returns how many were removed."""
        return await self._workers.run(partial(self._index.delete, ids), settled=True)

    async def get(self, identifier: str) -> dict[str, Any] | None:
        """The stored document of an id, none if there is none."""
        return await self._workers.run(partial(self._index.get, identifier))

    async def count(self) -> int:
        """How many documents there are."""
        return await self._workers.run(self._index.count)

    async def stats(self) -> dict[str, Any]:
        """What is in the index, in plain data; see `DocStoreAdapter.stats`."""
        return await self._workers.run(self._index.stats)

    async def search(self, question: str, **options: Unpack[RetrievalOptions]) -> RetrievalResult:
        """One page of answers; see `Retriever.retrieve`. A `rerank_model` may have to be awaited."""
        return await self._workers.run(partial(self._index.search, question, **_for_retrieval(options)))

    def each_page(self, question: str, **options: Unpack[RetrievalOptions]) -> AsyncIterator[RetrievalResult]:
        """All pages of answers one after another; see `Retriever.each_page`.

        Raises:
            InvalidInputError: at once, an option that is unknown or not accepted, or a question that is too long.
        """
        return self._drawn(self._index.each_page(question, **_for_retrieval(options)))

    async def query(self, question: str = "", **options: Unpack[QueryOptions]) -> QueryResult:
        """One page of a walk by cursor; see `Retriever.query`. A `rerank_model` may have to be awaited."""
        return await self._workers.run(partial(self._index.query, question, **_for_retrieval(options)))

    def each_result(self, question: str = "", **options: Unpack[QueryOptions]) -> AsyncIterator[QueryHit]:
        """All results of a walk one after another; see `Retriever.each_result`.

        Raises:
            InvalidInputError: at once, an option that is unknown or not accepted, or a question that is too long.
        """
        return self._drawn(self._index.each_result(question, **_for_retrieval(options)))

    async def aclose(self) -> None:
        """Let the threads end; calls that are under way are not disturbed, and later ones make new threads.

        A file that the index was given by its `path` is closed.
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

    async def _write(
        self,
        write: Callable[..., int],
        records: Records | AsyncIterable[Record],
        batch_size: int,
        progress: Progress | None,
        other_keys: OtherKeys,
    ) -> int:
        batch_size = validation.integer("batch_size", batch_size, 1)

        def work() -> int:
            call = AsyncCall.current()
            drawn = call.drawn(records, batch_size) if isinstance(records, AsyncIterable) else records

            def after_batch(done: int, total: int) -> None:
                call.check()
                if progress is not None:
                    call.tell(progress, done, total)

            return write(drawn, batch_size=batch_size, progress=after_batch, other_keys=other_keys)

        return await self._workers.run(work, settled=True)


def _for_retrieval(options: Any) -> Any:
    """The options with a rerank model that may have to be awaited."""
    return {**options, "rerank_model": rerank_model(options["rerank_model"])} if "rerank_model" in options else options

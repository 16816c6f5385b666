"""The methods that fill an `AsyncIndex` (ASY-2); Python only."""

import os
from collections.abc import AsyncIterable, Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hybrid_search.base import validation
from hybrid_search.chunker.chunker import Chunker
from hybrid_search.concurrency.async_calls import AsyncCall, Workers
from hybrid_search.protocols import OtherKeys, Record, Records
from hybrid_search.readers.file_import import AddedFiles
from hybrid_search.records import batch_limits

if TYPE_CHECKING:
    from hybrid_search.index import Index

Progress = Callable[[int, int], Awaitable[None] | None]


class AsyncAdditions:
    """Adds, changes and replaces documents, as `Index` does, in a thread."""

    _workers: Workers
    _index: "Index"

    @validation.checked
    async def add(
        self,
        records: Records | AsyncIterable[Record],
        *,
        batch_size: int | None = None,
        progress: Progress | None = None,
        other_keys: OtherKeys = "refuse",
        workers: int = 1,
    ) -> int:
        """Add documents, batch by batch; a batch is stored as a whole or not at all.

        Args:
            records: as for `Index.add`, read in a thread; or an asynchronous stream, read on the loop.
            batch_size: as for `Index.add`.
            progress: as for `Index.add`, called on the loop; may be a coroutine function.
            other_keys: as for `Index.add`.
            workers: as for `Index.add`.

        Returns:
            The number of added documents.

        Raises:
            InvalidInputError: as `Index.add`.
            EmbeddingError: the embedding failed.
        """
        return await self._write(
            self._index.add, records, batch_size, progress, {"other_keys": other_keys, "workers": workers}
        )

    @validation.checked
    async def update(
        self,
        records: Records | AsyncIterable[Record],
        *,
        batch_size: int | None = None,
        progress: Progress | None = None,
        other_keys: OtherKeys = "refuse",
    ) -> int:
        """Change stored documents, batch by batch; see `Index.update`, and `add` for the arguments."""
        return await self._write(self._index.update, records, batch_size, progress, {"other_keys": other_keys})

    @validation.checked
    async def upsert(
        self,
        records: Records | AsyncIterable[Record],
        *,
        batch_size: int | None = None,
        progress: Progress | None = None,
        other_keys: OtherKeys = "refuse",
        workers: int = 1,
    ) -> int:
        """Add documents, or replace stored ones as a whole, batch by batch; see `Index.upsert`, and `add`."""
        return await self._write(
            self._index.upsert, records, batch_size, progress, {"other_keys": other_keys, "workers": workers}
        )

    @validation.checked
    async def add_files(
        self,
        paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
        *,
        chunker: Chunker | None = None,
        mapping: Mapping[str, str] | None = None,
        other_keys: OtherKeys | None = None,
        on_error: str = "stop",
        prune: bool = False,
        batch_size: int | None = None,
        progress: Progress | None = None,
        workers: int = 1,
    ) -> AddedFiles:
        """Add the documents that files contain, and update those that changed; see `Index.add_files`, and `add`."""

        def work() -> AddedFiles:
            return self._index.add_files(
                paths,
                chunker=chunker,
                mapping=mapping,
                other_keys=other_keys,
                on_error=on_error,
                prune=prune,
                batch_size=batch_size,
                progress=_after_batch(progress),
                workers=workers,
            )

        return await self._workers.run(work, settled=True)

    async def _write(
        self,
        write: Callable[..., int],
        records: Records | AsyncIterable[Record],
        batch_size: int | None,
        progress: Progress | None,
        options: Mapping[str, Any],
    ) -> int:
        size = batch_limits.checked(batch_size)

        def work() -> int:
            call = AsyncCall.current()
            drawn = (
                call.drawn(records, size or batch_limits.MOST_WITHOUT_VECTOR)
                if isinstance(records, AsyncIterable)
                else records
            )
            return write(drawn, batch_size=size, progress=_after_batch(progress), **options)

        return await self._workers.run(work, settled=True)


def _after_batch(progress: Progress | None) -> Callable[[int, int], None]:
    """Return a function for each batch, called in a thread: it ends a cancelled call, and reports on the loop."""
    call = AsyncCall.current()

    def after_batch(done: int, total: int) -> None:
        call.check()
        if progress is not None:
            call.tell(progress, done, total)

    return after_batch

"""The tags of texts in an `AsyncIndex` (ASY-2); Python only."""

from functools import partial
from typing import Any

from hybrid_search.base import validation
from hybrid_search.concurrency.async_calls import Workers
from hybrid_search.protocols import Record
from hybrid_search.search.index_tags import TAG_OPTIONS, IndexTags


class AsyncTags:
    """Awaited methods that return the tags of questions and records."""

    _workers: Workers
    _index: IndexTags

    @validation.taking(TAG_OPTIONS)
    async def tags_of_question(self, question: str, **options: Any) -> dict[str, int]:
        """Return the tags of the documents that a question finds; see `Index.tags_of_question`."""
        return await self._workers.run(partial(self._index.tags_of_question, question, **options))

    @validation.taking(TAG_OPTIONS)
    async def tags_of_record(self, record: Record, **options: Any) -> dict[str, int]:
        """Return the tags of the documents that a record's texts find; see `Index.tags_of_record`."""
        return await self._workers.run(partial(self._index.tags_of_record, record, **options))

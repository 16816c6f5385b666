"""The index file of a command, opened (CUR-5)."""

import copy
import os
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from hybrid_search.doc_store_adapter.sqlite import file_embedding
from hybrid_search.doc_store_adapter.sqlite.sqlite_doc_store import SqliteDocStore
from hybrid_search.embedding.embedding_choice import EmbeddingChoice

if TYPE_CHECKING:
    from hybrid_search.index import Index

SECRET = "HYBRID_SEARCH_CURSOR_SECRET"
"""An environment variable: what cursors are signed with."""


class IndexFile:
    """An index file, and what it says of itself.

    Args:
        path: where it is.
        read_only: whether it stays as it is.
        made: whether it is made when there is none; else it must be there.
    """

    def __init__(self, path: str, read_only: bool = True, made: bool = False) -> None:
        self.store = SqliteDocStore(path, read_only=not made)
        if not (made or read_only):
            self.store.close()
            self.store = SqliteDocStore(path)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.store.close()

    @contextmanager
    def rebuilding(self) -> Iterator["IndexFile"]:
        """The file without documents; what it holds at the end of the block takes the place of all documents."""
        with self.store.rebuilding() as store:
            fresh = copy.copy(self)
            fresh.store = store
            yield fresh

    def choice(self) -> EmbeddingChoice | None:
        """How it is embedded, none if it does not say."""
        return file_embedding.choice_of(self.store)

    def noted(self) -> EmbeddingChoice | None:
        """Return how it is embedded, as it was noted when the file was made; none if it was not."""
        return file_embedding.noted(self.store)

    def choose(self, choice: EmbeddingChoice) -> None:
        """Keep how it is embedded."""
        self.store.set_note(file_embedding.NOTE, choice.to_text())

    def index(self, **options: Any) -> "Index":
        """What answers questions from it; without vectors the text alone decides, unless the options say otherwise."""
        # Who only counts or removes documents need not wait for these.
        from hybrid_search.embedding.embedding import Embedding
        from hybrid_search.index import Index

        choice = self.choice()
        embedding = Embedding.chosen(choice)
        if embedding is None:
            options = {"vector_similarity_weight": 0.0, **options}
        return Index(store=self.store, embedding=embedding, cursor_secret=os.environ.get(SECRET), **options)

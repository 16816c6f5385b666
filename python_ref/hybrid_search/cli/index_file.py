"""Opens the index file of a command (CUR-5)."""

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
"""The environment variable with the secret that signs cursors."""


class IndexFile:
    """An index file and its notes about itself.

    Args:
        path: its path.
        read_only: whether it is only read.
        made: whether it is created if it does not exist; otherwise it must exist.
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
        """Yield an empty copy of the file, whose documents replace all documents at the end of the block."""
        with self.store.rebuilding() as store:
            fresh = copy.copy(self)
            fresh.store = store
            yield fresh

    def choice(self) -> EmbeddingChoice | None:
        """Return the choice of its embedding, `None` if it is not known."""
        return file_embedding.choice_of(self.store)

    def noted(self) -> EmbeddingChoice | None:
        """Return the choice of its embedding that was noted when the file was made; `None` without a note."""
        return file_embedding.noted(self.store)

    def choose(self, choice: EmbeddingChoice) -> None:
        """Store the choice of its embedding."""
        self.store.set_note(file_embedding.NOTE, choice.to_text())

    def index(self, **options: Any) -> "Index":
        """Return an index of the file; without vectors only the text leg runs, unless the options say otherwise."""
        # Commands that only count or remove documents need not wait for these imports.
        from hybrid_search.embedding.embedding import Embedding
        from hybrid_search.index import Index

        choice = self.choice()
        embedding = Embedding.chosen(choice)
        if embedding is None:
            options = {"vector_similarity_weight": 0.0, **options}
        return Index(store=self.store, embedding=embedding, cursor_secret=os.environ.get(SECRET), **options)

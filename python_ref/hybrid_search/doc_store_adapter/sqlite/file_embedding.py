"""The embedding that an index file states, for callers that open it without one (SQL-1)."""

from typing import Any

from hybrid_search.doc_store_adapter import vector_models
from hybrid_search.doc_store_adapter.sqlite.sqlite_doc_store import SqliteDocStore
from hybrid_search.embedding.embedding import Embedding
from hybrid_search.embedding.embedding_choice import EmbeddingChoice
from hybrid_search.embedding.model_names import HASHING, NONE
from hybrid_search.errors import InvalidInputError

NOTE = "cli.embedding"
"""The name of the note that states the embedding of a file."""


def noted(store: SqliteDocStore) -> EmbeddingChoice | None:
    """Return the choice that was noted in a file when it was created; `None` if there is no note."""
    text = store.note(NOTE)
    return None if text is None else EmbeddingChoice.of_text(text)


def keep(store: SqliteDocStore, name: Any, embedding: Embedding | None, any_vectors: bool) -> None:
    """Note the embedding of a file whose index was given the name of a model (EMB-4).

    Args:
        store: the file.
        name: the given embedding; only a text is noted.
        embedding: the embedding of that name.
        any_vectors: as for `vector_models.check`.

    Raises:
        InvalidInputError: another model is noted, and the file has documents, or vectors are of another model.
    """
    if not isinstance(name, str):
        return
    choice, before = EmbeddingChoice.named(name), noted(store)
    if before == choice:
        return
    if before is not None and store.count():
        raise InvalidInputError(
            f"the embedding of this file is {before.to_text()}, not {choice.to_text()}: open it without an embedding, "
            "or fill an empty file"
        )
    vector_models.check(store, embedding, any_vectors)
    store.set_note(NOTE, choice.to_text())


def choice_of(store: SqliteDocStore) -> EmbeddingChoice | None:
    """Return the embedding of a file: the noted choice, otherwise the choice that its vectors show.

    Vectors of the hashing embedder show it by the name of their model. Vectors of other models need an embedding from
    the caller. The result is `None` if the file has no vectors and no note.
    """
    choice = noted(store)
    if choice is not None:
        return choice
    held = [told for told in store.vector_fields().values() if told["count"] > 0]
    for told in sorted(held, key=lambda one: -int(one["count"])):
        if told["model"] == f"hashing-{told['dimension']}":
            return EmbeddingChoice(HASHING, told["dimension"])
    return EmbeddingChoice(NONE) if held else None

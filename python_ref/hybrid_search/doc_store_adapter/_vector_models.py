"""Which model made the vectors of a field (DOC-7): those of two models are not compared."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from hybrid_search import _validation as validation
from hybrid_search.doc_store_adapter import _stored_document as stored_document
from hybrid_search.doc_store_adapter._stored_fields import StoredFields
from hybrid_search.doc_store_adapter.base import DocStoreAdapter
from hybrid_search.embedding.embedding import Embedding
from hybrid_search.errors import InvalidInputError


def keep(kept: Mapping[str, str], field: str, model: str, holds: Callable[[str], bool]) -> dict[str, str] | None:
    """The names to keep from now on; none where they stay the same.

    Args:
        kept: vector field → the name that is kept for it.
        field: a vector field.
        model: the name of the model that makes its vectors.
        holds: whether there are vectors in a field.

    Raises:
        InvalidInputError: no vector field, no name, or another is kept and there are vectors.
    """
    stored_document.vector_dimension("field", validation.text("field", field))
    if not validation.text("model", model):
        raise InvalidInputError("model must not be empty")
    before = kept.get(field)
    if before == model:
        return None
    if before is not None and holds(field):
        raise _mismatch(field, before, model)
    return {**kept, field: model}


def check(store: DocStoreAdapter, embedding: Embedding | None) -> None:
    """Refuse an embedding whose model did not make the vectors it is compared with, as far as both are known.

    Args:
        store: where the vectors are.
        embedding: makes the vectors of questions; nothing is checked without one, or without a name or dimension.

    Raises:
        InvalidInputError: another name is kept, and there are vectors.
    """
    field = _field_of(embedding)
    if embedding is None or field is None:
        return
    before = store.vector_models().get(field, embedding.model)
    if before != embedding.model and store.search(filters={field: {"exists": True}}, limit=1).total > 0:
        raise _mismatch(field, before, embedding.model)


def claim(store: DocStoreAdapter, embedding: Embedding | None, documents: Iterable[Mapping[str, Any]]) -> None:
    """Keep the name of an embedding's model, before documents with vectors of its dimension are stored.

    Args:
        store: where they will be.
        embedding: as for `check`.
        documents: what will be stored.

    Raises:
        InvalidInputError: another name is kept, and there are vectors.
    """
    field = _field_of(embedding)
    if embedding is not None and field is not None and any(document.get(field) is not None for document in documents):
        store.keep_vector_model(field, embedding.model)


def _field_of(embedding: Embedding | None) -> str | None:
    """The field of an embedding's vectors; none where their model or dimension is not known."""
    if embedding is None or embedding.dimension is None or not embedding.model:
        return None
    return StoredFields.vector_field(embedding.dimension)


def _mismatch(field: str, before: str, model: str) -> InvalidInputError:
    return InvalidInputError(
        f"the vectors of {field} were made by the model {validation.describe(before)}, not by "
        f"{validation.describe(model)}: use that model, or fill an empty store"
    )

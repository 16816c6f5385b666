"""Which model made the vectors of a field (DOC-7): those of two models are not compared."""

from collections.abc import Callable, Mapping

from hybrid_search import _validation as validation
from hybrid_search.doc_store_adapter import _stored_document as stored_document
from hybrid_search.doc_store_adapter.base import DocStoreAdapter
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


def check(store: DocStoreAdapter, field: str, model: str) -> None:
    """Refuse a model that did not make the vectors of a field, where a store keeps the name of the one that did.

    Args:
        store: where the vectors are.
        field: their field.
        model: the name of a model; an empty one is not checked.

    Raises:
        InvalidInputError: another name is kept, and there are vectors.
    """
    before = store.vector_models().get(field) if model else None
    if before is not None and before != model and store.search(filters={field: {"exists": True}}, limit=1).total > 0:
        raise _mismatch(field, before, model)


def _mismatch(field: str, before: str, model: str) -> InvalidInputError:
    return InvalidInputError(
        f"the vectors of {field} were made by the model {validation.describe(before)}, not by "
        f"{validation.describe(model)}: use that model, or fill an empty store"
    )

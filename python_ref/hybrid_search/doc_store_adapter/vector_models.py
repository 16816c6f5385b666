"""Which model made the vectors of a store, and whether an embedding fits them (DOC-7)."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from hybrid_search.base import validation
from hybrid_search.doc_store_adapter.base import DocStoreAdapter
from hybrid_search.doc_store_adapter.documents import stored_document
from hybrid_search.doc_store_adapter.documents.stored_fields import StoredFields
from hybrid_search.embedding.embedding import Embedding
from hybrid_search.errors import DimensionMismatchError, InvalidInputError

INDEX, RECORDS, BOTH = "index", "records", "both"
ORIGINS = (INDEX, RECORDS)


class VectorSource(NamedTuple):
    """The origin of a field's vectors.

    Attributes:
        model: the name of the model that made them; `None` if it is not known.
        origin: "index" if an index embedded them, "records" if records brought them, or "both"; `None` if it is not
            known.
    """

    model: str | None = None
    origin: str | None = None


Sources = Mapping[str, VectorSource]
"""Vector field → the origin of its vectors."""
Claim = tuple[str, str | None, str]
"""A vector field, the model of its vectors and their origin."""
Fields = Mapping[str, Mapping[str, Any]]
"""Vector fields as `DocStoreAdapter.vector_fields` describes them."""


def keep(stored: Sources, field: Any, model: Any, origin: Any, holds: Callable[[str], bool]) -> VectorSource | None:
    """Return the source to store for a field from now on, or `None` if it stays the same.

    Args:
        stored: the sources that are stored now.
        field: a vector field.
        model: the name of the model that makes its vectors; `None` if it is not known.
        origin: "index" or "records".
        holds: returns whether a field has vectors.

    Raises:
        InvalidInputError: an argument is invalid, or the field has vectors and the stored model is another one.
    """
    stored_document.vector_dimension("field", validation.text("field", field))
    if model is not None and not validation.text("model", model):
        raise InvalidInputError("model must not be empty")
    validation.choice("origin", origin, ORIGINS)
    before = stored.get(field, VectorSource())
    given = VectorSource(model, origin)
    if before == given:
        return None
    if not holds(field):
        return given
    if model is not None and before.model not in (None, model):
        raise _other_model(field, before.model, model)
    after = VectorSource(before.model or model, origin if before.origin in (None, origin) else BOTH)
    return None if before == after else after


def described(counts: Mapping[str, int], stored: Sources, documents: int) -> dict[str, dict[str, Any]]:
    """Return the facts about each vector field in the form of `DocStoreAdapter.vector_fields`.

    Args:
        counts: vector field → the number of documents that have it.
        stored: the stored sources of the vectors.
        documents: the number of all documents.
    """
    names = sorted({*(name for name, count in counts.items() if count > 0), *stored})
    return {name: _described(name, counts.get(name, 0), stored.get(name, VectorSource()), documents) for name in names}


def check(
    store: DocStoreAdapter, embedding: Embedding | None, any_vectors: bool = False, fields: Fields | None = None
) -> tuple[str, ...]:
    """Refuse an embedding that did not make the vectors it is compared with, as far as that is known.

    Args:
        store: the store of the vectors.
        embedding: embeds questions; its dimension may not be known yet.
        any_vectors: whether a store is accepted if all its vectors have another dimension.
        fields: the facts about the vector fields of the store; `None` if the store has to be asked.

    Returns:
        Warnings about documents that a search cannot find by their vector, and about facts that cannot be checked.

    Raises:
        InvalidInputError: the store has vectors, and they are of another model or all have another dimension.
    """
    fields = store.vector_fields() if fields is None else fields
    if fields is None:
        return ()
    held = {name: told for name, told in fields.items() if told["count"] > 0}
    if embedding is None:
        return _without_embedding(held)
    if embedding.dimension is None:
        return ()
    field = StoredFields.vector_field(embedding.dimension)
    if held and field not in held and not any_vectors:
        raise _other_dimension(held, embedding)
    model = held[field]["model"] if field in held else None
    if embedding.model and model not in (None, embedding.model):
        raise _other_model(field, model, embedding.model)
    return (*_unnamed(field, model, embedding), *_missing(store, field, held))


def check_vector(store: DocStoreAdapter, dimension: int, any_vectors: bool = False) -> tuple[str, ...]:
    """Refuse a vector that is compared with vectors of another dimension, as far as these are known.

    Args:
        store: the store of the vectors.
        dimension: the number of components of the vector.
        any_vectors: as for `check`.

    Returns:
        Warnings about documents that a search cannot find by their vector.

    Raises:
        DimensionMismatchError: the store has vectors, and all of them have another dimension.
    """
    fields = store.vector_fields()
    if fields is None:
        return ()
    held = {name: described for name, described in fields.items() if described["count"] > 0}
    field = StoredFields.vector_field(dimension)
    if held and field not in held and not any_vectors:
        dimensions = " or ".join(str(described["dimension"]) for described in held.values())
        raise DimensionMismatchError(
            f"vector must have {dimensions} components, as those of the store, not {dimension}"
        )
    return _missing(store, field, held)


def claim(
    store: DocStoreAdapter,
    embedding: Embedding | None,
    documents: Sequence[Mapping[str, Any]],
    brought: Sequence[bool],
    any_vectors: bool = False,
) -> list[Claim]:
    """Store the origin of the vectors of documents, before the documents are stored.

    Args:
        store: the store that will contain the documents.
        embedding: made the vectors that records did not bring.
        documents: the documents that will be stored.
        brought: for each document, whether its record brought the vector.
        any_vectors: as for `check`.

    Returns:
        The claims of fields with both origins, for `claim_again` after the documents are stored.

    Raises:
        InvalidInputError: as `check`; or the embedding has no name and would add to the vectors of a named model.
    """
    wanted = dict.fromkeys(
        (field, RECORDS if own else INDEX)
        for document, own in zip(documents, brought, strict=True)
        for field, value in document.items()
        if value is not None and stored_document.is_vector_field(field)
    )
    if any(origin == INDEX for _, origin in wanted):
        check(store, embedding, any_vectors)
    claims: list[Claim] = []
    for field, origin in wanted:
        model = _model_of(field, embedding)
        if origin == INDEX and model is None:
            _refuse_unnamed(store, field)
        store.keep_vector_model(field, model, origin)
        claims.append((field, model, origin))
    fields = [field for field, _, _ in claims]
    return [one for one in claims if fields.count(one[0]) > 1]


def claim_again(store: DocStoreAdapter, claims: Sequence[Claim]) -> None:
    """Store both origins of fields that had no vectors before, as origins add up only where there are vectors.

    Args:
        store: the store that contains the documents now.
        claims: what `claim` returned.
    """
    for field, model, origin in claims:
        store.keep_vector_model(field, model, origin)


def _described(field: str, count: int, source: VectorSource, documents: int) -> dict[str, Any]:
    dimension = stored_document.vector_dimension(field, field)
    return {"dimension": dimension, "count": count, "missing": documents - count, **source._asdict()}


def _model_of(field: str, embedding: Embedding | None) -> str | None:
    """Return the embedding's model if it makes the vectors of this field, and `None` otherwise."""
    if embedding is None or embedding.dimension is None or not embedding.model:
        return None
    return embedding.model if field == StoredFields.vector_field(embedding.dimension) else None


def _without_embedding(held: Fields) -> tuple[str, ...]:
    if not held:
        return ()
    shown = ", ".join(
        f"{told['count']} of {told['count'] + told['missing']} documents have a vector in {name}"
        f"{_made_by(told['model'])}"
        for name, told in held.items()
    )
    return (f"the text alone is searched, as there is no embedding: {shown}",)


def _unnamed(field: str, model: str | None, embedding: Embedding) -> tuple[str, ...]:
    if model is None or embedding.model:
        return ()
    return (
        f"the vectors of {field} were made by the model {validation.describe(model)}; the embedding has no name, so "
        "whether it is that model is not checked: state its model",
    )


def _missing(store: DocStoreAdapter, field: str, held: Fields) -> tuple[str, ...]:
    """Return a warning if documents lack the vector field of the query."""
    told = held.get(field)
    count, missing = (0, store.count()) if told is None else (told["count"], told["missing"])
    if missing <= 0:
        return ()
    return (f"the text alone of {missing} of {count + missing} documents is searched: they have no vector in {field}",)


def _refuse_unnamed(store: DocStoreAdapter, field: str) -> None:
    told = (store.vector_fields() or {}).get(field)
    if told is not None and told["count"] > 0 and told["model"] is not None:
        raise InvalidInputError(
            f"the vectors of {field} were made by the model {validation.describe(told['model'])}, and an embedding "
            "without a name adds none to them: state its model"
        )


def _made_by(model: str | None) -> str:
    return "" if model is None else f" by the model {validation.describe(model)}"


def _other_model(field: str, before: Any, model: str) -> InvalidInputError:
    return InvalidInputError(
        f"the vectors of {field} were made by the model {validation.describe(before)}, not by "
        f"{validation.describe(model)}: use that model, or fill an empty store"
    )


def _other_dimension(held: Fields, embedding: Embedding) -> InvalidInputError:
    shown = " and ".join(f"{told['dimension']} components{_made_by(told['model'])}" for told in held.values())
    return InvalidInputError(
        f"the vectors of the store have {shown}, not {embedding.dimension}{_made_by(embedding.model or None)} as the "
        "embedding's: use the embedding that made them, or fill an empty store"
    )

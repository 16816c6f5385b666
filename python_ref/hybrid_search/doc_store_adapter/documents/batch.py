"""Checks a whole batch of documents before a store is changed (DOC-1)."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hybrid_search.base import validation
from hybrid_search.doc_store_adapter.documents import stored_document
from hybrid_search.doc_store_adapter.documents.stored_document import StoredDocument
from hybrid_search.errors import InvalidInputError

Stored = Callable[[str], StoredDocument | None]
"""Returns the stored document of an id, or `None`."""


def accept(documents: Sequence[Mapping[str, Any]]) -> list[StoredDocument]:
    """Return checked copies of documents, each with a different id.

    Raises:
        InvalidInputError: the argument is not a list, a document is not acceptable, or an id is repeated.
        DimensionMismatchError: the length of a vector is not the one in the name of its field.
    """
    if isinstance(documents, (str, Mapping)) or not isinstance(documents, Sequence):
        raise validation.fail("documents", documents, "a list of documents")
    accepted = [stored_document.accept(f"documents[{index}]", document) for index, document in enumerate(documents)]
    seen: set[str] = set()
    for index, document in enumerate(accepted):
        if document.identifier in seen:
            raise _wrong(index, document, "is given twice")
        seen.add(document.identifier)
    return accepted


def check_new(accepted: Sequence[StoredDocument], is_stored: Callable[[str], bool]) -> None:
    """Refuse to insert a document that is already stored.

    Raises:
        InvalidInputError: a document is already stored.
    """
    for index, document in enumerate(accepted):
        if is_stored(document.identifier):
            raise _wrong(index, document, "is already stored; use update or upsert")


def changes(accepted: Sequence[StoredDocument], stored: Stored) -> list[StoredDocument]:
    """Return the documents that an update changes, in their new form.

    Given fields replace the stored ones; null removes a field. Unchanged documents are omitted.

    Raises:
        InvalidInputError: a document is not stored.
    """
    changed = []
    for index, document in enumerate(accepted):
        before = stored(document.identifier)
        if before is None:
            raise _wrong(index, document, "is not stored; use insert or upsert")
        merged = _merge(before, document)
        if not _same(before, merged):
            changed.append(merged)
    return changed


def replacements(accepted: Sequence[StoredDocument], stored: Stored) -> list[StoredDocument]:
    """Return the documents that an upsert stores: new ones and changed ones; unchanged documents are omitted."""
    return [
        document
        for document in accepted
        if (before := stored(document.identifier)) is None or not _same(before, document)
    ]


def _same(stored: StoredDocument, given: StoredDocument) -> bool:
    return stored_document.same_value(stored.fields, given.fields) and stored.vectors == given.vectors


def _merge(stored: StoredDocument, given: StoredDocument) -> StoredDocument:
    fields = {**stored.fields, **given.fields}
    vectors = {**stored.vectors, **given.vectors}
    for field in given.missing:
        fields.pop(field, None)
        vectors.pop(field, None)
    return StoredDocument(stored.identifier, fields, vectors)


def _wrong(index: int, document: StoredDocument, what: str) -> InvalidInputError:
    return InvalidInputError(f"documents[{index}].id {validation.describe(document.identifier)} {what}")
